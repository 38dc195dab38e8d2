// compute inverse-kinematics: joint positions that bring the tool to a target; all of them where a closed form is known.
#include <fmt/format.h>

#include <cmath>

#include "armature/algorithms/closed_form_ik.hpp"
#include "armature/core/error.hpp"
#include "armature/core/text.hpp"
#include "armature/spatial/rotation.hpp"
#include "compute.hpp"
#include "json_out.hpp"
#include "output_file.hpp"
#include "table_job.hpp"
#include "terminal.hpp"
#include "text_table.hpp"

namespace armature {

namespace {

const std::vector<std::string> position_columns{"x", "y", "z"};
const std::vector<std::string> pose_columns{"x", "y", "z", "qw", "qx", "qy", "qz"};
constexpr int by_iteration = -1;  // in place of a branch

struct IkTarget {
  Pose<double> X_WT;
  bool with_orientation = false;
};

Mat3<double> rotation_of(const double* q) {
  const Quaternion quaternion(q[0], q[1], q[2], q[3]);
  if (std::abs(quaternion.norm() - 1) > 1e-3)
    throw Error(fmt::format("the quaternion qw,qx,qy,qz has length {:.4g}", quaternion.norm()), "its length is 1");
  return rotation_from_quaternion(quaternion);
}

/// x,y,z or x,y,z,qw,qx,qy,qz.
IkTarget target_of(std::span<const double> numbers) {
  IkTarget target;
  target.X_WT.p = Vec3<double>(numbers[0], numbers[1], numbers[2]);
  target.with_orientation = numbers.size() > 3;
  if (target.with_orientation) target.X_WT.R = rotation_of(numbers.data() + 3);
  return target;
}

/// --pose also takes x,y,z,roll,pitch,yaw.
IkTarget target_of(const std::string& text) {
  const std::size_t count = split_words(text).size();
  std::vector<FileUnit> units(3, unit_of(dimension::length));
  if (count == 6 || count == 7) units.resize(count, unit_of(dimension::angle, count == 6));
  const auto values = parse_quantities("--pose", text, units, "x,y,z or x,y,z,qw,qx,qy,qz or x,y,z,roll,pitch,yaw");
  if (count != 6) return target_of(values);
  IkTarget target = target_of(std::span(values).first(3));
  target.with_orientation = true;
  target.X_WT.R = rotation_from_rpy(Vec3<double>(values[3], values[4], values[5]));
  return target;
}

struct IkAnswer {
  const char* status = "";
  std::vector<IkSolution> solutions;
  std::optional<IkSolution> nearest;  // where there is no solution
};

/// One way to solve for all targets, chosen by the arm, by what the targets say and by --method.
class Solver {
 public:
  Solver(const ComputeOptions& options, const Arm& arm, bool with_orientation) : arm_(arm) {
    static const std::vector<std::string> methods{"closed-form", "newton", "damped-least-squares",
                                                  "transposed-jacobian"};
    if (options.guess) guess_ = joint_quantities("--guess", *options.guess, arm, dimension::angle, dimension::length);
    family_ = closed_form_family(arm);
    const std::string method = options.method ? choice("--method", *options.method, methods) : "";
    const bool closed_form =
        method == "closed-form" || (method.empty() && family_ && (with_orientation || family_->position_only()));
    if (method == "closed-form" && !family_)
      throw Error(fmt::format("no closed form is known for arm '{}'", arm.name()), "leave --method out");
    if (method == "closed-form" && !with_orientation && !family_->position_only())
      throw Error(fmt::format("the closed form of arm '{}' needs the orientation of the target", arm.name()),
                  "give qw,qx,qy,qz as well, or leave --method out");
    if (closed_form) {
      name_ = fmt::format("closed form ({})", family_->name());
      if (with_orientation && family_->position_only())
        warn(fmt::format("arm '{}' reaches positions: the orientation of the target is left aside", arm.name()));
      return;
    }
    family_.reset();
    settings_.task = with_orientation ? IkTask::pose : IkTask::position;
    settings_.method = method == "newton"                ? IkMethod::newton
                       : method == "transposed-jacobian" ? IkMethod::transposed_jacobian
                                                         : IkMethod::damped_least_squares;
    name_ = method.empty() ? methods[2] : method;
  }

