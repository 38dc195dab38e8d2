// armature study: reproduce a paper, claim by claim.
#include "study.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <set>

#include "armature/core/error.hpp"
#include "armature/core/text.hpp"
#include "armature/formats/catalogue.hpp"
#include "armature/report/page.hpp"
#include "json_out.hpp"
#include "laboratory.hpp"
#include "report_folder.hpp"
#include "scenario_options.hpp"
#include "study_progress.hpp"
#include "text_table.hpp"
#include "verbs.hpp"

namespace armature::app {

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

/// Only the channels that the log's figures and its arm show; all where it names no figures.
Log concise(Log log) {
  if (log.time_figures.empty()) return log;
  std::set<std::string> shown;
  for (const TimeFigure& figure : log.time_figures) shown.insert(figure.channels.begin(), figure.channels.end());
  for (const SceneFrame& frame : log.scene) {
    shown.insert({frame.joint, frame.reference});
    shown.insert(frame.channels.begin(), frame.channels.end());
  }
  for (const SceneArrow& arrow : log.arrows) shown.insert(arrow.channels.begin(), arrow.channels.end());
  std::erase_if(log.channels, [&](const Channel& c) { return !shown.contains(c.name); });
  return log;
}

/// The page of one study; in its own folder when all are run.
std::string write_study(const Study& study, StudyResult result, OutputFolder& folder, bool all_channels) {
  if (!all_channels)
    for (Log& log : result.logs) log = concise(std::move(log));
  std::string page = write_report({.kind = "study",
                                   .title = study.name,
                                   .subtitle = study.title,
                                   .claims = std::move(result.claims),
                                   .logs = std::move(result.logs)},
                                  folder);
  folder.commit();
  return page;
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

/// The first curve of a study over time or over a quantity that grows, small, where somebody watches a terminal.
void print_first_curve(const std::vector<Log>& logs) {
  for (const Log& log : logs) {
    for (const Figure& f : log.figures)
      if (!f.series.empty() && f.series[0].x.size() > 20 && !f.x.logarithmic && std::ranges::is_sorted(f.series[0].x))
        return print_plot(fmt::format("{}: {} [{}] over {}", f.title, f.y.label, f.y.unit, f.x.label), f.series[0].x,
                          f.series[0].y, f.x.unit);
    for (const TimeFigure& f : log.time_figures)
      for (const Channel& c : log.channels)
        if (!f.channels.empty() && c.name == f.channels[0] && log.time.size() > 20)
          return print_plot(fmt::format("{}: {} [{}]", f.title, c.name, c.unit), log.time, c.values);
  }
}

/// How many claims hold, and how many could be tried.
std::pair<std::ptrdiff_t, std::ptrdiff_t> counted(const std::vector<Claim>& claims) {
  return {std::count_if(claims.begin(), claims.end(), [](const Claim& c) { return c.holds; }),
          std::count_if(claims.begin(), claims.end(), [](const Claim& c) { return c.tried; })};
}

Json claims_json(const Study& s, const StudyResult& result) {
  Json claims = Json::array();
  for (const Claim& c : result.claims)
    claims.push_back({{"id", c.id},
                      {"claim", c.says},
                      {"paper", c.paper},
                      {"ours", c.ours},
                      {"tried", c.tried},
                      {"holds", c.holds},
                      {"remark", c.remark}});
  return {{"study", s.name}, {"title", s.title}, {"claims", claims}};
}

void print_claims(const Study& s, const StudyResult& result) {
  const auto [held, tried] = counted(result.claims);
  fmt::print("{}: {}\n\n", s.name, s.title);
  for (const Claim& c : result.claims) {
    fmt::print("  {}  {}\n", c.holds ? "holds   " : c.tried ? "does NOT" : "NOT TRIED", c.says);
    fmt::print("            paper: {}\n            ours:  {}\n", c.paper, wrapped(c.ours, 19));
    if (!c.remark.empty()) fmt::print("            note:  {}\n", wrapped(c.remark, 19));
  }
  fmt::print(
      "\n  {} of {} claims hold{}.\n", held, result.claims.size(),
      tried < static_cast<std::ptrdiff_t>(result.claims.size()) ? "; what could not be tried says what it needs" : "");
}

int study(const std::string& name, const std::optional<std::string>& out, bool all_channels, bool json) {
  if (name == "list") return list_studies();
  bool all_hold = true;
  Json answer = Json::array();
  std::vector<Card> cards;
  const std::vector<const Study*> studies = chosen(name);
  double later = 0;
  for (const Study* s : studies) later += s->seconds;
  for (std::size_t k = 0; k < studies.size(); ++k) {
    const Study* s = studies[k];
    later -= s->seconds;
    std::optional<OutputFolder> folder;  // before the work, not after it
    if (out) folder.emplace(name == "all" ? (std::filesystem::path(*out) / s->name).string() : *out);
    const StudyResult result = [&] {
      StudyProgress line(*s, studies.size() > 1 ? fmt::format("{} of {}, ", k + 1, studies.size()) : "", later);
      return s->run([&](const std::string& step) { line.step(step); });
    }();
    const auto [held, tried] = counted(result.claims);
    all_hold = all_hold && held == tried;
    std::string page;
    if (out) {
      Card card{s->name, s->title, s->name + "/index.html", static_cast<int>(held),
                static_cast<int>(result.claims.size())};
      const Report drawn{.logs = result.logs};
      card.figure = thumbnail(drawn);
      card.figures = figures_in(drawn);
      cards.push_back(card);
      page = write_study(*s, result, *folder, all_channels);
    }
    if (json) {
      answer.push_back(claims_json(*s, result));
      if (out) answer.back()["page"] = page;
      continue;
    }
    print_claims(*s, result);
    print_first_curve(result.logs);
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
  static std::optional<std::string> out, arms;
  static std::vector<std::string> settings;
  static bool json = false, all_channels = false;
  std::vector<std::string> names{"list", "all"};
  for (const Study& one : all_studies()) names.push_back(one.name);
  line.verb("study", "reproduce a paper claim by claim: the paper's value, ours, and whether the claim holds")
      .argument("NAME", name, "a study, `list` or `all`")
      .words(names)
      .option("-o,--out", "DIR", out,
              "folder for the page and the logs; with `all`, one per study and an index of them")
      .option(
          "--arms", "DIR", arms,
          "arm files that stand in for the built-in arms of the same names (arms/rrr.yaml ...): which claims depend on "
          "what")
      .list("--set", "KEY=VALUE", settings,
            "replace a setting in every scenario of the study, e.g. belief.mass_factor=[1.1]; may be repeated")
      .flag("--all-channels", all_channels,
            "keep every channel of the runs in pages and logs, not only those that figures and arms show (many "
            "megabytes)")
      .flag("--json", json, "machine-readable output (JSON)")
      .example("armature study list", "the studies there are")
      .example("armature study vandeven1986", "exit code 1 if a claim does not hold")
      .example("armature study verona2023 --set belief.mass_factor=[1.1]", "which claims depend on an exact model")
      .example("armature study all -o out/studies", "out/studies/index.html leads to all of them")
      .action([] {
        if (arms) replace_catalogue_arms(*arms);
        laboratory::set_in_every_scenario(parse_settings(settings));
        return study(name, out, all_channels, json);
      });
}

}  // namespace armature::app
