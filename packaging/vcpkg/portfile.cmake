# A port of the tree that it lies in: vcpkg install sbdl --overlay-ports=packaging/vcpkg
# A port for the registry takes the sources from a release instead (vcpkg_from_git or vcpkg_from_github).
vcpkg_check_linkage(ONLY_STATIC_LIBRARY)
get_filename_component(SOURCE_PATH "${CMAKE_CURRENT_LIST_DIR}/../.." ABSOLUTE)
vcpkg_check_features(OUT_FEATURE_OPTIONS features
    FEATURES blas SBDL_BLAS hdf5 SBDL_HDF5 images SBDL_IMAGES mat SBDL_MAT)
vcpkg_cmake_configure(SOURCE_PATH "${SOURCE_PATH}" OPTIONS ${features} -DSBDL_BUILD_APPS=OFF -DSBDL_EXPERIMENTS=OFF
    -DSBDL_BUILD_TESTS=OFF -DSBDL_BUILD_BENCH=OFF)
vcpkg_cmake_install()
vcpkg_cmake_config_fixup(CONFIG_PATH lib/cmake/sbdl)
file(INSTALL "${CMAKE_CURRENT_LIST_DIR}/usage" DESTINATION "${CURRENT_PACKAGES_DIR}/share/${PORT}")
file(REMOVE_RECURSE "${CURRENT_PACKAGES_DIR}/debug/include" "${CURRENT_PACKAGES_DIR}/debug/share")
vcpkg_install_copyright(FILE_LIST "${SOURCE_PATH}/LICENSE")
