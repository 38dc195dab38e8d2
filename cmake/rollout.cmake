# codegen/compiled/rollout.hpp and what stands beside it become part of the room codegen, which writes them before the functions of an arm.
set(rollout ${PROJECT_BINARY_DIR}/generated/rollout_header.cpp)
set(rollout_folder ${PROJECT_SOURCE_DIR}/src/armature/codegen/compiled)
set(rollout_parts device_arrays rollout_layout rollout_numbers rollout rollout_metrics device_rollout_work)
list(TRANSFORM rollout_parts REPLACE "(.+)" "${rollout_folder}/\\1.hpp")
add_custom_command(OUTPUT ${rollout}
  COMMAND ${CMAKE_COMMAND} -DFOLDER=${rollout_folder} -DOUT=${rollout} -P ${PROJECT_SOURCE_DIR}/cmake/embed_rollout.cmake
  DEPENDS ${rollout_parts} ${PROJECT_SOURCE_DIR}/cmake/embed_rollout.cmake
  COMMENT "Embedding the closed loop" VERBATIM)
set_source_files_properties(${rollout} PROPERTIES SKIP_PRECOMPILE_HEADERS ON SKIP_UNITY_BUILD_INCLUSION ON)
target_sources(armature_codegen PRIVATE ${rollout})

# What runs the loop in lockstep computes, though its room puts parts together (ARMATURE_LIGHT): it is compiled as the preset says.
if(ARMATURE_LIGHT)
  set_source_files_properties(${PROJECT_SOURCE_DIR}/src/armature/campaign/lockstep.cpp PROPERTIES
    COMPILE_OPTIONS -O2 SKIP_PRECOMPILE_HEADERS ON SKIP_UNITY_BUILD_INCLUSION ON)
endif()
