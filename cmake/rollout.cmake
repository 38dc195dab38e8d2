# codegen/compiled/rollout.hpp becomes part of the room codegen, which writes it before the functions of an arm.
set(rollout ${PROJECT_BINARY_DIR}/generated/rollout_header.cpp)
set(rollout_source ${PROJECT_SOURCE_DIR}/src/armature/codegen/compiled/rollout.hpp)
add_custom_command(OUTPUT ${rollout}
  COMMAND ${CMAKE_COMMAND} -DIN=${rollout_source} -DOUT=${rollout} -P ${PROJECT_SOURCE_DIR}/cmake/embed_rollout.cmake
  DEPENDS ${rollout_source} ${PROJECT_SOURCE_DIR}/cmake/embed_rollout.cmake
  COMMENT "Embedding the closed loop" VERBATIM)
set_source_files_properties(${rollout} PROPERTIES SKIP_PRECOMPILE_HEADERS ON SKIP_UNITY_BUILD_INCLUSION ON)
target_sources(armature_codegen PRIVATE ${rollout})
