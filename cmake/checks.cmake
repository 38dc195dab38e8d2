# Tests of the text and of the installed package. The test programs of the rooms come from cmake/rooms.cmake.
if(NOT ARMATURE_TESTS)
  return()
endif()
find_program(Python3_EXECUTABLE python3 PATHS /usr/bin NO_DEFAULT_PATH) # the Python that apt installs numpy for
find_package(Python3 REQUIRED COMPONENTS Interpreter)

add_test(NAME layers COMMAND ${Python3_EXECUTABLE} ${PROJECT_SOURCE_DIR}/tools/check_layers.py ${PROJECT_SOURCE_DIR})
add_test(NAME layers_rules COMMAND ${Python3_EXECUTABLE} ${PROJECT_SOURCE_DIR}/tools/check_layers.test.py)
add_test(NAME definitions COMMAND ${Python3_EXECUTABLE} ${PROJECT_SOURCE_DIR}/tools/check_definitions.py ${PROJECT_SOURCE_DIR})
add_test(NAME definitions_rules COMMAND ${Python3_EXECUTABLE} ${PROJECT_SOURCE_DIR}/tools/check_definitions.test.py)
add_test(NAME settings COMMAND ${Python3_EXECUTABLE} ${PROJECT_SOURCE_DIR}/tools/check_settings.py ${PROJECT_SOURCE_DIR})
add_test(NAME settings_rules COMMAND ${Python3_EXECUTABLE} ${PROJECT_SOURCE_DIR}/tools/check_settings.test.py)
add_test(NAME front_door COMMAND ${Python3_EXECUTABLE} ${PROJECT_SOURCE_DIR}/tools/check_front_door.py ${PROJECT_SOURCE_DIR})
add_test(NAME front_door_rules COMMAND ${Python3_EXECUTABLE} ${PROJECT_SOURCE_DIR}/tools/check_front_door.test.py)
add_test(NAME dev_on_other_machines COMMAND ${Python3_EXECUTABLE} ${PROJECT_SOURCE_DIR}/tools/dev.test.py)
add_test(NAME headers COMMAND ${Python3_EXECUTABLE} ${PROJECT_SOURCE_DIR}/tools/check_headers.py ${PROJECT_BINARY_DIR})
add_test(NAME catalogue COMMAND ${Python3_EXECUTABLE} ${PROJECT_SOURCE_DIR}/tools/check_catalogue.py)
add_test(NAME readme COMMAND ${Python3_EXECUTABLE} ${PROJECT_SOURCE_DIR}/tools/check_readme.py ${PROJECT_BINARY_DIR})
add_test(NAME consumer COMMAND ${CMAKE_COMMAND}
         -DBUILD=${PROJECT_BINARY_DIR} -DCOMPILER=${CMAKE_CXX_COMPILER} -DLAUNCHER=${ARMATURE_CCACHE} -DFLAGS=${CMAKE_CXX_FLAGS}
         -P ${PROJECT_SOURCE_DIR}/tools/consumer/run.cmake)
add_test(NAME c_interface COMMAND ${Python3_EXECUTABLE} ${PROJECT_SOURCE_DIR}/tools/check_c_interface.py $<TARGET_FILE:armature_shared> ${PROJECT_BINARY_DIR}/generated)
set_tests_properties(c_interface PROPERTIES LABELS package)
if(NOT CMAKE_CXX_FLAGS MATCHES "-fsanitize") # it counts blocks of glibc's heap
  set(kept_blocks ${Python3_EXECUTABLE} ${PROJECT_SOURCE_DIR}/tests/c/kept_blocks.test.py $<TARGET_FILE:armature_shared>)
  add_test(NAME c_memory COMMAND ${kept_blocks})
  add_test(NAME c_memory_long CONFIGURATIONS long COMMAND ${kept_blocks}) # 1e5 loads and identifications
  set_tests_properties(c_memory c_memory_long PROPERTIES SKIP_RETURN_CODE 77)
  set_tests_properties(c_memory_long PROPERTIES LABELS long TIMEOUT 14400 ENVIRONMENT ARMATURE_LONG_TESTS=1)
endif()
set(python_tests ${PROJECT_SOURCE_DIR}/python/tests) # skipped where numpy or pytest is missing
set(python_environment "ARMATURE_LIBRARY=$<TARGET_FILE:armature_shared>;ARMATURE_PROGRAM=$<TARGET_FILE:armature_program>;PYTHONDONTWRITEBYTECODE=1")
if(CMAKE_CXX_FLAGS MATCHES "-fsanitize") # Python is not built so: what watches the library has to be there before it, and what throws
  foreach(name libasan libstdc++)
    execute_process(COMMAND ${CMAKE_CXX_COMPILER} -print-file-name=${name}.so OUTPUT_VARIABLE found OUTPUT_STRIP_TRAILING_WHITESPACE)
    list(APPEND preloaded ${found})
  endforeach()
  list(JOIN preloaded ":" preloaded)
  string(APPEND python_environment ";LD_PRELOAD=${preloaded};ASAN_OPTIONS=detect_leaks=0") # Python keeps blocks to its end
