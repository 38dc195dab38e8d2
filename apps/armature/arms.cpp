// armature arms: the built-in arms.
#include <fmt/format.h>

#include "armature/formats/catalogue.hpp"
#include "json_out.hpp"
#include "text_table.hpp"
#include "verbs.hpp"

namespace armature::app {

namespace {

int list_arms(bool json) {
  Json answer = Json::array();
  std::vector<std::vector<std::string>> rows;
  for (const std::string& name : catalogue_names()) {
    const Arm arm = catalogue_arm(name);
    const ArmDescription& d = arm.description();
    rows.push_back({name, fmt::format("{}", arm.dof()), d.description + (d.unphysical.empty() ? "" : " (unphysical)")});
    rows.push_back({"", "", d.source});
    Json entry{{"name", name}, {"dof", arm.dof()}, {"description", d.description}, {"source", d.source}};
    if (!d.unphysical.empty()) entry["unphysical"] = d.unphysical;
    answer.push_back(entry);
  }
  if (json) {
    print_json(answer);
    return exit_done;
  }
  fmt::print("{}", text_table({"name", "joints", "what it is, and where its numbers come from"}, rows));
  fmt::print("\n`armature show NAME` tells more.\n");
  return exit_done;
}

}  // namespace

void add_arms(CommandLine& line) {
  static bool json = false;
  line.verb("arms", "list the built-in arms")
      .flag("--json", json, "machine-readable output (JSON)")
      .example("armature arms", "the names that stand for ARM in the other verbs")
      .action([] { return list_arms(json); });
}

}  // namespace armature::app
