// armature check: is this description physically possible?
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "arm_options.hpp"
#include "armature/algorithms/mass_matrix.hpp"
#include "armature/core/error.hpp"
#include "armature/core/text.hpp"
#include "armature/formats/arm_keys.hpp"
#include "armature/model/repair.hpp"
#include "collisions.hpp"
#include "json_out.hpp"
#include "key_list.hpp"
#include "meshes.hpp"
#include "report_folder.hpp"
#include "text_table.hpp"
#include "verbs.hpp"

namespace armature::app {

namespace {

struct Verdict {
  std::vector<Finding> errors, warnings;
  bool sound = true;  // no error, nothing unphysical
};

/// Everything the description itself shows; then, where there is an arm at all, its dynamics.
Verdict judge(const ParsedArm& parsed) {
  Verdict verdict;
  const ArmDescription& description = parsed.description;
  verdict.errors = parsed.lacking;
  for (const Finding& finding : findings(description))
    (finding.severity == Finding::Severity::error ? verdict.errors : verdict.warnings).push_back(finding);
  if (verdict.errors.empty()) {
    if (const auto q = indefinite_configuration(Arm(description))) {
      std::vector<std::string> values;
      for (const double value : *q) values.push_back(short_text(value));
      verdict.errors.push_back(
          {Finding::Severity::error, fmt::format("arm '{}'", printable(description.name)),
           fmt::format("its mass matrix is not positive definite at q = {}", fmt::join(values, ", ")),
           "no arm moves like this; check masses, inertias and the frames they are given in"});
    }
  }
  verdict.sound = verdict.errors.empty() && description.unphysical.empty();
  return verdict;
}

std::string sentence(const ParsedArm& parsed, const Finding& finding) {
  return Error(finding.place + ": " + finding.finding, finding.hint, place_of(parsed, finding)).what();
}

Json finding_json(const ParsedArm& parsed, const Finding& finding) {
  return {{"severity", finding.severity == Finding::Severity::error ? "error" : "warning"},
          {"place", to_string(place_of(parsed, finding))},
          {"about", finding.place},
          {"finding", finding.finding},
          {"hint", finding.hint}};
}

struct CheckOptions {
  ArmOptions arm;
  bool json = false, repair = false;
  std::optional<std::string> out, q, floor;
};

std::string moments_text(const MassProperties& mass) {
  const Vec3<double> e = judge_body(inertia_of(mass)).principal_moments;
  return fmt::format("{:.4g} {:.4g} {:.4g}", e[0], e[1], e[2]);
}

/// How far the tensor about the centre of mass went, by the Frobenius norm, relative to what it was.
double change_of(const BodyRepair& repair) {
  const Mat3<double> before = central_inertia(inertia_of(*repair.before)), after = repair.after.tensor;
  return (after - before).norm() / before.norm();
}

std::string repair_text(const BodyRepair& repair) {
  const std::string link = fmt::format("link '{}'", printable(repair.link));
  if (repair.stand_in) {
    const bool had_inertia = repair.before && !repair.before->tensor.isZero(0);
    return fmt::format("{}: had no mass{}; a ball of {:.3g} kg and 20 mm radius stands in: weigh the link", link,
                       had_inertia ? ", and its inertia is left out" : "", repair.after.mass);
  }
  if (repair.after == MassProperties{}) return fmt::format("{}: inertia without mass left out", link);
  const std::string moments =
      fmt::format("principal moments {} -> {} kg m²", moments_text(*repair.before), moments_text(repair.after));
  const double change = change_of(repair);
  return std::isfinite(change) ? fmt::format("{}: {}, the tensor changed by {:.2g} %", link, moments, 100 * change)
                               : fmt::format("{}: {}", link, moments);
}

/// Writes the nearest arm that can exist.
int repair(const CheckOptions& options) {
  if (!options.out) throw Error("--repair needs a file to write", "add -o fixed.yaml");
  const ParsedArm parsed = options.arm.read();
  ArmDescription description = parsed.description;
  const std::vector<BodyRepair> repairs = repair_bodies(description);
  if (!repairs.empty())
    description.notes +=
        (description.notes.empty() ? "" : "\n") + fmt::format("{} of its links have repaired inertia.", repairs.size());
  const Arm arm(description);  // throws where something else is wrong
  write_text_file(*options.out, arm_yaml_for(description, *options.out));
  if (options.json) {
    Json answer{{"arm", arm.name()}, {"out", *options.out}, {"repairs", Json::array()}, {"notes", parsed.warnings}};
    for (const BodyRepair& repair : repairs)
      answer["repairs"].push_back(
          {{"link", repair.link}, {"stand_in", repair.stand_in}, {"what", repair_text(repair)}});
    print_json(answer);
    return exit_done;
  }
  for (const std::string& note : parsed.warnings) fmt::print("warning: {}\n", note);
  for (const BodyRepair& repair : repairs) fmt::print("repaired: {}\n", repair_text(repair));
  fmt::print("{}: {}. Every body is physically consistent now.\n  written: {}\n", arm.name(),
             repairs.empty()       ? "nothing to repair"
             : repairs.size() == 1 ? "1 link repaired"
                                   : fmt::format("{} links repaired", repairs.size()),
             *options.out);
  return exit_done;
}

/// Whether the arm is within its limits and free of itself and of the floor at a configuration.
int check_configuration(const CheckOptions& options) {
  const Arm arm = options.arm.load(ArmUse::kinematics).arm;
  const auto values = parse_joint_quantities("--q", *options.q, arm, dimension::angle, dimension::length,
                                             fmt::format("{} positions", arm.dof()));
  const VecX<double> q = Eigen::Map<const Eigen::VectorXd>(values.data(), arm.dof());
  std::vector<std::string> faults;
  for (int i = 0; i < arm.dof(); ++i) {
    const Limits& limits = arm.joint(i).limits;
    const bool turns = arm.body(i).revolute;
    const double beyond = std::max(q[i] - limits.upper.value_or(q[i]), limits.lower.value_or(q[i]) - q[i]);
    if (beyond > 0)
      faults.push_back(fmt::format("joint '{}' is {:.4g} {} beyond its limit", printable(arm.joint(i).name),
                                   turns ? beyond / deg : 1e3 * beyond, turns ? "deg" : "mm"));
  }
  const WatchedArm watched = watched_arm(arm, parse_floor(options.floor));
  std::map<std::string, double> distances;  // the smallest of each two links
  const LinkPoses<double> poses = forward_kinematics<double>(arm, q);
  if (watched.blind.empty())
    for_each_near(watched.model, poses, 1e9, [&](const Clearance& c) {
      const double apart = shape_distance(watched.model, poses, c);
      const auto [known, fresh] = distances.try_emplace(names_of(watched.model, c), apart);
      known->second = std::min(known->second, apart);
    });
  std::vector<std::pair<double, std::string>> near;
  for (const auto& [names, apart] : distances) near.emplace_back(apart, names);
  std::sort(near.begin(), near.end());
  for (const auto& [apart, names] : near)
    if (apart == 0) faults.push_back(names + " overlap");
  const int code = faults.empty() ? exit_done : exit_no;
  if (options.json) {
    Json pairs = Json::array();
    for (const auto& [apart, names] : near) pairs.push_back({{"between", names}, {"distance", apart}});
    print_json({{"arm", arm.name()},
                {"free", faults.empty()},
                {"faults", faults},
                {"watched", watched.blind.empty()},
                {"distances", pairs},
                {"unwatched", watched.unwatched},
                {"unseen", watched.unseen}});
    return code;
  }
  const std::string unseen = unseen_sentence(watched);
  if (!unseen.empty()) warn(unseen + "\n  hint: --packages DIR is where packages lie");
  for (const std::string& fault : faults) fmt::print("error: {}\n", fault);
  if (!watched.blind.empty()) fmt::print("  Collisions are not watched: {}.\n", watched.blind);
  constexpr std::size_t most = 5;
  for (std::size_t k = 0; k < std::min(near.size(), most); ++k)
    if (near[k].first > 0) fmt::print("  {}: {:.4g} mm apart\n", near[k].second, 1e3 * near[k].first);
  if (!watched.unwatched.empty())
    fmt::print("  Not watched, because parts of them are near each other nearly everywhere: {}.\n",
               fmt::join(watched.unwatched, "; "));
  fmt::print("{}: {}.\n", arm.name(),
             !faults.empty()         ? "not a configuration to go to"
             : !unseen.empty()       ? "within its limits, and what is seen of it is free of itself and of the floor"
             : watched.blind.empty() ? "within its limits, and free of itself and of the floor"
                                     : "within its limits");
  return code;
}

int check(const CheckOptions& options) {
  if (options.repair) return repair(options);
  if (options.q) return check_configuration(options);
  if (options.floor) throw Error("--floor is for --q", "add --q Q1,Q2,...");
  if (options.out) throw Error("-o is for --repair", "add --repair, or leave -o out");
  const ParsedArm parsed = options.arm.read();
  const Verdict verdict = judge(parsed);
  const ArmDescription& description = parsed.description;
  const int code = verdict.sound ? exit_done : exit_no;
  if (options.json) {
    Json answer{{"arm", description.name}, {"sound", verdict.sound}, {"findings", Json::array()}};
    if (!description.unphysical.empty()) answer["unphysical"] = description.unphysical;
    for (const auto* list : {&verdict.errors, &verdict.warnings})
      for (const Finding& finding : *list) answer["findings"].push_back(finding_json(parsed, finding));
    answer["notes"] = parsed.warnings;  // what the reader changed or left out
    print_json(answer);
    return code;
  }
  for (const Finding& finding : verdict.errors) fmt::print("error: {}\n", sentence(parsed, finding));
  if (!description.unphysical.empty())
    fmt::print("unphysical: arm '{}' is marked: {}\n", description.name, description.unphysical);
  for (const Finding& finding : verdict.warnings) fmt::print("warning: {}\n", sentence(parsed, finding));
  for (const std::string& note : parsed.warnings) fmt::print("warning: {}\n", note);
  if (!verdict.errors.empty())
    fmt::print("\n{}: {} {}; no such arm can be built.\n", description.name, verdict.errors.size(),
               verdict.errors.size() == 1 ? "error" : "errors");
  else if (!verdict.sound)
    fmt::print("\n{}: usable, but no physical body has its inertia.\n", description.name);
  else
    fmt::print(
        "{}: sound. Every body is physically consistent, and the mass matrix is positive definite at every "
        "configuration tried.\n",
        description.name);
  return code;
}

}  // namespace

void add_check(CommandLine& line) {
  static CheckOptions options;
  Verb& verb = line.verb("check", "check whether an arm is physically possible; each finding with place and hint");
  options.arm.add_to(verb);
  options.arm.add_overrides_to(verb);
  verb.flag("--repair", options.repair,
            "write the arm with the nearest physically consistent inertia, and say what changed")
      .option("-o,--out", "FILE", options.out, "of --repair: the arm file (.yaml) to write")
      .option("--q", "Q1,Q2,..", options.q,
              "instead: whether this configuration is within the limits and free of collisions, by the convex "
              "hulls of the shapes of its links")
      .option("--floor", "HEIGHT", options.floor, "for --q: height of the floor in the world, or none (default 0)")
      .flag("--json", options.json, "machine-readable output (JSON)")
      .immediate(
          "--help-keys", "PREFIX",
          "list the keys of an arm file that begin with PREFIX (joints[].drive), those of one friction law (lugre), "
          "or all, and exit",
          [](const std::string& start) { print_keys(arm_keys(), "an arm file", start); })
      .example("armature check my_robot.yaml",
               "exit code 0: sound; 1: errors, or inertia that no body can have; 2: not readable")
      .example("armature check robot.urdf --base base_link --tip tool0", "one chain of a URDF")
      .example("armature check robot.urdf --repair -o fixed.yaml", "what a vendor's careless inertias nearly are")
      .example("armature check robot.urdf --q 0,-90deg,90deg,0,0,0", "exit code 1: it folds into itself or the floor")
      .action([] { return check(options); });
}

}  // namespace armature::app
