// armature export: write an arm back out.
#include "arm_options.hpp"
#include "armature/core/error.hpp"
#include "armature/core/text.hpp"
#include "armature/formats/arm_yaml.hpp"
#include "armature/formats/urdf.hpp"
#include "json_out.hpp"
#include "report_folder.hpp"
#include "verbs.hpp"

namespace armature {

namespace {

struct ExportOptions {
  ArmOptions arm;
  std::optional<std::string> format, out;
  bool json = false;
};

/// From --format, else from the ending of the file's name, else yaml.
std::string format_of(const ExportOptions& options) {
  if (!options.format) return options.out && options.out->ends_with(".urdf") ? "urdf" : "yaml";
  if (*options.format != "yaml" && *options.format != "urdf")
    throw Error("--format: unknown '" + printable(*options.format) + "'",
                suggestion(*options.format, {"yaml", "urdf"}));
  return *options.format;
}

int export_arm(const ExportOptions& options) {
  const std::string format = format_of(options);
  const std::string out = options.out.value_or("-");
  if (options.json && out == "-")
    throw Error("--json and the arm cannot share the standard output", "give -o FILE, or leave --json out");
  const LoadedArm loaded = options.arm.load();
  const std::string text = format == "urdf" ? write_urdf(loaded.arm) : write_arm_yaml(loaded.arm.description());
  if (!options.json) {
    write_and_say(out, text);
    return exit_done;
  }
  write_text_file(out, text);
  print_json({{"arm", loaded.arm.name()}, {"format", format}, {"out", out}, {"warnings", loaded.warnings}});
  return exit_done;
}

}  // namespace

void add_export(CommandLine& line) {
  static ExportOptions options;
  Verb& verb = line.verb("export", "write an arm as an arm file or as a URDF");
  options.arm.add_to(verb);
  options.arm.add_overrides_to(verb);
  verb.option("-f,--format", "NAME", options.format, "yaml or urdf (default: by the extension of FILE)")
      .words({"yaml", "urdf"})
      .option("-o,--out", "FILE", options.out, "output file (default: the standard output)")
      .flag("--json", options.json, "machine-readable output (JSON): what was written")
      .example("armature export puma560 -o my_puma.yaml", "a copy to change; it reads back as exactly the same arm")
      .example("armature export rrr -o rrr.urdf", "for other programs")
      .action([] { return export_arm(options); });
}

}  // namespace armature
