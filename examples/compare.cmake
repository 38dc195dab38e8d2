# Runs PROGRAM and compares what it prints with the file RECORDED.
execute_process(COMMAND ${PROGRAM} OUTPUT_VARIABLE printed RESULT_VARIABLE status)
file(READ ${RECORDED} recorded)
if(NOT status EQUAL 0)
  message(FATAL_ERROR "${PROGRAM} ended with ${status}:\n${printed}")
endif()
if(NOT printed STREQUAL recorded)
  message(FATAL_ERROR "${PROGRAM} prints\n${printed}\nbut ${RECORDED} says\n${recorded}")
endif()
