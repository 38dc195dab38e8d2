# law_kinds(): every line ARMATURE_LAW(kind, Settings, Class) in the room control, collected when one of its sources changes.
file(GLOB law_sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/src/armature/control/*.cpp)
list(FILTER law_sources EXCLUDE REGEX "[.]test[.]cpp$")
set(law_table ${PROJECT_BINARY_DIR}/generated/law_kinds.cpp)
add_custom_command(OUTPUT ${law_table}
  COMMAND ${CMAKE_COMMAND} -DOUT=${law_table} -P ${PROJECT_SOURCE_DIR}/cmake/collect_laws.cmake -- ${law_sources}
  DEPENDS ${law_sources} ${PROJECT_SOURCE_DIR}/cmake/collect_laws.cmake
  COMMENT "Collecting the kinds of laws" VERBATIM)
target_sources(armature_control PRIVATE ${law_table})
