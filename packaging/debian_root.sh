# Functions for clean Debian roots (debootstrap), for packaging/deb and docs/results/install.sh. To be sourced.
# shellcheck shell=bash

suite=${SBDL_DEBIAN_SUITE:-bookworm}
mirror=${SBDL_DEBIAN_MIRROR:-http://deb.debian.org/debian}
base=$PWD/build/deb/roots/base-$suite

say() { printf '%s\n' "$*" >&2; }
die() { say "packaging: $*"; exit 1; }
run() { say "+ $*"; "$@"; }

# fresh_root FOLDER: a new minimal Debian there; the first call downloads it.
fresh_root() {
    ((EUID == 0)) || die "a Debian root can only be made by root"
    if [[ ! -e $base/complete ]]; then
        command -v debootstrap >/dev/null || die "debootstrap is missing: apt-get install debootstrap"
        rm -rf "$base"
        mkdir -p "$(dirname "$base")"
        run debootstrap --variant=minbase "$suite" "$base" "$mirror" >"$base.log"
        ${SBDL_ROOT_SETUP:+run "$SBDL_ROOT_SETUP" "$base"}
        touch "$base/complete"
    fi
    rm -rf "$1"
    cp -a "$base" "$1"
    in_root "$1" apt-get -q update    # the base may be older than the mirror
}

# in_root ROOT COMMAND...: /proc is mounted there for this command alone, however it ends.
in_root() {
    local root=$1
    shift
    say "+ in $(basename "$root"): $*"
    env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/root LC_ALL=C.UTF-8 DEBIAN_FRONTEND=noninteractive \
        DEB_BUILD_OPTIONS="parallel=${SBDL_JOBS:-$(nproc)}" CMAKE_BUILD_PARALLEL_LEVEL="${SBDL_JOBS:-$(nproc)}" \
        unshare --mount sh -c 'mount -t proc proc "$0/proc" && exec chroot "$0" "$@"' "$root" "$@"
}
