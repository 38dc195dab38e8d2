# `./dev package`, or cpack in a build folder: a .deb and a tarball of everything that install() names.
set(CPACK_GENERATOR DEB TGZ)
set(CPACK_PACKAGE_DIRECTORY ${PROJECT_SOURCE_DIR}/out/packages)
set(CPACK_PACKAGE_NAME armature)
set(CPACK_PACKAGE_VENDOR "the Armature developers")
set(CPACK_PACKAGE_CONTACT "the Armature developers")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "${PROJECT_DESCRIPTION}")
set(CPACK_RESOURCE_FILE_LICENSE ${PROJECT_SOURCE_DIR}/LICENSE)
set(CPACK_STRIP_FILES ON)

set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SECTION science)
set(CPACK_DEBIAN_PACKAGE_PROVIDES python3-armature) # import armature
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON) # what the program needs to run
# what a program that is built against the library needs, as cmake/armature-config.cmake looks for it
set(CPACK_DEBIAN_PACKAGE_RECOMMENDS "libeigen3-dev, libfmt-dev, libyaml-cpp-dev, nlohmann-json3-dev, libsundials-dev, libzstd-dev, liblz4-dev, liblzma-dev, zlib1g-dev, libsqlite3-dev, libboost-dev, libnlopt-dev, python3-numpy") # import armature
set(CPACK_DEBIAN_PACKAGE_SUGGESTS "g++, python3-pandas, python3-matplotlib, python3-sympy") # derive --build compiles; to_pandas, plot, symbolic
include(CPack)
