#include "armature/run/internal/table_beside.hpp"

#include <fmt/format.h>

#include <filesystem>

#include "armature/core/text.hpp"
#include "armature/formats/log_csv.hpp"

namespace armature::run {

TableBeside::TableBeside(const LoadedScenario& loaded, std::string key, const std::string& file)
    : loaded_(loaded), key_(std::move(key)), file_(file) {
  std::filesystem::path path = std::filesystem::path(loaded.places.of("").file).parent_path() / file;
  if (!std::filesystem::exists(path)) path = file;
  if (!std::filesystem::exists(path))
    loaded.refuse(key_, fmt::format("there is no table '{}'", printable(file)),
                  "it is looked for beside the scenario and in the working folder");
  log_ = loaded.placed(key_, [&] { return read_log(path.string(), LogReader::Missing::refused); });
  if (log_.time.empty()) refuse("has no rows", "time [s] and what it is to say, row by row");
}

std::vector<std::string> TableBeside::columns() const {
  std::vector<std::string> names;
  for (const Channel& channel : log_.channels) names.push_back(channel.name);
  return names;
}

std::vector<double> TableBeside::column(const std::string& name, Dimension dimension) const {
  if (!log_.has(name)) return {};
  const Channel& channel = log_.channel(name);
  std::vector<double> values = channel.values;
  if (channel.unit.empty()) return values;
  try {
    const double factor = parse_quantity("1 " + channel.unit, dimension);
    for (double& value : values) value *= factor;
  } catch (const Error&) {
    refuse(fmt::format("gives '{}' in '{}'", name, printable(channel.unit)),
           fmt::format("a unit of the dimension {} is needed", to_string(dimension)));
  }
  return values;
}

void TableBeside::refuse(const std::string& finding, const std::string& hint) const {
  loaded_.refuse(key_, fmt::format("the table '{}' {}", printable(file_), finding), hint);
}

}  // namespace armature::run
