// armature show: an arm as a person wants to read it.
#include <fmt/format.h>

#include <algorithm>
#include <cstdio>

#include "arm_options.hpp"
#include "arm_text.hpp"
#include "armature/core/error.hpp"
#include "json_out.hpp"
#include "verbs.hpp"

namespace armature::app {

void add_show(CommandLine& line) {
  static ArmOptions options;
  static bool json = false, tree = false;
  Verb& verb = line.verb("show", "show an arm: joints, limits, masses, reach, friction, drives, warnings");
  options.add_to(verb);
  options.add_overrides_to(verb);
  verb.flag("--tree", tree, "every link and joint of the file as a tree, and its limbs with their commands")
      .flag("--json", json, "machine-readable output (JSON)")
      .example("armature show puma560", "geometry, limits, masses, friction, drives and where the numbers come from")
      .example("armature show robot.urdf --tip tool0",
               "the chain from the root of a URDF to tool0; without --tip its only limb, or a list of them")
      .example("armature show robot.urdf --tree", "what is in the file: links, joints, masses, limbs")
      .action([] {
        if (tree && json) throw Error("--tree and --json exclude each other", "leave one out");
        if (tree) {
          const ArmTree shown = arm_tree_text(options.arm);
          fmt::print("{}", shown.text);
          std::fflush(stdout);  // before what is wrong in it
          constexpr std::size_t most = 8;
          for (std::size_t i = 0; i < std::min(most, shown.faults.size()); ++i)
            fmt::print(stderr, "error: {}\n", shown.faults[i]);
          if (shown.faults.size() > most) fmt::print(stderr, "... and {} more\n", shown.faults.size() - most);
          return shown.faults.empty() ? exit_done : exit_wrong_input;
        }
        const LoadedArm loaded = options.load(ArmUse::kinematics);
        if (json)
          print_json(arm_json(loaded));
        else
          fmt::print("{}", arm_text(loaded.arm));
        return exit_done;
      });
}

}  // namespace armature::app
