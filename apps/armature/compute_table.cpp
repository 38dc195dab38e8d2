#include <fmt/format.h>

#include "armature/core/error.hpp"
#include "compute.hpp"
#include "json_out.hpp"
#include "table_job.hpp"

namespace armature::app {

int compute_table(const ComputeOptions& options, const Quantity& quantity, const LoadedArm& loaded) {
  const Arm& arm = loaded.arm;
  const int n = arm.dof();
  const ComputeSettings settings = settings_of(options, quantity, arm);
  const std::vector<std::string> columns = columns_of(quantity.blocks(arm, settings));

  State state;
  std::vector<VecX<double>*> parts;
  for (const char input : quantity.inputs)
    parts.push_back(input == 'q' ? &state.q : input == 'v' ? &state.v : input == 'a' ? &state.a : &state.tau);
  std::vector<double> result(columns.size());
  bool degrees_seen = false;

  TableJob job{.in = *options.in, .out = table_output(options)};
  job.inputs = [&](const TableReader&) { return input_columns(quantity.inputs, n); };
  job.unsurprising = input_columns("qvat", n);  // of a state that this quantity does not need
  job.outputs = columns;
  job.each = [&](std::uint64_t, std::span<const double> input, const Place& place, TableWriter& out) {
    for (std::size_t k = 0; k < parts.size(); ++k)
      *parts[k] = Eigen::Map<const Eigen::VectorXd>(input.data() + k * static_cast<std::size_t>(n), n);
    if (!degrees_seen) degrees_seen = warn_of_degrees(arm, state.q, place);
    quantity.compute(arm, settings, state, result);
    refuse_infinite(result, columns);
    out.row(result);
  };
  const std::uint64_t rows = run(job);
  if (options.json)
    print_json({{"arm", arm.name()},
                {"what", quantity.name},
                {"rows", rows},
                {"out", job.out},
                {"warnings", loaded.warnings}});
  return exit_done;
}

}  // namespace armature::app
