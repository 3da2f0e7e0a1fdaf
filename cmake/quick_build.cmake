# Compiling the headers of others takes longer than compiling our own code. SBDL_QUICK_BUILD has them compiled once for
# many sources, in two ways: precompiled, and by joining all sources of a program into one (a unity build; their names
# must then not repeat). Programs and tests have both. The library is never joined and has precompiled headers only under
# sanitizers, so that its everyday build still shows a missing include.
function(sbdl_precompile target)
    if(SBDL_QUICK_BUILD)
        target_precompile_headers(${target} PRIVATE ${ARGN})
    endif()
endfunction()

function(sbdl_precompile_like target other)
    if(SBDL_QUICK_BUILD)
        target_precompile_headers(${target} REUSE_FROM ${other})
    endif()
endfunction()

function(sbdl_join_sources target)
    if(SBDL_QUICK_BUILD)
        set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_BATCH_SIZE 0)
    endif()
endfunction()
