# Installs the build into an empty folder outside the tree, moves it, and builds a program there that knows nothing else.
#   cmake -DBUILD=folder -DCOMPILER=c++ -DLAUNCHER=ccache -DFLAGS=... -DFOR_PYTHON=NAME=VALUE... -P run.cmake
cmake_minimum_required(VERSION 3.22)
execute_process(COMMAND mktemp -d OUTPUT_VARIABLE away OUTPUT_STRIP_TRAILING_WHITESPACE COMMAND_ERROR_IS_FATAL ANY)

function(run)
  execute_process(COMMAND ${ARGN} RESULT_VARIABLE status OUTPUT_VARIABLE output ERROR_VARIABLE output)
  if(NOT status EQUAL 0)
    file(REMOVE_RECURSE ${away})
    list(JOIN ARGN " " command)
    message(FATAL_ERROR "${command}\nended with ${status}:\n${output}")
  endif()
  set(output "${output}" PARENT_SCOPE)
endfunction()

file(COPY ${CMAKE_CURRENT_LIST_DIR}/CMakeLists.txt ${CMAKE_CURRENT_LIST_DIR}/main.cpp ${CMAKE_CURRENT_LIST_DIR}/version.cpp
     ${CMAKE_CURRENT_LIST_DIR}/../../examples/4_whole_chain.cpp DESTINATION ${away}/source)
run(${CMAKE_COMMAND} --install ${BUILD} --prefix ${away}/elsewhere)
file(RENAME ${away}/elsewhere ${away}/installed) # what was installed runs from any folder
run(${CMAKE_COMMAND} -S ${away}/source -B ${away}/build -G Ninja -DCMAKE_PREFIX_PATH=${away}/installed
    -DCMAKE_CXX_COMPILER=${COMPILER} -DCMAKE_CXX_COMPILER_LAUNCHER=${LAUNCHER} "-DCMAKE_CXX_FLAGS=${FLAGS}")
run(${CMAKE_COMMAND} --build ${away}/build)
run(${away}/build/consumer)
message("${output}")
run(${away}/installed/bin/armature show rrr)
find_program(python python3 PATHS /usr/bin NO_DEFAULT_PATH) # the one that apt installs numpy for
execute_process(COMMAND ${python} -c "import numpy" RESULT_VARIABLE without_numpy ERROR_QUIET)
if(NOT without_numpy)
  run(${CMAKE_COMMAND} -E env ${FOR_PYTHON} PYTHONPATH=${away}/installed/lib/python3/dist-packages
      ${python} -c "import armature, os; assert armature.load('rrr').dof == 3; print(armature.__file__)")
endif()
# the whole chain from C++: a URDF and a log become an identified arm, a controlled run and a page
run(${away}/installed/bin/armature export rrr -o ${away}/rrr.urdf)
run(${away}/installed/bin/armature simulate ${CMAKE_CURRENT_LIST_DIR}/../demo/shake.yaml -o ${away}/shaken)
run(${CMAKE_COMMAND} -E chdir ${away} ${away}/build/whole_chain rrr.urdf shaken/log.csv page.html)
message("${output}")
file(READ ${away}/page.html page LIMIT 15)
if(NOT page MATCHES "^<!doctype html>" OR NOT output MATCHES "ends at 0.50 rad")
  message(FATAL_ERROR "the whole chain gives no page, or does not reach its target")
endif()
file(REMOVE_RECURSE ${away})
