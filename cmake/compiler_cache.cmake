# pip gives no way to name a compiler launcher, so a package for Python is built with ccache if there is one.
if(SKBUILD AND NOT DEFINED CMAKE_CXX_COMPILER_LAUNCHER AND NOT DEFINED ENV{CMAKE_CXX_COMPILER_LAUNCHER})
    find_program(SBDL_CCACHE ccache)
    mark_as_advanced(SBDL_CCACHE)
    if(SBDL_CCACHE)
        message(STATUS "sbdl: compiling with ${SBDL_CCACHE}")
        # It works with precompiled headers only with these, and in the folder that pip unpacks to, which is always
        # another, only with paths relative to it.
        set(CMAKE_CXX_COMPILER_LAUNCHER ${CMAKE_COMMAND} -E env CCACHE_BASEDIR=${PROJECT_SOURCE_DIR}
            CCACHE_SLOPPINESS=pch_defines,time_macros,include_file_mtime,include_file_ctime ${SBDL_CCACHE})
    endif()
endif()
