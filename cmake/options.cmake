# Every option of the build, and the flags for all of our own code.
# The parts that can be left out. An embedded sbdl needs none of them: the preset minimal leaves out all.
option(SBDL_IMAGES "Image files, denoising, inpainting and reports (needs libpng, libjpeg and libtiff)" ON)
option(SBDL_HDF5 "Model files, and signals in HDF5 (needs HDF5)" ON)
option(SBDL_MAT "Signals in MATLAB files (needs zlib; version 7.3 also HDF5)" ON)
option(SBDL_BLAS "Products of matrices by a BLAS; without it by Eigen, which is slower" ON)
option(SBDL_MPI "Let mpirun share a run between processes, where MPI is found" ON)
option(SBDL_EXPERIMENTS "The verb reproduce of the program: the experiments of the paper" ON)

option(SBDL_BUILD_APPS "Build the sbdl program" ${PROJECT_IS_TOP_LEVEL})
option(SBDL_BUILD_TESTS "Build the tests" ${PROJECT_IS_TOP_LEVEL})
option(SBDL_BUILD_BENCH "Build the benchmarks" ${PROJECT_IS_TOP_LEVEL})
option(SBDL_INSTALL "Install library, headers and package" ${PROJECT_IS_TOP_LEVEL})
option(SBDL_BUILD_PYTHON "Build the extension module of the Python package (needs nanobind)" OFF)
option(SBDL_WERROR "Treat warnings as errors, as the preset dev does; compilers differ in what they warn about" OFF)
set(SBDL_QUICK_BUILD OFF CACHE STRING
    "Precompile third-party headers and join sources, which hides missing includes: OFF, ON (programs, tests), ALL")
set(SBDL_SANITIZE "" CACHE STRING "Sanitizers for everything built, e.g. address,undefined or thread")

# sbdl_needs(NAME PART...): what is built as SBDL_BUILD_NAME cannot do without these parts.
function(sbdl_needs name)
    foreach(part ${ARGN})
        if(SBDL_BUILD_${name} AND NOT SBDL_${part})
            message(FATAL_ERROR "sbdl: SBDL_BUILD_${name} needs SBDL_${part}: switch it on, or SBDL_BUILD_${name} off")
        endif()
    endforeach()
endfunction()
sbdl_needs(APPS IMAGES HDF5 MAT)
sbdl_needs(PYTHON IMAGES HDF5 MAT)
sbdl_needs(BENCH IMAGES HDF5 MAT BLAS)
sbdl_needs(TESTS IMAGES HDF5 MAT BLAS)

if(NOT CMAKE_BUILD_TYPE AND NOT CMAKE_CONFIGURATION_TYPES)
    set(CMAKE_BUILD_TYPE Release CACHE STRING "" FORCE)
endif()

add_library(sbdl_flags INTERFACE)
target_compile_features(sbdl_flags INTERFACE cxx_std_20)
target_compile_options(sbdl_flags INTERFACE -Wall -Wextra -Wpedantic -Wconversion -Wno-sign-conversion)
if(SBDL_QUICK_BUILD STREQUAL ALL AND CMAKE_CXX_COMPILER_ID STREQUAL GNU)
    target_compile_options(sbdl_flags INTERFACE -Wshadow=local)  # a local name may be a global one of another source
else()
    target_compile_options(sbdl_flags INTERFACE -Wshadow)
endif()
if(SBDL_QUICK_BUILD AND CMAKE_CXX_COMPILER_ID STREQUAL GNU)
    # Joined sources are large: without these g++ spends a tenth of its time collecting garbage.
    target_compile_options(sbdl_flags INTERFACE --param=ggc-min-expand=300 --param=ggc-min-heapsize=524288)
endif()
# Three instruction sets on x86 (the baseline, AVX2, AVX-512, chosen at run time): those in between make no difference for
# doubles and would double the build time of the kernels. Sanitizers use only 2 and 4 lanes: with their checks AVX-512
# takes as long to build as the others together, and 8 lanes come from the same source. Their baseline is SSSE3, because
# without it Highway emulates vectors by loops, which take twice as long to build.
set(lanes_left_out "HWY_SSE4|HWY_AVX3_DL")
if(SBDL_SANITIZE)
    string(APPEND lanes_left_out "|HWY_AVX3")
else()
    string(APPEND lanes_left_out "|HWY_SSSE3")
endif()
if(SBDL_SANITIZE AND CMAKE_SYSTEM_PROCESSOR MATCHES "^(x86_64|AMD64|i.86)$")
    target_compile_options(sbdl_flags INTERFACE -mssse3)
endif()
if(NOT CMAKE_SYSTEM_PROCESSOR MATCHES "^(x86_64|AMD64|i.86)$")
    # The tiles of the kernels are arrays of vectors, which is impossible if their length is only known at run time: so
    # NEON on ARM.
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
        # Without checks of every pointer: they double the build time of the kernels and add a quarter to that of the rest.
        # The address sanitizer catches a wrong pointer where it is used, and processors a vector that is not aligned.
        target_compile_options(sbdl_flags INTERFACE -fno-sanitize=null,object-size,pointer-overflow,alignment,vptr)
    endif()
endif()
