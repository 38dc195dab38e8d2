# The page's template becomes part of the room report; built from web/ by `npm run build`, committed, needs no node here.
set(page ${PROJECT_BINARY_DIR}/generated/page_template.cpp)
add_custom_command(OUTPUT ${page}
  COMMAND ${CMAKE_COMMAND} -DIN=${PROJECT_SOURCE_DIR}/web/dist/page.html -DOUT=${page} -P ${PROJECT_SOURCE_DIR}/cmake/embed_page.cmake
  DEPENDS ${PROJECT_SOURCE_DIR}/web/dist/page.html ${PROJECT_SOURCE_DIR}/cmake/embed_page.cmake
  COMMENT "Embedding the page" VERBATIM)
set_source_files_properties(${page} PROPERTIES SKIP_PRECOMPILE_HEADERS ON SKIP_UNITY_BUILD_INCLUSION ON)
target_sources(armature_report PRIVATE ${page})
