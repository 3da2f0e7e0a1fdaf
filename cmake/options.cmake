# Every switch of the build, and the flags that hold for all of our own code.
option(SBDL_BUILD_APPS "Build the sbdl program" ON)
option(SBDL_BUILD_TESTS "Build the tests" ${PROJECT_IS_TOP_LEVEL})
option(SBDL_BUILD_BENCH "Build the benchmarks" ${PROJECT_IS_TOP_LEVEL})
option(SBDL_BUILD_PYTHON "Build the extension module of the Python package (needs nanobind)" OFF)
option(SBDL_WITH_MATIO "Read MATLAB .mat files (needs matio)" ON)
option(SBDL_WERROR "Treat warnings as errors" ${PROJECT_IS_TOP_LEVEL})
set(SBDL_QUICK_BUILD OFF CACHE STRING
    "Precompile headers of others and join sources, which hides missing includes: OFF, ON (programs, tests), ALL")
set(SBDL_SANITIZE "" CACHE STRING "Sanitizers for everything built, e.g. address,undefined or thread")

if(NOT CMAKE_BUILD_TYPE AND NOT CMAKE_CONFIGURATION_TYPES)
    set(CMAKE_BUILD_TYPE Release CACHE STRING "" FORCE)
endif()

add_library(sbdl_flags INTERFACE)
target_compile_features(sbdl_flags INTERFACE cxx_std_20)
target_compile_options(sbdl_flags INTERFACE -Wall -Wextra -Wpedantic -Wconversion -Wno-sign-conversion)
if(SBDL_QUICK_BUILD STREQUAL ALL AND CMAKE_CXX_COMPILER_ID STREQUAL GNU)
    target_compile_options(sbdl_flags INTERFACE -Wshadow=local)  # a local name may be a neighbour's global one
else()
    target_compile_options(sbdl_flags INTERFACE -Wshadow)
endif()
# Three instruction sets on x86 (SSE2, AVX2, AVX-512, chosen at run time): the steps between them change nothing for
# doubles and would double the time it takes to build the kernels. Sanitizers see them on 2 and 4 lanes only: their
# checks make AVX-512 take as long to build as the others together, and 8 lanes come from the same source.
set(lanes_left_out "HWY_SSSE3|HWY_SSE4|HWY_AVX3_DL")
if(SBDL_SANITIZE)
    string(APPEND lanes_left_out "|HWY_AVX3")
endif()
if(NOT CMAKE_SYSTEM_PROCESSOR MATCHES "^(x86_64|AMD64|i.86)$")
    # Vectors whose length is known only at run time cannot be kept in arrays, as the kernels' tiles are: NEON on ARM.
    string(APPEND lanes_left_out "|HWY_SVE|HWY_SVE2|HWY_SVE_256|HWY_SVE2_128|HWY_RVV")
endif()
target_compile_definitions(sbdl_flags INTERFACE "HWY_DISABLED_TARGETS=(${lanes_left_out})")
if(SBDL_WERROR)
    target_compile_options(sbdl_flags INTERFACE -Werror)
endif()
if(SBDL_SANITIZE)
    target_compile_options(sbdl_flags INTERFACE -fsanitize=${SBDL_SANITIZE} -fno-omit-frame-pointer -fno-sanitize-recover=all)
    target_link_options(sbdl_flags INTERFACE -fsanitize=${SBDL_SANITIZE})
    if(SBDL_SANITIZE MATCHES address AND SBDL_SANITIZE MATCHES undefined)
        # Checks of each pointer that is made: they double the time it takes to build the kernels, and a pointer that is
        # wrong is caught by the address sanitizer where it is used.
        target_compile_options(sbdl_flags INTERFACE -fno-sanitize=null,object-size,pointer-overflow)
    endif()
endif()
