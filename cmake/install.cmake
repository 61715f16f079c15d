# What `cmake --install` puts under its prefix: the program, the library, its headers, the recipes.
include(CMakePackageConfigHelpers)
include(GNUInstallDirs)

set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/yoke)
install(TARGETS yoke_program RUNTIME)
install(TARGETS yoke EXPORT yoke ARCHIVE)
install(EXPORT yoke DESTINATION ${package_dir} NAMESPACE yoke:: FILE yokeTargets.cmake)
install(DIRECTORY ${PROJECT_SOURCE_DIR}/yoke DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}
        FILES_MATCHING PATTERN *.h PATTERN pch.h EXCLUDE)
install(DIRECTORY ${PROJECT_SOURCE_DIR}/recipes DESTINATION ${CMAKE_INSTALL_DATADIR}/yoke)

configure_package_config_file(${PROJECT_SOURCE_DIR}/cmake/yokeConfig.cmake.in
  ${PROJECT_BINARY_DIR}/yokeConfig.cmake INSTALL_DESTINATION ${package_dir})
write_basic_package_version_file(${PROJECT_BINARY_DIR}/yokeConfigVersion.cmake
  COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/yokeConfig.cmake ${PROJECT_BINARY_DIR}/yokeConfigVersion.cmake
              ${PROJECT_SOURCE_DIR}/cmake/libraries.cmake DESTINATION ${package_dir})
