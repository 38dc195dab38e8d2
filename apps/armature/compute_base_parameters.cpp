// compute base-parameters: the combinations of inertial parameters on which the torques depend.
#include <fmt/format.h>

#include "armature/algorithms/base_parameters.hpp"
#include "armature/core/error.hpp"
#include "armature/formats/table.hpp"
#include "compute.hpp"
#include "json_out.hpp"
#include "output_file.hpp"
#include "text_table.hpp"

namespace armature::app {

namespace {

Json answer_of(const Arm& arm, const BaseParameters& base, const BaseParameterSettings& settings,
               const std::vector<std::string>& lines, const Eigen::VectorXd& values) {
  const auto all = static_cast<int>(base.grouping().cols());
  Json answer{{"arm", arm.name()},
              {"what", "base-parameters"},
              {"count", base.count()},
              {"of", all},
              {"tolerance", settings.tolerance},
              {"smallest_kept", base.columns.smallest_kept},
              {"largest_dropped", base.columns.largest_dropped},
              {"parameters", Json::array()}};
  for (int k = 0; k < base.count(); ++k) {
    Json terms = Json::object();
    for (int column = 0; column < all; ++column)
      if (const double factor = base.grouping()(k, column); factor != 0)
        terms[parameter_name(base.dof, column)] = factor;
    answer["parameters"].push_back({{"name", fmt::format("p{}", k + 1)},
                                    {"text", lines[k]},
                                    {"column", base.columns.kept[k] + 1},
                                    {"value", values[k]},
                                    {"terms", terms}});
  }
  answer["without_effect"] = Json::array();
  for (const int column : base.columns.zero) answer["without_effect"].push_back(parameter_name(base.dof, column));
  return answer;
}

}  // namespace

int compute_base_parameters(const ComputeOptions& options, const LoadedArm& loaded) {
  refuse_other_options(options, "base-parameters", " rotor ");
  if (options.in) throw Error("base-parameters are of the arm, not of states", "leave --in out");
  const Arm& arm = loaded.arm;
  const BaseParameterSettings settings{.rotors = options.with.has_value()};
  const BaseParameters base = base_parameters(arm, settings);
  const Eigen::VectorXd values = base_parameter_values(arm, base);
  const std::vector<std::string> lines = base_parameter_text(base);

  if (options.out) {
    std::vector<std::string> columns;
    for (int k = 1; k <= base.count(); ++k) columns.push_back(fmt::format("p{}", k));
    OutputFile file(*options.out);
    TableWriter table(file.stream(), file.name());
    table.header(columns);
    table.row({values.data(), static_cast<std::size_t>(values.size())});
    table.flush();
    file.commit();
  }
  if (options.json) {
    Json answer = answer_of(arm, base, settings, lines, values);
    answer["warnings"] = loaded.warnings;
    print_json(answer);
  } else if (!options.out) {
    fmt::print("base-parameters of {}: the torques depend on {} combinations of the {} inertial parameters\n",
               arm.name(), base.count(), base.grouping().cols());
    fmt::print(
        "  (pivots below {:.0e} of the largest count as zero; the smallest that counts is {:.2g}, the next one "
        "{:.2g})\n\n",
        settings.tolerance, base.columns.smallest_kept, base.columns.largest_dropped);
    std::vector<std::vector<std::string>> rows;
    for (int k = 0; k < base.count(); ++k) rows.push_back({short_text(values[k]), lines[k]});
    fmt::print("{}", text_table({"value", "grouping, kg m²  kg m  kg"}, rows));
  }
  return exit_done;
}

}  // namespace armature::app
