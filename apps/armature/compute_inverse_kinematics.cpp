// compute inverse-kinematics: joint positions that bring the tool to a target; all of them where a closed form is known.
#include <fmt/format.h>

#include <cmath>

#include "armature/compute/ik_solver.hpp"
#include "armature/core/error.hpp"
#include "armature/core/text.hpp"
#include "armature/spatial/rotation.hpp"
#include "compute.hpp"
#include "json_out.hpp"
#include "output_file.hpp"
#include "table_job.hpp"
#include "terminal.hpp"
#include "text_table.hpp"

namespace armature::app {

namespace {

const std::vector<std::string> position_columns{"x", "y", "z"};
const std::vector<std::string> pose_columns{"x", "y", "z", "qw", "qx", "qy", "qz"};

/// --pose also takes x,y,z,roll,pitch,yaw.
IkTarget target_of(const std::string& text) {
  const std::size_t count = split_words(text).size();
  std::vector<FileUnit> units(3, unit_of(dimension::length));
  if (count == 6 || count == 7) units.resize(count, unit_of(dimension::angle, count == 6));
  const auto values = parse_quantities("--pose", text, units, "x,y,z or x,y,z,qw,qx,qy,qz or x,y,z,roll,pitch,yaw");
  if (count != 6) return ik_target(values);
  IkTarget target = ik_target(std::span(values).first(3));
  target.with_orientation = true;
  target.X_WT.R = rotation_from_rpy(Vec3<double>(values[3], values[4], values[5]));
  return target;
}

IkSolver solver_of(const ComputeOptions& options, const Arm& arm, bool with_orientation) {
  VecX<double> guess;
  if (options.guess) guess = joint_quantities("--guess", *options.guess, arm, dimension::angle, dimension::length);
  IkChoice choice{.method = options.method.value_or("")};
  if (options.redundancy)
    choice.redundancy =
        parse_quantities("--redundancy", *options.redundancy, {unit_of(dimension::angle)}, "one angle").front();
  IkSolver solver(arm, choice, with_orientation, guess);
  if (!solver.warning().empty()) warn(solver.warning());
  return solver;
}

Json solution_json(const IkSolution& solution) {
  Json entry{{"branch", solution.branch},
             {"q", json_of(solution.q)},
             {"within_limits", solution.within_limits},
             {"position_error", solution.error.position},
             {"angle_error", solution.error.angle}};
  if (solution.free.any()) {
    entry["free"] = Json::array();
    for (int i = 0; i < static_cast<int>(solution.q.size()); ++i)
      if (solution.free.test(i)) entry["free"].push_back(i + 1);
  }
  return entry;
}

std::string text_of(const Arm& arm, const std::vector<IkSolution>& solutions) {
  std::vector<std::string> header{"branch"};
  for (int i = 0; i < arm.dof(); ++i) header.push_back(fmt::format("q{} {}", i + 1, arm.joint(i).name));
  header.emplace_back("");
  std::vector<std::vector<std::string>> rows;
  for (const IkSolution& solution : solutions) {
    rows.push_back({solution.branch == by_iteration ? "" : fmt::format("{}", solution.branch)});
    for (const double q : solution.q) rows.back().push_back(short_text(q));
    rows.back().emplace_back(solution.free.any() ? "one of many" : solution.within_limits ? "" : "outside the limits");
  }
  return text_table(header, rows);
}

/// Which solutions of a one-parameter family are shown, and where else the arm keeps its limits.
std::string text_of_redundancy(const IkSolver& solver, double value, const Pose<double>& X_WT) {
  std::string text =
      fmt::format("  {} {} rad (--redundancy chooses another); within the limits of the joints:", solver.redundancy(),
                  short_text(value));
  const std::vector<RedundancyInterval> intervals = solver.redundancy_intervals(X_WT);
  for (const RedundancyInterval& i : intervals)
    text += fmt::format("\n    branch {}: {} to {} rad", i.branch, short_text(i.lower), short_text(i.upper));
  return text + (intervals.empty() ? " nowhere\n" : "\n");
}

/// row,branch,q1.. as a table has them.
std::vector<double> table_row(std::uint64_t row, const IkSolution& solution) {
  std::vector<double> numbers{static_cast<double>(row), static_cast<double>(solution.branch)};
  numbers.insert(numbers.end(), solution.q.begin(), solution.q.end());
  return numbers;
}
std::vector<std::string> table_header(const Arm& arm) {
  std::vector<std::string> columns = input_columns("q", arm.dof());
  columns.insert(columns.begin(), {"row", "branch"});
  return columns;
}

int one_target(const ComputeOptions& options, const LoadedArm& loaded) {
  const IkTarget target = target_of(*options.pose);
  const IkSolver solver = solver_of(options, loaded.arm, target.with_orientation);
  const IkAnswer answer = solver.solve(target.X_WT);
  const int code = answer.solutions.empty() ? exit_no : exit_done;
  if (options.out) {
    OutputFile file(*options.out);
    TableWriter table(file.stream(), file.name());
    table.header(table_header(loaded.arm));
    for (const IkSolution& solution : answer.solutions) table.row(table_row(1, solution));
    table.flush();
    file.commit();
  }
  if (options.json) {
    Json json{{"arm", loaded.arm.name()}, {"what", "inverse-kinematics"}, {"method", solver.name()},
              {"status", answer.status},  {"solutions", Json::array()},   {"warnings", loaded.warnings}};
    for (const IkSolution& solution : answer.solutions) json["solutions"].push_back(solution_json(solution));
    if (answer.nearest) json["nearest"] = solution_json(*answer.nearest);
    if (answer.redundancy) {
      json["redundancy"] = {
          {"what", solver.redundancy()}, {"value", *answer.redundancy}, {"within_limits", Json::array()}};
      for (const RedundancyInterval& i : solver.redundancy_intervals(target.X_WT))
        json["redundancy"]["within_limits"].push_back({{"branch", i.branch}, {"lower", i.lower}, {"upper", i.upper}});
    }
    print_json(json);
    return code;
  }
  if (options.out) return code;
  fmt::print("inverse-kinematics of {}, {}: {}\n", loaded.arm.name(), solver.name(), answer.status);
  if (answer.redundancy) fmt::print("{}", text_of_redundancy(solver, *answer.redundancy, target.X_WT));
  if (!answer.nearest) {
    fmt::print("{}", text_of(loaded.arm, answer.solutions));
    return code;
  }
  fmt::print("  the nearest found is {} m{} away\n{}", short_text(answer.nearest->error.position),
             target.with_orientation ? fmt::format(" and {} rad", short_text(answer.nearest->error.angle)) : "",
             text_of(loaded.arm, {*answer.nearest}));
  return code;
}

int table_of_targets(const ComputeOptions& options, const LoadedArm& loaded) {
  const Arm& arm = loaded.arm;
  std::optional<IkSolver> solver;
  std::uint64_t missed = 0, first_missed = 0, singular = 0;

  TableJob job{.in = *options.in, .out = table_output(options)};
  job.inputs = [&](const TableReader& table) {
    bool any = false;  // the four go together: select() names those that are missing
    for (std::size_t i = 3; i < pose_columns.size(); ++i) any = any || table.has(pose_columns[i]);
    solver.emplace(solver_of(options, arm, any));
    return any ? pose_columns : position_columns;
  };
  job.outputs = table_header(arm);
  job.each = [&](std::uint64_t row, std::span<const double> input, const Place&, TableWriter& out) {
    const IkAnswer answer = solver->solve(ik_target(input).X_WT);
    if (answer.nearest && ++missed == 1) first_missed = row;
    singular += answer.status == std::string_view("singular");
    for (const IkSolution& solution : answer.solutions) out.row(table_row(row, solution));
  };
  const std::uint64_t rows = run(job);
  if (missed > 0)
    warn(fmt::format("{} of {} targets have no solution, the first of them in row {}", missed, rows, first_missed));
  if (singular > 0)
    warn(
        fmt::format("{} of {} targets are singular: one solution per branch stands for infinitely many", singular, rows));
  if (options.json)
    print_json({{"arm", arm.name()},
                {"what", "inverse-kinematics"},
                {"method", solver->name()},
                {"rows", rows},
                {"without_solution", missed},
                {"singular", singular},
                {"out", job.out},
                {"warnings", loaded.warnings}});
  return exit_done;
}

}  // namespace

int compute_inverse_kinematics(const ComputeOptions& options, const LoadedArm& loaded) {
  refuse_other_options(options, "inverse-kinematics", " pose guess method redundancy ");
  if (options.in) return table_of_targets(options, loaded);
  if (!options.pose)
    throw Error("inverse-kinematics needs --pose", "give x,y,z or x,y,z,qw,qx,qy,qz; or a table with --in");
  return one_target(options, loaded);
}

}  // namespace armature::app
