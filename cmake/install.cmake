# What `cmake --install` installs: library, headers, the package for find_package(sbdl), program, licence.
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)

set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/sbdl)
install(TARGETS sbdl EXPORT sbdl-targets)
set(left_out "")
if(NOT SBDL_IMAGES)
    set(left_out REGEX
        "/(denoise|denoise_signal|denoise_stack|image_stack|incomplete_image|inpaint|inpaint_report|quality|report|stack_report).hpp$"
        EXCLUDE)
endif()
install(DIRECTORY ${PROJECT_SOURCE_DIR}/include/sbdl ${PROJECT_BINARY_DIR}/include/sbdl
    DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} FILES_MATCHING PATTERN "*.hpp" ${left_out})
install(EXPORT sbdl-targets NAMESPACE sbdl:: DESTINATION ${package_dir})

get_target_property(library_type sbdl TYPE)
if(library_type STREQUAL SHARED_LIBRARY)
    set(SBDL_IS_SHARED TRUE)
else()
    set(SBDL_IS_SHARED FALSE)
endif()
set(SBDL_PARTS "")
foreach(part images hdf5 mat blas)
    string(TOUPPER SBDL_${part} option)
    if(${option})
        list(APPEND SBDL_PARTS ${part})
    endif()
endforeach()
configure_package_config_file(${PROJECT_SOURCE_DIR}/cmake/sbdl-config.cmake.in ${PROJECT_BINARY_DIR}/sbdl-config.cmake
    INSTALL_DESTINATION ${package_dir})
# Before 1.0 a minor version may change the interface.
write_basic_package_version_file(${PROJECT_BINARY_DIR}/sbdl-config-version.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/sbdl-config.cmake ${PROJECT_BINARY_DIR}/sbdl-config-version.cmake
    ${PROJECT_SOURCE_DIR}/cmake/sbdl-libraries.cmake DESTINATION ${package_dir})

if(TARGET sbdl_program)
    # Finds a shared sbdl relative to itself, so that the whole tree can be moved.
    file(RELATIVE_PATH bin_to_lib ${CMAKE_INSTALL_FULL_BINDIR} ${CMAKE_INSTALL_FULL_LIBDIR})
    set_target_properties(sbdl_program PROPERTIES INSTALL_RPATH "$ORIGIN/${bin_to_lib}")
    install(TARGETS sbdl_program)
    if(NOT CMAKE_CROSSCOMPILING)  # the program prints its completions and manual pages itself
        install(CODE "set(program \"$<TARGET_FILE:sbdl_program>\")
set(text \"${PROJECT_BINARY_DIR}/text\")
set(completions \"\${CMAKE_INSTALL_PREFIX}/${CMAKE_INSTALL_DATAROOTDIR}\")
set(manuals \"\${CMAKE_INSTALL_PREFIX}/${CMAKE_INSTALL_MANDIR}/man1\")
include(\"${PROJECT_SOURCE_DIR}/cmake/install_text.cmake\")")
    endif()
endif()
install(FILES ${PROJECT_SOURCE_DIR}/LICENSE DESTINATION ${CMAKE_INSTALL_DOCDIR})
