#include "measured.hpp"

#include <fmt/format.h>

#include <cstdlib>
#include <filesystem>

namespace armature::studies::measured {

std::string data_file(const std::string& path) {
  namespace fs = std::filesystem;
  std::error_code failed;
  if (const char* folder = std::getenv("ARMATURE_DATA")) {
    const fs::path file = fs::path(folder) / path;
    return fs::exists(file, failed) ? file.string() : "";
  }
  for (fs::path above = fs::current_path(failed); !failed; above = above.parent_path()) {
    const fs::path file = above / "shared" / "data" / path;
    if (fs::exists(file, failed)) return file.string();
    if (above == above.parent_path()) break;
  }
  return "";
}

Claim missing(const std::string& id, const std::string& says, const std::string& reference, const std::string& path,
              const std::string& origin) {
  Claim claim{id,
              says,
              reference,
              "not tried: the data are not here",
              false,
              fmt::format("put {} into a folder and name it in ARMATURE_DATA (or into shared/data beside the working "
                          "folder); origin: {}",
                          path, origin)};
  claim.tried = false;
  return claim;
}

StudyResult run(const Progress& progress) {
  StudyResult result;
  emps(progress, result);
  tx40(progress, result);
  kr300(progress, result);
  ur10(progress, result);
  daisy(progress, result);
  return result;
}

}  // namespace armature::studies::measured
