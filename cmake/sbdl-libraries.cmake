# Finds HDF5 as a plain library and makes the target sbdl::hdf5. Used by this build, and installed with the package,
# because a static sbdl must be linked with the same one. CMake's own FindHDF5 is not used because it needs the C language,
# which a project written only in C++ has not enabled.
function(sbdl_plain_library target header library suffix)
    if(TARGET ${target})
        return()
    endif()
    string(TOUPPER "SBDL_${library}" prefix)
    find_path(${prefix}_INCLUDE_DIR ${header} PATH_SUFFIXES ${suffix})
    find_library(${prefix}_LIBRARY ${library} PATH_SUFFIXES ${suffix})
    mark_as_advanced(${prefix}_INCLUDE_DIR ${prefix}_LIBRARY)
    if(${prefix}_INCLUDE_DIR AND ${prefix}_LIBRARY)
        add_library(${target} UNKNOWN IMPORTED)
        set_target_properties(${target} PROPERTIES
            IMPORTED_LOCATION "${${prefix}_LIBRARY}" INTERFACE_INCLUDE_DIRECTORIES "${${prefix}_INCLUDE_DIR}")
    endif()
endfunction()

sbdl_plain_library(sbdl::hdf5 hdf5.h hdf5 hdf5/serial)   # Debian keeps the serial HDF5 in a folder of its own
