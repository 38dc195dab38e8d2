# libarmature.so: armature.h for other languages. It exports the names of src/armature/c/armature.map and nothing else.
add_library(armature_shared SHARED $<TARGET_OBJECTS:armature_c> $<TARGET_OBJECTS:armature_verbs>)
target_link_libraries(armature_shared PRIVATE armature::armature armature_studies CLI11::CLI11 nlohmann_json::nlohmann_json)
set(map ${PROJECT_SOURCE_DIR}/src/armature/c/armature.map)
target_link_options(armature_shared PRIVATE -Wl,--version-script=${map} -Wl,--no-undefined -Wl,--gc-sections -Wl,-Bsymbolic)
set_target_properties(armature_shared PROPERTIES OUTPUT_NAME armature LINKER_LANGUAGE CXX LINK_DEPENDS ${map}
  VERSION ${PROJECT_VERSION} SOVERSION 0
  BUILD_WITH_INSTALL_RPATH ON INSTALL_RPATH "$ORIGIN") # in a wheel what it needs lies beside it
