#include "armature/testing/vectors.hpp"

#include <fstream>
#include <nlohmann/json.hpp>

namespace armature::testing {

nlohmann::json reference_vectors(const std::string& source_folder, const std::string& name) {
  std::ifstream file(source_folder + "/../shared/vectors/" + name);
  return file ? nlohmann::json::parse(file) : nlohmann::json();
}

}  // namespace armature::testing
