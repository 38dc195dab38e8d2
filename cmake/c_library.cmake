# libarmature.so: armature.h for other languages. It exports the names of src/armature/c/armature.map and nothing else. It is a program
# too, for the dynamic linker: armature_command() runs verbs in a process of their own wherever the library is.
execute_process(COMMAND ${CMAKE_CXX_COMPILER} -print-file-name=Scrt1.o OUTPUT_VARIABLE program_start OUTPUT_STRIP_TRAILING_WHITESPACE)
function(armature_c_library target)
  add_library(${target} SHARED $<TARGET_OBJECTS:armature_c> $<TARGET_OBJECTS:armature_verbs> ${PROJECT_SOURCE_DIR}/apps/armature/main.cpp ${ARGN})
  target_link_libraries(${target} PRIVATE armature::armature armature_studies CLI11::CLI11 nlohmann_json::nlohmann_json)
  set(map ${PROJECT_SOURCE_DIR}/src/armature/c/armature.map)
  target_link_options(${target} PRIVATE -Wl,--version-script=${map} -Wl,--no-undefined -Wl,--gc-sections -Wl,-Bsymbolic
    ${program_start} -Wl,-e,_start)
  set_target_properties(${target} PROPERTIES OUTPUT_NAME armature LINKER_LANGUAGE CXX LINK_DEPENDS ${map}
    VERSION ${PROJECT_VERSION} SOVERSION 0
    BUILD_WITH_INSTALL_RPATH ON INSTALL_RPATH "$ORIGIN") # in a wheel what it needs lies beside it
endfunction()
armature_c_library(armature_shared)

# The same for a wheel (setup.py), which carries what it needs: of other libraries only what is called, where the system has them as
# archives; SQLite is looked for when it is called.
option(ARMATURE_WHEEL_ARCHIVES "take from archives what a wheel carries (OFF where they cannot be part of a shared library)" ON)
armature_c_library(armature_wheel src/armature/c/wheel/sqlite_on_demand.cpp)
set_target_properties(armature_wheel PROPERTIES EXCLUDE_FROM_ALL ON LIBRARY_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/wheel)
target_link_libraries(armature_wheel PRIVATE armature_flags SQLite::SQLite3)
target_link_options(armature_wheel PRIVATE -Wl,--as-needed) # of SQLite only its header is needed
set(archives "")
foreach(name zstd lz4 lzma z sundials_cvode)
  find_library(ARMATURE_ARCHIVE_${name} lib${name}.a)
  mark_as_advanced(ARMATURE_ARCHIVE_${name})
  if(ARMATURE_WHEEL_ARCHIVES AND ARMATURE_ARCHIVE_${name})
    list(APPEND archives ${ARMATURE_ARCHIVE_${name}})
  endif()
endforeach()
get_property(rooms GLOBAL PROPERTY armature_rooms)
list(TRANSFORM rooms PREPEND armature_)
target_link_libraries(armature_wheel PRIVATE -Wl,--start-group ${rooms} ${archives} -Wl,--end-group) # before the shared ones are asked
list(JOIN archives "\n" listed)
file(CONFIGURE OUTPUT ${PROJECT_BINARY_DIR}/wheel/archives.txt CONTENT "${listed}\n" @ONLY) # whose work the wheel carries
