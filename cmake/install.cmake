# What `cmake --install` puts under its prefix: the program, the library, its headers, the recipes,
# manual pages, completion for shells, the documents.
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

# Manual pages and completion, which the program writes of its own commands.
set(share ${PROJECT_BINARY_DIR}/share)
set(bash ${share}/bash-completion/completions)
set(zsh ${share}/zsh/vendor-completions)
add_custom_command(OUTPUT ${share}/man/man1/yoke.1 ${bash}/yoke ${zsh}/_yoke
  COMMAND ${CMAKE_COMMAND} -E rm -rf ${share}
  COMMAND ${CMAKE_COMMAND} -E make_directory ${bash} ${zsh}
  COMMAND yoke_program man --out ${share}/man/man1
  COMMAND yoke_program completion bash --out ${bash}/yoke
  COMMAND yoke_program completion zsh --out ${zsh}/_yoke
  DEPENDS yoke_program VERBATIM)
add_custom_target(yoke_share ALL DEPENDS ${share}/man/man1/yoke.1)
install(DIRECTORY ${share}/ DESTINATION ${CMAKE_INSTALL_DATADIR})

set(documents ${CMAKE_INSTALL_DATADIR}/doc/yoke)
install(FILES ${PROJECT_SOURCE_DIR}/LICENSE DESTINATION ${documents} RENAME copyright)
install(FILES ${PROJECT_SOURCE_DIR}/README.md ${PROJECT_SOURCE_DIR}/CHANGELOG.md
              ${PROJECT_SOURCE_DIR}/CONTRIBUTING.md DESTINATION ${documents})
install(DIRECTORY ${PROJECT_SOURCE_DIR}/docs ${PROJECT_SOURCE_DIR}/examples
        DESTINATION ${documents})
