# The commands of ./dev that measure: bench and same-bits. Sourced by dev, whose functions it uses.
# shellcheck shell=bash

# A venv with the packages we compare with and our wheel, made from the release build.
peers() {
    wheel release
    venv peers
    run build/python/peers/bin/python -m pip install -q --disable-pip-version-check --no-deps --force-reinstall \
        build/python/wheels/*.whl
}

# commit_of REV: its short hash.
commit_of() { git rev-parse --short --verify "$1^{commit}" || die "'$1' is not a commit"; }

# tree_of COMMIT: prints the path of its own working tree, which is made if there is none.
tree_of() {
    local tree=build/compare/$1
    [[ -e $tree/dev ]] || run git worktree add -q --force --detach "$tree" "$1" >&2 || die "the working tree of $1 could not be made"
    echo "$tree"
}

same_bits() {
    local revision tree
    (($#)) || die "same-bits needs a commit to compare this tree with"
    revision=$(commit_of "$1")
    shift
    tree=$(tree_of "$revision")
    build release sbdl_program
    (cd "$tree" && build release sbdl_program)
    venv same-bits
    run build/python/same-bits/bin/python bench/same_bits.py --old "$tree/build/release/apps/sbdl/sbdl" \
        --new build/release/apps/sbdl/sbdl "$@"
}

bench_all() {
    local options=() revision='' tree
    while (($#)); do
        (($# > 1)) || die "bench: $1 needs a value"
        case $1 in
            --compare) revision=$(commit_of "$2") ;;
            --images | --rounds) options+=("$1" "${2-}") ;;
            *) die "bench: '$1' is not an option (there are: --compare, --images, --rounds)" ;;
        esac
        shift 2
    done
    build release
    if [[ $revision ]]; then
        tree=$(tree_of "$revision")
        # Each is measured with the programs of its own tree, which use what is inside the library; figures are compared
        # by their names.
        (cd "$tree" && build release)
        options+=(--against "$tree/build/release")
    else
        peers
        options+=(--python build/python/peers/bin/python)
    fi
    run python3 bench/all.py --build build/release --out build/bench "${options[@]}"
}

bench() {
    local what=${1:---all} side
    case $what in
        --all) bench_all ;;
        --*) bench_all "$@" ;;
        denoise)
            build release sbdl_bench_denoise
            for side in 256 512; do run build/release/bench/sbdl_bench_denoise "$side"; done
            ;;
        python)
            peers
            run build/python/peers/bin/python bench/python_peers.py docs/results/python-peers.md
            ;;
        images)
            build release sbdl_program
            venv images
            shift
            # In the folder from which ./dev was called, so that FOLDER may be relative to it.
            run env -C "$OLDPWD" "$PWD/build/python/images/bin/python" "$PWD/bench/images.py" \
                --build "$PWD/build/release" --out "$PWD/build/bench" "$@"
            ;;
        *)
            [[ -e bench/$what.cpp ]] || die "bench: there is no bench/$what.cpp"
            build release "sbdl_bench_$what"
            run "build/release/bench/sbdl_bench_$what"
            ;;
    esac
}
