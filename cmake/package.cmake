# `make package`: a package of Debian with all that `cmake --install` puts under its prefix.
set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_CONTACT "The Yoke authors <yoke@localhost>")
set(CPACK_PACKAGE_DIRECTORY ${PROJECT_BINARY_DIR}/packages)
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_STRIP_FILES ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SECTION science)
set(CPACK_DEBIAN_PACKAGE_DESCRIPTION  # below the project's own, as the first line
  "The program yoke, and libyoke for programs of one's own, over LibTorch.")

# What the program is linked with is found by dpkg-shlibdeps.
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
if(YOKE_OPENBLAS_DIR)
  set(CPACK_DEBIAN_PACKAGE_DEPENDS libopenblas0-openmp)
endif()
set(CPACK_DEBIAN_PACKAGE_RECOMMENDS "gnuplot-nox, openssh-client")  # reports; ranks on other hosts

# What programs with libyoke need to be built: of the packages that build Yoke.
execute_process(COMMAND ${PROJECT_SOURCE_DIR}/scripts/install-dependencies --list
                OUTPUT_VARIABLE listed OUTPUT_STRIP_TRAILING_WHITESPACE)
string(REPLACE "\n" ";" listed "${listed}")
list(FILTER listed INCLUDE REGEX "-dev$|^(g[+][+]|make|cmake|pkg-config|protobuf-compiler)$")
list(FILTER listed EXCLUDE REGEX "^lib(gtest|gmock|cli11)-dev$")
list(JOIN listed ", " CPACK_DEBIAN_PACKAGE_SUGGESTS)
include(CPack)
