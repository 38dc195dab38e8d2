#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "armature/core/error.hpp"
#include "armature/core/text.hpp"
#include "armature/formats/table.hpp"
#include "compute.hpp"
#include "json_out.hpp"
#include "output_file.hpp"
#include "terminal.hpp"

namespace armature {

namespace {

namespace fs = std::filesystem;

void refuse_same_file(const std::string& in, const std::string& out) {
  std::error_code ignored;
  if (in != "-" && out != "-" && fs::equivalent(in, out, ignored))
    throw Error("is both --in and --out", "write the results to another file", {out});
}

/// Bytes of a file; 0 where there is no saying.
std::uint64_t size_of(const std::string& path) {
  std::error_code failure;
  const auto size = fs::file_size(path, failure);
  return failure ? 0 : size;
}

/// Columns that mean nothing here. Those of a state that this quantity does not need, and the time, are no surprise.
void warn_of_unused(const TableReader& table, int dof) {
  std::vector<std::string> state = input_columns({.inputs = "qvat"}, dof);
  state.emplace_back("t");
  std::vector<std::string> names;
  for (const std::string& name : table.unused_columns())
    if (std::find(state.begin(), state.end(), name) == state.end()) names.push_back("'" + printable(name) + "'");
  if (names.empty()) return;
  const char* what = names.size() == 1 ? "column" : "columns";
  if (names.size() > 12) names.resize(12), names.emplace_back("...");
  warn(fmt::format("{}: not used: {} {}", table.name(), what, fmt::join(names, ", ")));
}

}  // namespace

int compute_table(const ComputeOptions& options, const Quantity& quantity, const LoadedArm& loaded) {
  const Arm& arm = loaded.arm;
  const int n = arm.dof();
  const ComputeSettings settings = settings_of(options, quantity, arm);
  const std::string out = options.out.value_or("-");
  refuse_same_file(*options.in, out);
  if (options.json && out == "-")
    throw Error("--json and a table cannot share the standard output", "give --out FILE, or leave --json out");

  TableReader reader(*options.in);
  reader.select(input_columns(quantity, n));
  warn_of_unused(reader, n);

  OutputFile file(out);
  TableWriter writer(file.stream(), file.name());
  std::vector<std::string> columns;
  for (const Block& block : quantity.blocks(arm, settings))
    for (const std::string& name : block.columns()) columns.push_back(name);
  writer.header(columns);

  State state;
  std::vector<VecX<double>*> parts;
  for (const char input : quantity.inputs)
    parts.push_back(input == 'q' ? &state.q : input == 'v' ? &state.v : input == 'a' ? &state.a : &state.tau);
  std::vector<double> input(parts.size() * static_cast<std::size_t>(n)), result(columns.size());
  bool degrees_seen = false;
  Progress progress(size_of(*options.in));
  while (reader.next(input)) {
    for (std::size_t k = 0; k < parts.size(); ++k)
      *parts[k] = Eigen::Map<const Eigen::VectorXd>(input.data() + k * static_cast<std::size_t>(n), n);
    if (!degrees_seen && state.q.cwiseAbs().maxCoeff() > 50) {
      degrees_seen = true;
      warn_of_degrees(arm, state.q, to_string(reader.place()));
    }
    try {
      quantity.compute(arm, settings, state, result);
    } catch (const Error& error) {
      throw Error(error.finding(), error.hint(), reader.place());
    }
    refuse_infinite(result, columns, reader.place());
    writer.row(result);
    progress.update(reader.bytes_read(), reader.rows());
  }
  writer.flush();
  file.commit();
  if (options.json)
    print_json({{"arm", arm.name()},
                {"what", quantity.name},
                {"rows", reader.rows()},
                {"out", out},
                {"warnings", loaded.warnings}});
  return exit_done;
}

}  // namespace armature
