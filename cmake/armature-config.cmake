# Found by find_package(armature CONFIG). The libraries below are linked by the rooms, so a user of the package needs them too.
include(CMakeFindDependencyMacro)
find_dependency(Eigen3 3.4)
find_dependency(fmt)
find_dependency(yaml-cpp)
find_dependency(nlohmann_json)
find_dependency(Threads)
find_dependency(SUNDIALS COMPONENTS cvode)
include(${CMAKE_CURRENT_LIST_DIR}/armature-targets.cmake)
