// armature show: an arm as a person wants to read it.
#include <fmt/format.h>

#include "arm_options.hpp"
#include "arm_text.hpp"
#include "json_out.hpp"
#include "verbs.hpp"

namespace armature {

void add_show(CommandLine& line) {
  static ArmOptions options;
  static bool json = false;
  Verb& verb = line.verb("show", "show an arm: joints, limits, masses, reach, friction, drives, warnings");
  options.add_to(verb);
  options.add_overrides_to(verb);
  verb.flag("--json", json, "machine-readable output (JSON)")
      .example("armature show puma560", "geometry, limits, masses, friction, drives and where the numbers come from")
      .example("armature show robot.urdf --tip tool0", "the chain from the root of a URDF to tool0")
      .action([] {
        const LoadedArm loaded = options.load();
        if (json)
          print_json(arm_json(loaded));
        else
          fmt::print("{}", arm_text(loaded.arm));
        return exit_done;
      });
}

}  // namespace armature
