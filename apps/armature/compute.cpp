// armature compute: everything that can be computed about an arm.
#include "compute.hpp"

#include <fmt/format.h>

#include "armature/core/error.hpp"
#include "armature/core/text.hpp"
#include "verbs.hpp"

namespace armature::app {

namespace {

/// What is not computed of one state, and who computes it.
struct Special {
  std::string_view name, about;
  int (*compute)(const ComputeOptions&, const LoadedArm&);
};
const std::vector<Special> specials{
    {"inverse-kinematics",
     "joint positions that bring the tool to x,y,z[,qw..qz]: row,branch,q1.., one row per solution",
     compute_inverse_kinematics},
    {"base-parameters", "combinations of inertial parameters on which the torques depend, with the arm's values: p1..",
     compute_base_parameters},
};

std::string compute_details() {
  std::string text = "WHAT is one of\n";
  for (const Quantity& quantity : quantities()) text += fmt::format("  {:<30}{}\n", quantity.name, quantity.about);
  for (const Special& special : specials) text += fmt::format("  {:<30}{}\n", special.name, special.about);
  return text + R"(
Tables are CSV with a header. States are columns q1..qn, v1..vn, a1..an, tau1..taun as WHAT needs them, in any order,
in SI units; results have the columns named above and read back exactly. Everything is of rigid bodies only unless
--with says otherwise.)";
}

std::vector<std::string> names() {
  std::vector<std::string> list;
  for (const Quantity& quantity : quantities()) list.emplace_back(quantity.name);
  for (const Special& special : specials) list.emplace_back(special.name);
  return list;
}

int compute(const ComputeOptions& options) {
  if (options.in && (options.q || options.v || options.a || options.tau || options.pose))
    throw Error("--in and a state on the command line exclude each other", "give one of them");
  for (const Quantity& quantity : quantities())
    if (quantity.name == options.what) {
      const LoadedArm loaded = options.arm.load(quantity_use(quantity.name), options.kernels.set());
      options.kernels.check(loaded.arm);
      return options.in ? compute_table(options, quantity, loaded) : compute_one_state(options, quantity, loaded);
    }
  for (const Special& special : specials)
    if (special.name == options.what) return special.compute(options, options.arm.load(quantity_use(special.name)));

  throw Error(fmt::format("cannot compute '{}'", printable(options.what)), suggestion(options.what, names()));
}

}  // namespace

void add_compute(CommandLine& line) {
  static ComputeOptions options;
  Verb& verb = line.verb("compute", "compute a quantity of one state, or of every row of a table");
  verb.details(compute_details());
  verb.argument("WHAT", options.what, "what to compute: one of the quantities below").words(names());
  options.arm.add_to(verb);
  verb.option("--q", "Q1,..,QN", options.q, "positions of one state [rad | m]; units may be given: 10deg, 20mm")
      .option("--v", "V1,..,VN", options.v, "velocities [rad/s | m/s]")
      .option("--a", "A1,..,AN", options.a, "accelerations [rad/s^2 | m/s^2]")
      .option("--tau", "T1,..,TN", options.tau, "torques and forces of the joints [N m | N]")
      .option("--pose", "X,Y,Z,..", options.pose,
              "inverse-kinematics: one target, x,y,z alone or with qw,qx,qy,qz or roll,pitch,yaw")
      .option("--in", "FILE", options.in, "table of states or targets; - is the standard input")
      .option("-o,--out", "FILE", options.out, "table of results (default: the standard output)")
      .option("--with", "WORDS", options.with, "include friction, rotor or friction,rotor")
      .words({"friction", "rotor", "friction,rotor"})
      .option("--method", "NAME", options.method,
              "inverse-dynamics: newton-euler (default) or lagrange; inverse-kinematics: closed-form (default where "
              "known), damped-least-squares (default elsewhere), newton or transposed-jacobian")
      .words({"newton-euler", "lagrange", "closed-form", "damped-least-squares", "newton", "transposed-jacobian"})
      .option("--guess", "Q1,..,QN", options.guess,
              "inverse-kinematics: where to start, or which solution to stay near")
      .option("--redundancy", "ANGLE", options.redundancy,
              "inverse-kinematics of seven-axis arms: the arm angle where the wrist is spherical, else the position of "
              "joint 7 (default: that of the guess, or next to it where that keeps the limits)")
      .option("--representation", "NAME", options.representation, "jacobian: rates of zyz or rpy angles")
      .words({"zyz", "rpy"})
      .option("--task", "WORDS", options.task,
              "operational-space: some of x,y,z,rx,ry,rz (default: all; x,y,z for arms with fewer than six joints)")
      .option("--frame", "LINK", options.frame,
              "forward-kinematics and jacobian: the frame of this link instead of the tool")
      .option("--wrench", "FX,..,MZ", options.wrench, "force and moment on the tool, in base axes [N, N m]");
  options.kernels.add_to(verb);
  options.arm.add_overrides_to(verb);
  verb.flag("--json", options.json, "machine-readable output (JSON)")
      .example("armature compute inverse-dynamics rrr --q 10deg,20deg,0.3 --v 0,0,0 --a 1,0,0", "torques for one state")
      .example("armature compute mass-matrix puma560 --q 0,0,0,0,0,0 --with rotor --json",
               "the result as JSON, for another program")
      .example("armature compute inverse-kinematics rrr --pose 0.3,0.3,0.7", "every way to reach a point")
      .example("armature compute forward-kinematics ur5e --in states.csv --out poses.csv",
               "a table of any length, row by row")
      .example("generate | armature compute gravity panda --in - --out - | plot", "in a pipe")
      .action([] { return compute(options); });
}

}  // namespace armature::app
