// armature study: reproduce a paper, claim by claim.
#include "study.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "armature/core/error.hpp"
#include "armature/core/text.hpp"
#include "armature/report/page.hpp"
#include "json_out.hpp"
#include "report_folder.hpp"
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

/// The page of one study; in its own folder when all are run.
std::string write_study(const Study& study, StudyResult result, const std::string& folder) {
  return write_report({.kind = "study",
                       .title = study.name,
                       .subtitle = study.title,
                       .claims = std::move(result.claims),
                       .logs = std::move(result.logs)},
                      folder);
}

/// A page that leads to the studies' pages.
std::string write_index(const std::vector<Card>& cards, const std::string& folder) {
  const Report report{
      .kind = "study",
      .title = "Papers, claim by claim",
      .subtitle = "Each paper's statements, run again: what it says, what came out here, whether it holds.",
      .facts = provenance()};
  const std::string path = (std::filesystem::path(folder) / "index.html").string();
  write_text_file(path, index_page(report, cards));
  return path;
}

int study(const std::string& name, const std::optional<std::string>& out, bool json) {
  if (name == "list") return list_studies();
  bool all_hold = true;
  Json answer = Json::array();
  std::vector<Card> cards;
  if (out) make_folder(*out);  // before the work, not after it
  for (const Study* s : chosen(name)) {
    StudyResult result = s->run([&](const std::string& step) {
      if (progress_is_watched()) fmt::print(stderr, "\r\033[K{}: {} ...", s->name, step);
    });
    if (progress_is_watched()) fmt::print(stderr, "\r\033[K");
    const auto held = std::count_if(result.claims.begin(), result.claims.end(), [](const Claim& c) { return c.holds; });
    const auto tried =
        std::count_if(result.claims.begin(), result.claims.end(), [](const Claim& c) { return c.tried; });
    all_hold = all_hold && held == tried;
    std::string page;
    if (out) {
      Card card{s->name, s->title, s->name + "/index.html", static_cast<int>(held),
                static_cast<int>(result.claims.size())};
      card.figure = thumbnail(Report{.logs = result.logs});
      cards.push_back(card);
      page = write_study(*s, result, name == "all" ? (std::filesystem::path(*out) / s->name).string() : *out);
    }
    if (json) {
      Json claims = Json::array();
      for (const Claim& c : result.claims)
        claims.push_back({{"id", c.id},
                          {"claim", c.says},
                          {"paper", c.paper},
                          {"ours", c.ours},
                          {"tried", c.tried},
                          {"holds", c.holds},
                          {"remark", c.remark}});
      answer.push_back({{"study", s->name}, {"title", s->title}, {"claims", claims}});
      if (out) answer.back()["page"] = page;
      continue;
    }
    fmt::print("{}: {}\n\n", s->name, s->title);
    for (const Claim& c : result.claims) {
      fmt::print("  {}  {}\n", c.holds ? "holds   " : c.tried ? "does NOT" : "NOT TRIED", c.says);
      fmt::print("            paper: {}\n            ours:  {}\n", c.paper, wrapped(c.ours, 19));
      if (!c.remark.empty()) fmt::print("            note:  {}\n", wrapped(c.remark, 19));
    }
    fmt::print("\n  {} of {} claims hold{}.\n", held, result.claims.size(),
               tried < static_cast<std::ptrdiff_t>(result.claims.size())
                   ? "; what could not be tried says what it needs"
                   : "");
    if (out) fmt::print("  page: {}\n", page);
  }
  if (out && name == "all") {
    const std::string page = write_index(cards, *out);
    if (!json) fmt::print("\n  all pages: {}\n", page);
  }
  if (json) print_json(answer);
  return all_hold ? exit_done : exit_no;
}

}  // namespace

void add_study(CommandLine& line) {
  static std::string name;
  static std::optional<std::string> out;
  static bool json = false;
  line.verb("study", "reproduce a paper: claim, paper, ours, holds or not")
      .argument("NAME", name, "a study, `list` or `all`")
      .option("-o,--out", "DIR", out,
              "folder for the page and the logs; with `all`, one a study and an index over them")
      .flag("--json", json, "for machines")
      .example("armature study list", "which there are")
      .example("armature study vandeven1986", "exit code 1 if a claim does not hold")
      .example("armature study all -o out/studies", "out/studies/index.html leads to all of them")
      .action([] { return study(name, out, json); });
}

}  // namespace armature
