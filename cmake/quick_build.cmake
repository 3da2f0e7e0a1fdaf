# Compiling third-party headers takes longer than compiling our own code. With SBDL_QUICK_BUILD they are compiled once
# for many sources, in two ways: precompiled, and by joining sources into one (a unity build), in which no name may occur
# twice. ON does this only for programs and tests, ALL also for the library, which then takes half the time to build
# from scratch and longer after a change of one source.

# sbdl_precompile(TARGET HEADER...)
function(sbdl_precompile target)
    if(SBDL_QUICK_BUILD)
        target_precompile_headers(${target} PRIVATE ${ARGN})
    endif()
endfunction()

# sbdl_precompile_like(TARGET OTHER): reuses the headers that OTHER has already compiled.
function(sbdl_precompile_like target other)
    if(SBDL_QUICK_BUILD)
        target_precompile_headers(${target} REUSE_FROM ${other})
    endif()
endfunction()

# sbdl_join_sources(TARGET [TOGETHER FOLDER...] [APART NAME...]): joins the sources of each folder, with its subfolders,
# into one; the folders TOGETHER become a single one. Sources APART, which repeat names of their neighbours, are joined
# with each other. Sources that include themselves, as Highway does once per instruction set, stay alone.
function(sbdl_join_sources target)
    if(NOT SBDL_QUICK_BUILD)
        return()
    endif()
    cmake_parse_arguments(join "" "" "TOGETHER;APART" ${ARGN})
    get_target_property(top ${target} SOURCE_DIR)
    get_target_property(sources ${target} SOURCES)
    foreach(source ${sources})
        cmake_path(ABSOLUTE_PATH source BASE_DIRECTORY ${top} OUTPUT_VARIABLE path)
        file(STRINGS ${path} includes_itself LIMIT_COUNT 1 REGEX "define HWY_TARGET_INCLUDE")
        if(includes_itself)
            continue()
        endif()
        cmake_path(RELATIVE_PATH path BASE_DIRECTORY ${top})
        cmake_path(GET path FILENAME name)
        string(REGEX REPLACE "/.*" "" group ${path})
        if(name IN_LIST join_APART)
            set(group apart)
        elseif(group STREQUAL name OR group STREQUAL ".." OR group IN_LIST join_TOGETHER)
            set(group together)
        endif()
        set_source_files_properties(${source} TARGET_DIRECTORY ${target} PROPERTIES UNITY_GROUP ${group})
    endforeach()
    set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_MODE GROUP)
endfunction()
