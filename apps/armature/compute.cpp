// armature compute: everything that can be computed about an arm.
#include "compute.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "armature/core/error.hpp"
#include "armature/core/text.hpp"
#include "terminal.hpp"
#include "verbs.hpp"

namespace armature {

namespace {

const Quantity& quantity_called(const std::string& name) {
  std::vector<std::string> names;
  for (const Quantity& quantity : quantities()) {
    if (quantity.name == name) return quantity;
    names.emplace_back(quantity.name);
  }
  throw Error(fmt::format("cannot compute '{}'", printable(name)), suggestion(name, names));
}

std::string details() {
  std::string text = "WHAT is one of\n";
  for (const Quantity& quantity : quantities()) text += fmt::format("  {:<20}{}\n", quantity.name, quantity.about);
  return text +
         "\nTables are CSV with a header. States are columns q1..qn, v1..vn, a1..an, tau1..taun as WHAT needs them, "
         "in\n"
         "any order, in SI units; results have the columns named above and read back exactly. Everything is rigid "
         "body\n"
         "only unless --with says otherwise.";
}

Frame frame_called(const Arm& arm, const std::string& name) {
  std::vector<std::string> names;
  for (const Frame& frame : arm.frames()) {
    if (frame.name == name) return frame;
    names.push_back(frame.name);
  }
  throw Error(fmt::format("--frame: arm '{}' has no link '{}'", arm.name(), printable(name)), suggestion(name, names));
}

/// Which of `words` an option says.
std::string choice(const char* option, const std::string& word, const std::vector<std::string>& words) {
  if (std::find(words.begin(), words.end(), word) == words.end())
    throw Error(fmt::format("{}: unknown '{}'", option, printable(word)), suggestion(word, words));
  return word;
}

/// The motions named in `text`, in the order of a six-vector; without text all six, or the translations of an arm that
/// has not six joints.
TaskRows task_of(const std::optional<std::string>& text, const Arm& arm) {
  if (!text) return arm.dof() < 6 ? TaskRows::position() : TaskRows::full();
  const std::vector<std::string> names{"x", "y", "z", "rx", "ry", "rz"};
  const std::vector<std::string> words = split_words(*text);
  for (const std::string& word : words) choice("--task", word, names);
  TaskRows rows{};
  for (std::size_t i = 0; i < names.size(); ++i) {
    const auto times = std::count(words.begin(), words.end(), names[i]);
    if (times > 1) throw Error(fmt::format("--task names '{}' twice", names[i]), "once is enough");
    if (times == 1) rows.row[static_cast<std::size_t>(rows.count++)] = static_cast<int>(i);
  }
  return rows;
}

int compute(const ComputeOptions& options) {
  const Quantity& quantity = quantity_called(options.what);
  if (options.in && (options.q || options.v || options.a || options.tau || options.pose))
    throw Error("--in and a state on the command line exclude each other", "give --in or --q, not both");
  const LoadedArm loaded = options.arm.load();
  return options.in ? compute_table(options, quantity, loaded) : compute_one_state(options, quantity, loaded);
}

}  // namespace

ComputeSettings settings_of(const ComputeOptions& options, const Quantity& quantity, const Arm& arm) {
  ComputeSettings settings;
  const auto obeys = [&](const char* setting, const std::string& option) {
    if (quantity.options.find(fmt::format(" {} ", setting)) == std::string_view::npos)
      throw Error(fmt::format("{} changes nothing about {}", option, quantity.name), "leave it out");
  };
  if (options.with)
    for (const std::string& word : split_words(*options.with)) {
      (choice("--with", word, {"friction", "rotor"}) == "friction" ? settings.friction : settings.rotor) = true;
      obeys(word.c_str(), "--with " + word);
    }
  if (options.method) {
    obeys("method", "--method");
    settings.lagrange = choice("--method", *options.method, {"newton-euler", "lagrange"}) == "lagrange";
  }
  if (options.representation) {
    obeys("representation", "--representation");
    settings.angles = choice("--representation", *options.representation, {"zyz", "rpy"}) == "zyz"
                          ? EulerConvention::zyz
                          : EulerConvention::rpy;
    if (options.frame) throw Error("--representation is of the tool, not of another --frame", "leave one of them out");
  }
  if (options.task) obeys("task", "--task");
  settings.task = task_of(options.task, arm);
  if (options.frame) {
    obeys("frame", "--frame");
    settings.frame = frame_called(arm, *options.frame);
  }
  if (options.wrench) {
    obeys("wrench", "--wrench");
    std::vector<Dimension> dimensions(3, dimension::force);
    dimensions.resize(6, dimension::torque);
    const auto w = parse_quantities("--wrench", *options.wrench, dimensions, "fx,fy,fz,mx,my,mz");
    settings.wrench = Vec6<double>(w.data());
    if (settings.lagrange)
      throw Error("--method lagrange takes no --wrench", "leave --method out: Newton-Euler takes one");
  }
  return settings;
}

std::string table_output(const ComputeOptions& options) {
  if (options.json && options.out.value_or("-") == "-")
    throw Error("--json and a table cannot share the standard output", "give --out FILE, or leave --json out");
  return options.out.value_or("-");
}

bool warn_of_degrees(const Arm& arm, const VecX<double>& q, const Place& place) {
  constexpr double eight_turns = 50;  // [rad]
  for (int i = 0; i < arm.dof(); ++i) {
    if (!arm.body(i).revolute || std::abs(q[i]) <= eight_turns) continue;
    warn(fmt::format("{}: q{} is {} rad, {:.3g} turns\n  hint: is it meant in degrees?", to_string(place), i + 1,
                     exact_text(q[i]), std::abs(q[i]) / (2 * pi)));
    return true;
  }
  return false;
}

void refuse_infinite(std::span<const double> numbers, const std::vector<std::string>& columns) {
  for (std::size_t i = 0; i < numbers.size(); ++i)
    if (!std::isfinite(numbers[i]))
      throw Error(fmt::format("{} is not finite for this state", columns[i]), "are the numbers of a sensible size?");
}

void add_compute(CommandLine& line) {
  static ComputeOptions options;
  Verb& verb = line.verb("compute", "compute a quantity of one state, or of every row of a table");
  verb.details(details());
  verb.argument("WHAT", options.what, "what to compute: one of those below");
  options.arm.add_to(verb);
  verb.option("--q", "Q1,..,QN", options.q,
              "one state: positions [rad | m]; units as in 10deg or \"20 mm\" are welcome")
      .option("--v", "V1,..,VN", options.v, "velocities [rad/s | m/s]")
      .option("--a", "A1,..,AN", options.a, "accelerations [rad/s^2 | m/s^2]")
      .option("--tau", "T1,..,TN", options.tau, "torques and forces of the joints [N m | N]")
      .option("--in", "FILE", options.in, "many states: a table, or - for the standard input")
      .option("-o,--out", "FILE", options.out, "the table of results; the standard output unless given")
      .option("--with", "WORDS", options.with, "add friction, rotor, or friction,rotor")
      .option("--method", "NAME", options.method, "of inverse-dynamics: newton-euler (default) or lagrange")
      .option("--representation", "NAME", options.representation, "of jacobian: rates of zyz or rpy angles")
      .option("--task", "WORDS", options.task,
              "of operational-space: which of x,y,z,rx,ry,rz; all, or x,y,z for less than six joints")
      .option("--frame", "LINK", options.frame, "of forward-kinematics and jacobian: this link's frame, not the tool")
      .option("--wrench", "FX,..,MZ", options.wrench, "force and moment on the tool, base axes [N, N m]");
  options.arm.add_overrides_to(verb);
  verb.flag("--json", options.json, "for machines")
      .example("armature compute inverse-dynamics rrr --q 10deg,20deg,0.3 --v 0,0,0 --a 1,0,0", "torques for one state")
      .example("armature compute mass-matrix puma560 --q 0,0,0,0,0,0 --with rotor --json", "for another program")
      .example("armature compute forward-kinematics ur5e --in states.csv --out poses.csv", "a million rows, if need be")
      .example("generate | armature compute gravity panda --in - --out - | plot", "in a pipe")
      .action([] { return compute(options); });
}

}  // namespace armature
