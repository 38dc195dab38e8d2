#include "armature/testing/vectors.hpp"

#include <fstream>
#include <nlohmann/json.hpp>

#include "armature/testing/source_folder.hpp"

namespace armature::testing {

nlohmann::json reference_vectors(const std::string& name) {
  std::ifstream file(std::string(source_folder) + "/../shared/vectors/" + name);
  return file ? nlohmann::json::parse(file) : nlohmann::json();
}

}  // namespace armature::testing