endif()
add_test(NAME python COMMAND ${Python3_EXECUTABLE} ${python_tests}/run.py ${python_tests} --ignore=${python_tests}/test_notebooks.py)
add_test(NAME notebooks COMMAND ${Python3_EXECUTABLE} ${python_tests}/run.py ${python_tests}/test_notebooks.py)
set_tests_properties(python notebooks PROPERTIES SKIP_RETURN_CODE 77 TIMEOUT 600 ENVIRONMENT "${python_environment}")
add_test(NAME python_long CONFIGURATIONS long COMMAND ${Python3_EXECUTABLE} ${python_tests}/run.py ${python_tests}/test_errors.py)
set_tests_properties(python_long PROPERTIES LABELS long SKIP_RETURN_CODE 77 TIMEOUT 14400
  ENVIRONMENT "${python_environment};ARMATURE_LONG_TESTS=1")
add_test(NAME python_wheel COMMAND ${Python3_EXECUTABLE} ${PROJECT_SOURCE_DIR}/python/tests/wheel.py ${PROJECT_BINARY_DIR})
set_tests_properties(python_wheel PROPERTIES LABELS package SKIP_RETURN_CODE 77 TIMEOUT 600)
add_test(NAME octave COMMAND ${Python3_EXECUTABLE} ${PROJECT_SOURCE_DIR}/matlab/test/run.py $<TARGET_FILE:armature_shared> $<TARGET_FILE:armature_program>)
set_tests_properties(octave PROPERTIES SKIP_RETURN_CODE 77 TIMEOUT 300) # skipped where Octave cannot compile MEX files
add_subdirectory(${PROJECT_SOURCE_DIR}/tests/cli)
foreach(part unit build page frames) # what the page computes, and pages as a browser shows them; skipped where node, its packages or a browser are missing
  add_test(NAME web_${part} COMMAND ${PROJECT_SOURCE_DIR}/web/test/run.sh ${part})
  set_tests_properties(web_${part} PROPERTIES LABELS web SKIP_RETURN_CODE 77 TIMEOUT 600 ENVIRONMENT "ARMATURE_PROGRAM=$<TARGET_FILE:armature_program>")
endforeach()
add_test(NAME docs COMMAND ${Python3_EXECUTABLE} ${PROJECT_SOURCE_DIR}/tools/docs/build.py ${PROJECT_BINARY_DIR} ${PROJECT_BINARY_DIR}/site --quick)
set_tests_properties(docs PROPERTIES LABELS text SKIP_RETURN_CODE 77)
add_test(NAME snippets COMMAND ${Python3_EXECUTABLE} ${PROJECT_SOURCE_DIR}/tools/docs/snippets.py ${PROJECT_BINARY_DIR})
set_tests_properties(snippets PROPERTIES LABELS text)
add_test(NAME law_pages COMMAND ${Python3_EXECUTABLE} ${PROJECT_SOURCE_DIR}/tools/docs/law_pages.py $<TARGET_FILE:armature_program> --check)
set_tests_properties(law_pages PROPERTIES LABELS text)
add_test(NAME coverage COMMAND ${Python3_EXECUTABLE} ${PROJECT_SOURCE_DIR}/tools/docs/coverage.py --check)
set_tests_properties(coverage PROPERTIES LABELS text)
add_test(NAME estimator_plots COMMAND ${Python3_EXECUTABLE} ${PROJECT_SOURCE_DIR}/tools/docs/estimator_plots.py --check)
set_tests_properties(estimator_plots PROPERTIES LABELS text)
set_tests_properties(headers PROPERTIES LABELS text PROCESSORS 2)
set_tests_properties(layers layers_rules definitions definitions_rules settings settings_rules dev_on_other_machines readme PROPERTIES LABELS text)
set_tests_properties(catalogue PROPERTIES LABELS text SKIP_RETURN_CODE 77)
set_tests_properties(consumer PROPERTIES LABELS package)
# The longest begin first, so that no core waits for another at the end (as do cli_simulate and demo).
set_tests_properties(codegen PROPERTIES COST 150)
set_tests_properties(web_page PROPERTIES COST 100)
set_tests_properties(identification PROPERTIES COST 90)
