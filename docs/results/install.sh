#!/usr/bin/env bash
# The times of docs/results/install.md: sbdl installed in four ways, each in a new minimal Debian root, and tried there. As root,
# after ./dev wheel and ./dev deb --clean:
#
#   docs/results/install.sh [wheel] [sdist] [deb] [fetchcontent]
set -euo pipefail
cd -- "$(dirname -- "$(readlink -f -- "${BASH_SOURCE[0]}")")/../.."
source packaging/debian_root.sh

root=$PWD/build/deb/roots/install
libraries='libeigen3-dev libfmt-dev libhwy-dev librandom123-dev nlohmann-json3-dev'
all_libraries="$libraries libhdf5-dev libjpeg-dev libopenblas-dev libpng-dev libtiff-dev zlib1g-dev"

# timed NAME COMMAND...: in the root; prints the seconds it took.
timed() {
    local name=$1 start=$EPOCHREALTIME
    shift
    in_root "$root" "$@" >&2
    awk -v name="$name" -v start="$start" -v end="$EPOCHREALTIME" 'BEGIN { printf "| %s | %.0f s |\n", name, end - start }'
}

prepare() { fresh_root "$root" >&2; }

apt() { echo "apt-get -q install -y --no-install-recommends $*"; }

wheel() {
    prepare
    cp build/python/wheels/*cp311*.whl python/tests/clean_room.py "$root/root/"
    timed 'wheel: apt install python3-venv' sh -c "$(apt python3-venv)"
    timed 'wheel: pip install' sh -c 'cd && python3 -m venv v && v/bin/pip install -q *.whl'
    in_root "$root" sh -c 'cd && v/bin/python -I clean_room.py' >&2
}

sdist() {
    prepare
    rm -rf build/sdist
    build/python/tools/bin/python -c 'from scikit_build_core.build import build_sdist; build_sdist("build/sdist")' >&2
    cp build/sdist/*.tar.gz python/tests/clean_room.py "$root/root/"
    timed 'sdist: apt install compiler and libraries' sh -c "$(apt g++ cmake ninja-build python3-dev python3-venv "$all_libraries")"
    timed 'sdist: pip install' sh -c 'cd && python3 -m venv v && v/bin/pip install -v *.tar.gz'
    in_root "$root" sh -c 'cd && v/bin/python -c "import sbdl; print(sbdl.DictionaryLearning(10).fit(sbdl.synthetic(200, 8, 10).signals))"' >&2
}

deb() {
    prepare
    cp build/deb/*.deb "$root/root/"
    rm -f "$root"/root/*dbgsym*
    cp -r packaging/debian/tests "$root/root/tests"
    timed 'deb: apt install sbdl python3-sbdl' sh -c "cd /root && $(apt ./sbdl_*.deb ./python3-sbdl_*.deb)"
    for test in program python; do in_root "$root" "/root/tests/$test" >&2; done
    timed 'deb: apt install libsbdl-dev, g++ and cmake' sh -c "cd /root && $(apt ./libsbdl-dev_*.deb g++ cmake make)"
    timed 'deb: build and run a program with libsbdl-dev' /root/tests/library
}

fetchcontent() {
    prepare
    mkdir "$root/root/sbdl"
    git archive HEAD | tar -x -C "$root/root/sbdl"
    timed 'FetchContent: apt install compiler and headers' sh -c "$(apt g++ cmake ninja-build "$libraries")"
    timed 'FetchContent: configure, build and run examples/embedded' sh -c 'cd /root && cmake -S sbdl/examples/embedded -B b -G Ninja &&
        cmake --build b && ctest --test-dir b --output-on-failure'
}

ways=(wheel sdist deb fetchcontent)
for way; do
    [[ " ${ways[*]} " == *" $way "* ]] || die "'$way' is not a way to install (there are: ${ways[*]})"
done
echo "commit $(git rev-parse --short HEAD), $(date -u +%F), $(sed -n 's/^model name.*: //p' /proc/cpuinfo | head -n 1), $(nproc) processors"
for way in "${@:-${ways[@]}}"; do $way; done
rm -rf "$root"
