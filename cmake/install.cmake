# What `cmake --install` leaves: headers, one static library a room, libarmature.so with its Python package, the program, and a
# package for find_package:
#   find_package(armature CONFIG REQUIRED)
#   target_link_libraries(mine PRIVATE armature::armature)      # or one room: armature::algorithms
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)
set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/armature)

get_property(rooms GLOBAL PROPERTY armature_rooms)
foreach(room IN LISTS rooms)
  set_target_properties(armature_${room} PROPERTIES EXPORT_NAME ${room})
  install(TARGETS armature_${room} EXPORT armature ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR})
  install(DIRECTORY src/armature/${room} DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/armature FILES_MATCHING PATTERN *.hpp PATTERN internal EXCLUDE)
endforeach()
set_target_properties(armature_kernels PROPERTIES EXPORT_NAME kernels)
install(TARGETS armature_kernels EXPORT armature ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR})
install(TARGETS armature EXPORT armature)
install(TARGETS armature_program RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
install(TARGETS armature_shared LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})
install(DIRECTORY python/armature DESTINATION lib/python3/dist-packages FILES_MATCHING PATTERN *.py PATTERN py.typed)
install(DIRECTORY matlab/ DESTINATION ${CMAKE_INSTALL_DATADIR}/armature/matlab FILES_MATCHING PATTERN *.m PATTERN *.c PATTERN test EXCLUDE)
install(FILES src/armature/armature.h src/armature/armature.hpp ${PROJECT_BINARY_DIR}/generated/armature/version.hpp ${PROJECT_BINARY_DIR}/generated/armature/rooms.hpp
        DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/armature)
# To read and to try; the program itself needs no file beside it.
install(FILES LICENSE README.md CHANGELOG.md SECURITY.md CITATION.cff DESTINATION ${CMAKE_INSTALL_DOCDIR})
install(DIRECTORY docs/ DESTINATION ${CMAKE_INSTALL_DOCDIR}/docs)
install(DIRECTORY arms scenarios campaigns DESTINATION ${CMAKE_INSTALL_DATADIR}/armature FILES_MATCHING PATTERN *.yaml PATTERN *.csv PATTERN *.urdf)

install(EXPORT armature NAMESPACE armature:: FILE armature-targets.cmake DESTINATION ${package_dir})
install(FILES cmake/armature-config.cmake cmake/lz4.cmake DESTINATION ${package_dir})
write_basic_package_version_file(${PROJECT_BINARY_DIR}/armature-config-version.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/armature-config-version.cmake DESTINATION ${package_dir})
