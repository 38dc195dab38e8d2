// armature study: reproduce a paper, claim by claim.
#include "study.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "armature/core/error.hpp"
#include "armature/core/text.hpp"
#include "json_out.hpp"
#include "terminal.hpp"
#include "text_table.hpp"
#include "verbs.hpp"

namespace armature {

namespace {

int list_studies() {
  std::vector<std::vector<std::string>> rows;
  for (const Study& study : all_studies()) rows.push_back({study.name, study.title});
  fmt::print("{}", text_table({"study", "of"}, rows));
  return exit_done;
}

std::vector<const Study*> chosen(const std::string& name) {
  std::vector<const Study*> studies;
  std::vector<std::string> names{"all", "list"};
  for (const Study& study : all_studies()) {
    names.push_back(study.name);
    if (name == "all" || name == study.name) studies.push_back(&study);
  }
  if (studies.empty()) throw Error(fmt::format("there is no study '{}'", printable(name)), suggestion(name, names));
  return studies;
}

int study(const std::string& name, bool json) {
  if (name == "list") return list_studies();
  bool all_hold = true;
  Json answer = Json::array();
  for (const Study* s : chosen(name)) {
    const StudyResult result = s->run([&](const std::string& step) {
      if (progress_is_watched()) fmt::print(stderr, "\r\033[K{}: {} ...", s->name, step);
    });
    if (progress_is_watched()) fmt::print(stderr, "\r\033[K");
    const auto held = std::count_if(result.claims.begin(), result.claims.end(), [](const Claim& c) { return c.holds; });
    all_hold = all_hold && held == static_cast<std::ptrdiff_t>(result.claims.size());
    if (json) {
      Json claims = Json::array();
      for (const Claim& c : result.claims)
        claims.push_back({{"id", c.id},
                          {"claim", c.says},
                          {"paper", c.paper},
                          {"ours", c.ours},
                          {"holds", c.holds},
                          {"remark", c.remark}});
      answer.push_back({{"study", s->name}, {"title", s->title}, {"claims", claims}});
      continue;
    }
    fmt::print("{}: {}\n\n", s->name, s->title);
    for (const Claim& c : result.claims) {
      fmt::print("  {}  {}\n", c.holds ? "holds   " : "does NOT", c.says);
      fmt::print("            paper: {}\n            ours:  {}\n", c.paper, wrapped(c.ours, 19));
      if (!c.remark.empty()) fmt::print("            note:  {}\n", wrapped(c.remark, 19));
    }
    fmt::print("\n  {} of {} claims hold.\n", held, result.claims.size());
  }
  if (json) print_json(answer);
  return all_hold ? exit_done : exit_no;
}

}  // namespace

void add_study(CommandLine& line) {
  static std::string name;
  static bool json = false;
  line.verb("study", "reproduce a paper: claim, paper, ours, holds or not")
      .argument("NAME", name, "a study, `list` or `all`")
      .flag("--json", json, "for machines")
      .example("armature study list", "which there are")
      .example("armature study vandeven1986", "exit code 1 if a claim does not hold")
      .action([] { return study(name, json); });
}

}  // namespace armature
