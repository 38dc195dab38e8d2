// armature identify --link-positions: elastic joints, from encoders on both sides of their gears.
#include "identify_twist.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "arm_options.hpp"
#include "armature/core/text.hpp"
#include "armature/formats/log_source.hpp"
#include "armature/identification/twist_fit.hpp"
#include "json_out.hpp"
#include "output_file.hpp"
#include "text_table.hpp"
#include "verbs.hpp"

namespace armature::app {

namespace {

constexpr std::size_t most_twist_samples = 20'000'000;

std::string column_of(const std::string& pattern, int joint) {
  const std::size_t place = pattern.find("{}");
  if (place == std::string::npos)
    throw Error(fmt::format("--link-positions '{}' has no {{}}", printable(pattern)),
                "which stands for the joint's number: q_link{}");
  return pattern.substr(0, place) + std::to_string(joint + 1) + pattern.substr(place + 2);
}

/// The same log twice: with the positions of the motors, and with those behind the gears where there are such columns.
TwistLog read_twist_log(const LogOptions& options, const std::string& path, const std::string& pattern,
                        const Arm& arm) {
  if (arm.description().couplings)
    throw Error("the arm's joints are coupled",
                "--link-positions is for arms in which every motor turns its own joint");
  LogOptions one = options;
  one.logs = {path};
  const std::unique_ptr<MeasuredLog> motors = one.open(arm, true);
  MeasuredLogSettings behind{motors->map(), true};
  behind.map.velocity.clear();
  behind.map.reference.clear();
  behind.map.no_velocity = true;
  const std::unique_ptr<LogSource> source = open_log(path);
  std::vector<bool> present(static_cast<std::size_t>(arm.dof()), false);
  for (int j = 0; j < arm.dof(); ++j) {
    const std::string name = column_of(pattern, j);
    for (const LogColumn& column : source->columns())
      if (column.name == name) {
        behind.map.position[j] = name;
        present[j] = true;
      }
  }
  if (std::find(present.begin(), present.end(), true) == present.end())
    throw FormatError(
        fmt::format("no column is called '{}'", column_of(pattern, 0)),
        "--link-positions names the columns of the encoders behind the gears, {} being the joint's number", {path});
  behind.map.positions = LogMap::Side::joint;
  const MeasuredLog links(path, arm, behind);
  const Processing processing = one.processing(*motors);
  const MotionBlock a = block_of(motors->source(), arm.dof(), processing, most_twist_samples);
  MotionBlock b = block_of(links.source(), arm.dof(), processing, most_twist_samples);
  if (a.samples() != b.samples() || a.samples() == 0)
    throw FormatError("the positions before and behind the gears do not stand in the same rows",
                      "one row a time, without gaps", {path});
  for (int j = 0; j < arm.dof(); ++j)
    if (!present[j]) b.q.col(j) = a.q.col(j);  // one encoder: nothing twists between it and itself
  return {path, a.step, a.q, b.q, a.tau};
}

Eigen::VectorXd rotors_of(const Arm& arm) {
  Eigen::VectorXd inertia = Eigen::VectorXd::Constant(arm.dof(), std::numeric_limits<double>::quiet_NaN());
  for (int j = 0; j < arm.dof(); ++j) {
    const auto& drive = arm.joint(j).drive;
    if (drive.rotor_inertia && drive.gear_ratio)
      inertia[j] = *drive.rotor_inertia * *drive.gear_ratio * *drive.gear_ratio;
  }
  return inertia;
}

std::string arm_with(const Arm& arm, const std::vector<TwistEstimate>& joints, const std::string& logs,
                     const std::string& out) {
  ArmDescription d = arm.description();
  std::size_t moving = 0;
  for (JointDescription& joint : d.joints) {
    if (joint.type == JointType::fixed) continue;
    const TwistEstimate& e = joints[moving++];
    if (!e.both_sides || !e.determined) continue;
    joint.drive.stiffness = e.stiffness();
    joint.drive.source = fmt::format("stiffness from both encoders in {}, 95 %: {:.3g} to {:.3g} N m/rad{}", logs,
                                     e.low(), e.high(), joint.drive.source.empty() ? "" : "; " + joint.drive.source);
  }
  return arm_yaml_for(d, out);
}

Json json_of_twist(const std::string& name, const TwistEstimate& e) {
  Json one{{"joint", name}, {"both_sides", e.both_sides}, {"determined", e.determined}};
  if (e.both_sides) {
    one["twist_rms"] = e.twist;
    one["left"] = e.left;
    one["compliance"] = e.compliance;
    one["compliance_half_width"] = e.compliance_half_width;
    one["rubbing"] = e.rubbing;
    one["lag"] = e.lag;
    one["lag_half_width"] = e.lag_half_width;
    one["run_compliance"] = e.run_compliance;
    one["run_half_width"] = e.run_half_width;
    one["disagreement"] = e.disagreement;
  }
  if (e.determined) {
    one["stiffness"] = e.stiffness();
    one["interval_95"] = {e.low(), e.high()};
  }
  return one;
}

}  // namespace

int run_link_positions(const LogOptions& logs, const std::string& link, const Arm& arm,
                       const std::optional<std::string>& out, bool json) {
  std::vector<TwistLog> runs;
  for (const std::string& path : logs.logs) runs.push_back(read_twist_log(logs, path, link, arm));
  const std::vector<TwistEstimate> joints = fit_twist(runs, rotors_of(arm));
  std::vector<std::string> names;
  Json list = Json::array();
  std::vector<std::vector<std::string>> rows;
  bool any = false;
  for (int j = 0; j < arm.dof(); ++j) {
    const TwistEstimate& e = joints[j];
    names.push_back(arm.joint(j).name);
    list.push_back(json_of_twist(names.back(), e));
    any = any || e.determined;
    if (!e.both_sides) continue;
    rows.push_back({names.back(), e.determined ? fmt::format("{:.4g}", e.stiffness()) : "not determined",
                    e.determined ? fmt::format("{:.4g}", e.low()) : "",
                    e.determined ? fmt::format("{:.4g}", e.high()) : "", fmt::format("{:.3g}", 1e3 * e.twist),
                    fmt::format("{:.2g}", 100 * e.left), fmt::format("{:.3g}", 1e3 * e.rubbing),
                    fmt::format("{:.3g} ± {:.2g}", 1e3 * e.lag, 1e3 * e.lag_half_width),
                    runs.size() > 1 ? fmt::format("{:.2g}", e.disagreement) : ""});
  }
  if (out && any) {
    OutputFile file(*out);
    file.write(arm_with(arm, joints, logs.names(), *out));
    file.commit();
  }
  if (json) {
    print_json(Json{{"arm", arm.name()}, {"joints", list}, {"sentences", sentences(joints, names)}});
    return any ? exit_done : exit_no;
  }
  fmt::print("{}", text_table({"joint", "stiffness [N m/rad]", "95 % from", "to", "twist [mrad]", "left %",
                               "rubbing [mrad]", "lag [ms]", "runs differ by"},
                              rows));
  fmt::print("\n");
  for (const std::string& sentence : sentences(joints, names)) fmt::print("{}\n", wrapped(sentence, 2));
  if (out && any) fmt::print("  written: {}\n", *out);
  return any ? exit_done : exit_no;
}

}  // namespace armature::app
