// armature report: a page for people from what a run or an experiment left.
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "armature/core/error.hpp"
#include "armature/core/text.hpp"
#include "armature/formats/log_csv.hpp"
#include "armature/formats/report_json.hpp"
#include "armature/report/page.hpp"
#include "json_out.hpp"
#include "report_folder.hpp"
#include "verbs.hpp"

namespace armature {

namespace {

namespace fs = std::filesystem;

struct ReportOptions {
  std::string from;
  std::optional<std::string> out;
  bool json = false;
};

Report of_logs(const std::vector<fs::path>& files, const std::string& title) {
  Report report{"report", title};
  report.facts = provenance();
  for (const fs::path& file : files) {
    Log& log = report.logs.emplace_back(read_log(file.string()));
    if (log.title.empty()) log.title = file.stem().string();
  }
  return report;
}

/// The logs of a folder that no report lies in.
Report of_folder(const fs::path& folder) {
  if (fs::exists(folder / "report.json")) return read_report(folder.string());
  std::vector<fs::path> files;
  for (const auto& entry : fs::directory_iterator(folder))
    if (entry.path().extension() == ".csv") files.push_back(entry.path());
  if (files.empty())
    throw Error("holds neither report.json nor a log (*.csv)", "name the folder that -o of another verb made",
                {folder.string()});
  std::sort(files.begin(), files.end());
  return of_logs(files, fs::weakly_canonical(folder).filename().string());
}

int report(const ReportOptions& options) {
  const fs::path from(options.from);
  const bool folder = fs::is_directory(from);
  const Report found = folder ? of_folder(from) : of_logs({from}, from.stem().string());
  const std::string out =
      options.out ? *options.out : (folder ? from / "index.html" : fs::path(from).replace_extension(".html")).string();
  write_text_file(out, page(found));
  std::size_t samples = 0, figures = 0;
  for (const Log& log : found.logs)
    samples += log.time.size(), figures += log.figures.size() + log.spectra.size() + log.matrices.size();
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
  line.verb("report", "draw a page: plots, the moving arm, tables; one file, for any browser")
      .argument("FROM", options.from, "a folder that -o of another verb made, or a log (.csv)")
      .option("-o,--out", "FILE", options.out, "the page; FROM/index.html, or beside the log, unless given")
      .flag("--json", options.json, "for machines")
      .details(
          "The page needs nothing but itself: no network, no server. Drag to zoom, double-click for all, space plays, "
          "arrows\n"
          "move the cursor, t changes between light and dark. Pictures are saved as SVG or PNG, numbers as CSV.")
      .example("armature report out/step", "draws out/step/index.html again")
      .example("armature report measured.csv", "any table with a column \"time [s]\" is a log; writes measured.html")
      .action([] { return report(options); });
}

}  // namespace armature
