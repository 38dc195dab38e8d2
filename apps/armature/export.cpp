// armature export: write an arm back out.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "arm_options.hpp"
#include "armature/algorithms/drive.hpp"
#include "armature/core/error.hpp"
#include "armature/core/text.hpp"
#include "armature/formats/mjcf.hpp"
#include "armature/formats/urdf.hpp"
#include "json_out.hpp"
#include "meshes.hpp"
#include "report_folder.hpp"
#include "terminal.hpp"
#include "verbs.hpp"

namespace armature::app {

namespace {

struct ExportOptions {
  ArmOptions arm;
  std::optional<std::string> format, out;
  bool json = false;
};

const std::vector<std::string> export_formats{"yaml", "urdf", "mjcf"};

/// From --format, else from the ending of the file's name, else yaml.
std::string format_of(const ExportOptions& options) {
  const std::string out = options.out.value_or("");
  if (!options.format) return out.ends_with(".urdf") ? "urdf" : out.ends_with(".xml") ? "mjcf" : "yaml";
  if (std::find(export_formats.begin(), export_formats.end(), *options.format) == export_formats.end())
    throw Error("--format: unknown '" + printable(*options.format) + "'", suggestion(*options.format, export_formats));
  return *options.format;
}

std::string mjcf_of(const Arm& arm) {
  const MatX<double> rotors = reflected_inertia(arm);
  std::vector<MjcfDrive> drives;
  for (int i = 0; i < arm.dof(); ++i) {
    const Drive& drive = arm.joint(i).drive;
    const CoulombViscous shaft = shaft_friction(drive);
    const double n = std::abs(drive.gear_ratio.value_or(1));
    drives.push_back({rotors(i, i), {n * shaft.coulomb, n * n * shaft.viscous}});
  }
  return write_mjcf(arm, drives);
}

struct Exported {
  std::string text;
  std::vector<std::string> left_out;
};
Exported exported(const Arm& arm, const std::string& format, const std::string& out) {
  if (format == "mjcf") return {mjcf_of(arm), left_out_of_mjcf(arm)};
  if (format == "yaml") return {arm_yaml_for(arm.description(), out), {}};
  std::vector<std::string> left_out = left_out_of_urdf(arm.description());
  if (arm.gravity() == ArmDescription{}.gravity) left_out.erase(left_out.begin());  // as everybody has it
  return {write_urdf(Arm(with_meshes_from(arm.description(), out, true))), std::move(left_out)};
}

int export_arm(const ExportOptions& options) {
  const std::string format = format_of(options);
  const std::string out = options.out.value_or("-");
  if (options.json && out == "-")
    throw Error("--json and the arm cannot share the standard output", "give -o FILE, or leave --json out");
  const LoadedArm loaded = options.arm.load();
  const auto [text, left_out] = exported(loaded.arm, format, out);
  if (!left_out.empty())
    warn(fmt::format("{} has no place for: {}", format == "urdf" ? "a URDF" : "this MJCF", fmt::join(left_out, "; ")));
  if (!options.json) {
    write_and_say(out, text);
    return exit_done;
  }
  write_text_file(out, text);
  print_json({{"arm", loaded.arm.name()},
              {"format", format},
              {"out", out},
              {"left_out", left_out},
              {"warnings", loaded.warnings}});
  return exit_done;
}

}  // namespace

void add_export(CommandLine& line) {
  static ExportOptions options;
  Verb& verb = line.verb("export", "write an arm as an arm file, as a URDF or for MuJoCo");
  options.arm.add_to(verb);
  options.arm.add_overrides_to(verb);
  add_package_option(verb);
  verb.option("-f,--format", "NAME", options.format,
              "yaml, urdf or mjcf (default: by the extension of FILE: .yaml, .urdf, .xml)")
      .words(export_formats)
      .option("-o,--out", "FILE", options.out, "output file (default: the standard output)")
      .flag("--json", options.json, "machine-readable output (JSON): what was written")
      .example("armature export puma560 -o my_puma.yaml", "a copy to change; it reads back as exactly the same arm")
      .example("armature export rrr -o rrr.urdf", "for other programs")
      .example("armature export ur5e -o ur5e.xml", "for MuJoCo, with armature, damping and frictionloss")
      .action([] { return export_arm(options); });
}

}  // namespace armature::app
