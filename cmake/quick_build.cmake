# Compiling the headers of others takes longer than compiling our own code. SBDL_QUICK_BUILD has them compiled once for
# many sources, in two ways: precompiled, and by joining sources into one (a unity build), whose names must then not
# repeat. ON does so for programs and tests alone, ALL for the library, too, which then takes half of the time from nothing
# and longer after a change of one source.

# sbdl_precompile(TARGET HEADER...)
function(sbdl_precompile target)
    if(SBDL_QUICK_BUILD)
        target_precompile_headers(${target} PRIVATE ${ARGN})
    endif()
endfunction()

# sbdl_precompile_like(TARGET OTHER): with the headers that OTHER has already compiled.
function(sbdl_precompile_like target other)
    if(SBDL_QUICK_BUILD)
        target_precompile_headers(${target} REUSE_FROM ${other})
    endif()
endfunction()

# sbdl_join_sources(TARGET [TOGETHER FOLDER...] [APART NAME...]): the sources of each folder, with its subfolders, become
# one; those of the folders TOGETHER only one for them all. Sources APART repeat names of their neighbours, and are
# joined with each other. Those that include themselves, as Highway has it once per instruction set, stay alone.
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