  [[nodiscard]] const std::string& name() const { return name_; }

  [[nodiscard]] IkAnswer solve(const Pose<double>& X_WT) const {
    IkAnswer answer;
    if (!family_) {
      const IkResult result = inverse_kinematics(arm_, X_WT, guess_, settings_);
      IkSolution solution{.q = result.q, .branch = by_iteration, .error = result.error};
      const bool reached = result.status == IkStatus::reached;
      answer.status = reached ? "reached" : result.status == IkStatus::stuck ? "stuck" : "out of patience";
      if (reached)
        answer.solutions.push_back(solution);
      else
        answer.nearest = solution;
      return answer;
    }
    const IkSolutions found = closed_form_ik(arm_, *family_, X_WT, guess_);
    answer.status = found.reach == IkReach::solved     ? "solved"
                    : found.reach == IkReach::singular ? "singular"
                                                       : "unreachable";
    answer.solutions.assign(found.begin(), found.end());
    if (answer.solutions.empty()) answer.nearest = found.nearest;
    return answer;
  }

 private:
  const Arm& arm_;
  std::optional<IkFamily> family_;  // none: by iteration
  VecX<double> guess_;
  IkSettings settings_;
  std::string name_;
};

Json solution_json(const IkSolution& solution) {
  Json entry{{"branch", solution.branch},
             {"q", json_of(solution.q)},
             {"within_limits", solution.within_limits},
             {"position_error", solution.error.position},
             {"angle_error", solution.error.angle}};
  if (solution.free.any()) {
    entry["free"] = Json::array();
    for (int i = 0; i < static_cast<int>(solution.q.size()); ++i)
      if (solution.free.test(static_cast<std::size_t>(i))) entry["free"].push_back(i + 1);
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
  const Solver solver(options, loaded.arm, target.with_orientation);
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
    print_json(json);
    return code;
  }
  if (options.out) return code;
  fmt::print("inverse-kinematics of {}, {}: {}\n", loaded.arm.name(), solver.name(), answer.status);
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
  std::optional<Solver> solver;
  std::uint64_t missed = 0, first_missed = 0, singular = 0;

  TableJob job{.in = *options.in, .out = table_output(options)};
  job.inputs = [&](const TableReader& table) {
    bool any = false;  // the four go together: select() names those that are missing
    for (std::size_t i = 3; i < pose_columns.size(); ++i) any = any || table.has(pose_columns[i]);
    solver.emplace(options, arm, any);
    return any ? pose_columns : position_columns;
  };
  job.outputs = table_header(arm);
  job.each = [&](std::uint64_t row, std::span<const double> input, const Place&, TableWriter& out) {
    const IkAnswer answer = solver->solve(target_of(input).X_WT);
    if (answer.nearest && ++missed == 1) first_missed = row;
    singular += answer.status == std::string_view("singular");
    for (const IkSolution& solution : answer.solutions) out.row(table_row(row, solution));
  };
  const std::uint64_t rows = run(job);
  if (missed > 0)
    warn(fmt::format("{} of {} targets have no solution, the first of them in row {}", missed, rows, first_missed));
  if (singular > 0)
    warn(
        fmt::format("{} of {} targets are singular: one solution a branch stands for infinitely many", singular, rows));
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
  refuse_other_options(options, "inverse-kinematics", " pose guess method ");
  if (options.in) return table_of_targets(options, loaded);
  if (!options.pose)
    throw Error("inverse-kinematics needs --pose", "give x,y,z or x,y,z,qw,qx,qy,qz; or a table with --in");
  return one_target(options, loaded);
}

}  // namespace armature
