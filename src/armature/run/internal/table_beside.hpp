// A table that a scenario names: a CSV file beside it, or in the working folder.
#pragma once

#include <string>
#include <vector>

#include "armature/core/units.hpp"
#include "armature/record/log.hpp"
#include "armature/run/loaded_scenario.hpp"

namespace armature::run {

class TableBeside {
 public:
  /// Reads it. Throws FormatError at the place of the setting `key` where there is no such file, and at the row and column in the
  /// file where something in it is wrong.
  TableBeside(const LoadedScenario& loaded, std::string key, const std::string& file);

  /// At least one row, increasing [s].
  [[nodiscard]] const std::vector<double>& time() const { return log_.time; }
  /// The names of its columns beside the time.
  [[nodiscard]] std::vector<std::string> columns() const;
  /// In SI; empty where there is no such column. Throws FormatError where its unit has another dimension.
  [[nodiscard]] std::vector<double> column(const std::string& name, Dimension dimension) const;
  /// "the table 'FILE' " and the finding, at the place of the setting.
  [[noreturn]] void refuse(const std::string& finding, const std::string& hint) const;

 private:
  const LoadedScenario& loaded_;
  std::string key_, file_;
  Log log_;
};

}  // namespace armature::run
