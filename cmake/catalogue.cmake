# The arm files become part of the room formats; a change in arms/ rebuilds it.
file(GLOB arms CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/arms/*.yaml)
set(catalogue ${PROJECT_BINARY_DIR}/generated/catalogue_data.cpp)
add_custom_command(OUTPUT ${catalogue}
  COMMAND ${CMAKE_COMMAND} -DOUT=${catalogue} -P ${PROJECT_SOURCE_DIR}/cmake/embed_arms.cmake -- ${arms}
  DEPENDS ${arms} ${PROJECT_SOURCE_DIR}/cmake/embed_arms.cmake
  COMMENT "Embedding the arms" VERBATIM)
target_sources(armature_formats PRIVATE ${catalogue})
