# Installs the build into an empty folder outside the tree, moves it, and builds a program there that knows nothing else.
#   cmake -DBUILD=folder -DCOMPILER=c++ -DLAUNCHER=ccache -DFLAGS=... -P run.cmake
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

file(COPY ${CMAKE_CURRENT_LIST_DIR}/CMakeLists.txt ${CMAKE_CURRENT_LIST_DIR}/main.cpp ${CMAKE_CURRENT_LIST_DIR}/version.cpp DESTINATION ${away}/source)
run(${CMAKE_COMMAND} --install ${BUILD} --prefix ${away}/elsewhere)
file(RENAME ${away}/elsewhere ${away}/installed) # what was installed runs from any folder
run(${CMAKE_COMMAND} -S ${away}/source -B ${away}/build -G Ninja -DCMAKE_PREFIX_PATH=${away}/installed
    -DCMAKE_CXX_COMPILER=${COMPILER} -DCMAKE_CXX_COMPILER_LAUNCHER=${LAUNCHER} "-DCMAKE_CXX_FLAGS=${FLAGS}")
run(${CMAKE_COMMAND} --build ${away}/build)
run(${away}/build/consumer)
message("${output}")
run(${away}/installed/bin/armature show rrr)
file(REMOVE_RECURSE ${away})
