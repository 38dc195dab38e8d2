// armature report: a page for people from what a run or an experiment left.
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "arm_options.hpp"
#include "armature/core/error.hpp"
#include "armature/core/text.hpp"
#include "armature/formats/log_csv.hpp"
#include "armature/formats/report_json.hpp"
#include "armature/report/page.hpp"
#include "armature/run/log_scene.hpp"
#include "json_out.hpp"
#include "meshes.hpp"
#include "report_folder.hpp"
#include "verbs.hpp"

namespace armature::app {

namespace {

namespace fs = std::filesystem;

struct ReportOptions {
  std::string from;
  std::optional<std::string> out, title, order, arm, map, base, tip;
  std::vector<std::string> lock;
  bool json = false;
};

/// The arm that the logs move, where one is named.
void add_arm(Report& report, const std::vector<fs::path>& files, const ReportOptions& options) {
  if (!options.arm) {
    if (options.map || options.base || options.tip || !options.lock.empty())
      throw Error("--map, --base, --tip and --lock are for the arm that a log moves", "add --arm ARM");
    return;
  }
  ArmOptions chosen;
  chosen.arm = *options.arm;
  chosen.base = options.base;
  chosen.tip = options.tip;
  chosen.lock = options.lock;
  const Arm arm = chosen.load(ArmUse::kinematics).arm;
  const LogMap map = options.map ? read_log_map(*options.map, arm) : LogMap{};
  for (std::size_t i = 0; i < files.size(); ++i) {
    add_measured_scene(report.logs[i], arm, map, files[i].string());
    report.logs[i].facts.emplace_back("robot", arm.name());
  }
  read_meshes(report);
}

Report of_logs(const std::vector<fs::path>& files, const std::string& title, const ReportOptions& options) {
  Report report{"report", title};
  report.facts = provenance();
  for (const fs::path& file : files) {
    Log& log = report.logs.emplace_back(read_log(file.string()));
    if (log.title.empty()) log.title = file.stem().string();
  }
  add_arm(report, files, options);
  return report;
}

/// Folders below that hold a report: those of `order` first, then the others in the order of their names.
std::vector<fs::path> reports_below(const fs::path& folder, const std::optional<std::string>& order) {
  std::vector<fs::path> found;
  if (fs::exists(folder / "report.json")) return found;
  for (const auto& entry : fs::directory_iterator(folder))
    if (fs::exists(entry.path() / "report.json")) found.push_back(entry.path());
  std::sort(found.begin(), found.end());
  auto next = found.begin();
  for (const std::string& name : order ? split_words(*order) : std::vector<std::string>{}) {
    const auto at = std::find(next, found.end(), folder / name);
    if (at == found.end()) {
      std::vector<std::string> left;
      for (auto other = next; other != found.end(); ++other) left.push_back(other->filename().string());
      throw Error(fmt::format("--order: no {}folder '{}' with a report", next == found.begin() ? "" : "further ",
                              printable(name)),
                  suggestion(name, left), {folder.string()});
    }
    std::rotate(next, at, at + 1);
    ++next;
  }
  return found;
}

/// A page that leads to the pages of the folders below; those are drawn again too.
int report_index(const ReportOptions& options, const std::vector<fs::path>& folders) {
  const fs::path from(options.from);
  std::vector<Card> cards;
  for (const fs::path& folder : folders) {
    const Report found = read_report(folder.string());
    write_text_file((folder / "index.html").string(), page(found));
    const std::string name = folder.filename().string();
    Card card{name, found.title, name + "/index.html"};
    card.claims = static_cast<int>(found.claims.size());
    card.held = static_cast<int>(
        std::count_if(found.claims.begin(), found.claims.end(), [](const Claim& c) { return c.holds; }));
    card.figures = figures_in(found);
    if (!found.subtitle.empty())
      card.title = found.title == name ? found.subtitle : found.title + ": " + found.subtitle;
    card.figure = thumbnail(found);
    card.equations = leading_equations(found);
    cards.push_back(std::move(card));
  }
  const Report heading{.kind = "report",
                       .title = options.title.value_or(fs::weakly_canonical(from).filename().string()),
                       .facts = provenance()};
  const std::string out = options.out.value_or((from / "index.html").string());
  write_text_file(out, index_page(heading, cards));
  if (options.json)
    print_json(Json{{"page", out}, {"title", heading.title}, {"pages", cards.size()}});
  else
    fmt::print("{}: {} pages\n  page: {}\n", printable(heading.title), cards.size(), out);
  return exit_done;
}

/// The logs of a folder that no report lies in.
Report of_folder(const fs::path& folder, const ReportOptions& options) {
  if (fs::exists(folder / "report.json")) {
    if (options.arm)
      throw Error("--arm is for logs; this folder holds a report, which has its arm", "leave --arm out, or name a log",
                  {folder.string()});
    return read_report(folder.string());
  }
  std::vector<fs::path> files;
  for (const auto& entry : fs::directory_iterator(folder))
    if (entry.path().extension() == ".csv") files.push_back(entry.path());
  if (files.empty())
    throw Error("holds neither report.json nor a log (*.csv)", "name the folder that -o of another verb made",
                {folder.string()});
  std::sort(files.begin(), files.end());
  return of_logs(files, fs::weakly_canonical(folder).filename().string(), options);
}

int report(const ReportOptions& options) {
  const fs::path from(options.from);
  const bool folder = fs::is_directory(from);
  if (folder)
    if (const std::vector<fs::path> below = reports_below(from, options.order); !below.empty()) {
      if (options.arm) throw Error("--arm is for logs; this folder holds reports", "name a log", {options.from});
      return report_index(options, below);
    }
  if (options.order)
    throw Error("--order is for a folder of folders", "name the folder above those that -o of other verbs made",
                {options.from});
  const fs::path plain = from.extension() == ".xz" ? from.parent_path() / from.stem() : from;  // log.csv.xz: log
  Report found = folder ? of_folder(from, options) : of_logs({from}, plain.stem().string(), options);
  if (options.title) found.title = *options.title;
  const std::string out =
      options.out ? *options.out : (folder ? from / "index.html" : fs::path(plain).replace_extension(".html")).string();
  write_text_file(out, page(found));
  std::size_t samples = 0;
  const int figures = figures_in(found);
  for (const Log& log : found.logs) samples += log.time.size();
  if (options.json)
    print_json(Json{{"page", out}, {"title", found.title}, {"logs", found.logs.size()}, {"samples", samples}});
  else
    fmt::print("{}: {} log{}, {} samples, {} figure{}\n  page: {}\n", printable(found.title), found.logs.size(),
               found.logs.size() == 1 ? "" : "s", samples, figures, figures == 1 ? "" : "s", out);
  return exit_done;
}

}  // namespace

void add_report(CommandLine& line) {
  static ReportOptions options;
  Verb& verb = line.verb("report", "draw a page with plots, the moving arm and tables; one file for any browser");
  verb.argument(
          "FROM", options.from,
          "a folder that another verb wrote with -o, a folder of such folders, or a log (.csv, .csv.xz, .npz, .mcap)")
      .option("-o,--out", "FILE", options.out, "the page (default: FROM/index.html, or beside the log)")
      .option("--title", "TEXT", options.title, "heading of the page (default: that of the run, or the name of FROM)")
      .option("--order", "NAMES", options.order,
              "of a folder of folders: those that come first, in this order; the others follow by name")
      .option("--arm", "ARM", options.arm,
              "of a log: the arm that its positions move, a built-in one, an arm file (.yaml) or a URDF (.urdf)")
      .option("--map", "FILE", options.map,
              "for --arm: YAML file that says which columns are the positions (docs/logs.md)")
      .option("--base", "LINK", options.base, "for --arm, of a URDF: the link at which the chain begins")
      .option("--tip", "LINK", options.tip, "for --arm, of a URDF: the link at which the chain ends")
      .list("--lock", "JOINT=VALUE", options.lock, "for --arm, of a URDF: hold a joint at a position; may be repeated");
  add_mesh_options(verb);
  verb.flag("--json", options.json, "machine-readable output (JSON)")
      .details(
          "The page is self-contained: it needs no network and no server. Drag to zoom, double-click to show all, "
          "space "
          "plays, arrow keys move the cursor, t switches between light and dark. Pictures are saved as SVG or PNG, "
          "numbers as CSV.")
      .example("armature report out/step", "draws out/step/index.html again")
      .example("armature report out", "out/index.html leads to the pages of all folders in out")
      .example("armature report out --title \"Arm 3\" --order measured,identified",
               "the same with a heading of its own, these two first")
      .example("armature report measured.csv", "any table with a column \"time [s]\" is a log; writes measured.html")
      .example("armature report measured.csv --arm robot.urdf", "the same with the arm, moved by the log")
      .action([] { return report(options); });
}

}  // namespace armature::app
