# The commands of ./dev that make wheels. Sourced by dev, whose functions it uses.
# shellcheck shell=bash

# wheel PRESET: uses the library that the preset has built and compiles none of it again. All that is in it has the time of
# the commit, so that the same commit gives the same bytes.
wheel() {
    local preset=$1 work=build/python tools=$PWD/build/python/tools/bin
    local -x SOURCE_DATE_EPOCH=${SOURCE_DATE_EPOCH:-$(git log -1 --format=%ct 2>/dev/null || echo 315532800)}
    venv tools && build "$preset" sbdl sbdl_program || return 1
    rm -rf "$work/prefix" "$work/linked" "$work/wheels"
    cmake --install "build/$preset" --prefix "$work/prefix" >"$work/install.log" || return 1
    CMAKE_BUILD_PARALLEL_LEVEL=$jobs run "$tools/pip" wheel . -q --disable-pip-version-check --no-deps \
        --no-build-isolation -w "$work/linked" --config-settings=build-dir="$work/$preset" \
        --config-settings=cmake.source-dir=python --config-settings=cmake.define.sbdl_ROOT="$PWD/$work/prefix" \
        --config-settings=cmake.define.SBDL_WERROR=ON \
        --config-settings=cmake.define.CMAKE_EXPORT_COMPILE_COMMANDS=ON || return 1
    repair "$work/linked" "$work/wheels"
}

# repair LINKED OUT: copies the libraries that the wheels in a folder link to into them, with their licences.
repair() {
    local tools=$PWD/build/python/tools/bin
    say "+ auditwheel repair $1/*.whl -w $2"
    PATH=$tools:$PATH auditwheel repair "$1"/*.whl -w "$2" >"$1/repair.log" 2>&1 || {
        cat "$1/repair.log" >&2
        return 1
    }
    run "$tools/python" python/finish_wheel.py "$2"/*.whl
}

# wheels PYTHON...: a wheel for each of these interpreters, made from the sources as pip makes it, unless one that is there
# already serves it. Each is tried with its wheel and NumPy alone.
wheels() {
    local work=build/wheels python try
    local -x SOURCE_DATE_EPOCH=${SOURCE_DATE_EPOCH:-$(git log -1 --format=%ct)}
    venv tools
    rm -rf "$work" && mkdir -p "$work"
    for python; do
        try=$work/with-$("$python" -c 'import sys; print("%d.%d" % sys.version_info[:2])')
        run "$python" -m venv "$try"
        if ! "$try/bin/pip" install -q --no-index --no-deps --find-links "$work" sbdl 2>/dev/null; then
            CMAKE_BUILD_PARALLEL_LEVEL=$jobs run "$try/bin/pip" wheel . -q --no-deps -w "$try/linked"
            repair "$try/linked" "$try/wheel"
            mv "$try"/wheel/*.whl "$work/"
            run "$try/bin/pip" install -q --no-index --no-deps --find-links "$work" sbdl
        fi
        run "$try/bin/pip" install -q numpy
        (cd "$work" && run env -i "$OLDPWD/$try/bin/python" -I "$OLDPWD/python/tests/clean_room.py")
    done
    ls "$work"/*.whl
}

# Builds the wheel twice, the module from nothing each time, and compares the files.
wheel_twice() {
    local first=build/python/first-wheel
    wheel release || return 1
    rm -rf "$first" && mv build/python/wheels "$first" && rm -rf build/python/release && wheel release || return 1
    run cmp "$first"/*.whl build/python/wheels/*.whl && say "dev: the same bytes twice" && sha256sum build/python/wheels/*.whl
}
