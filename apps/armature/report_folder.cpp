#include "report_folder.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <cstdlib>
#include <string_view>

#include "armature/core/characters.hpp"
#include "armature/core/error.hpp"
#include "armature/formats/log_csv.hpp"
#include "armature/formats/report_json.hpp"
#include "armature/report/braille.hpp"
#include "armature/report/page.hpp"
#include "armature/version.hpp"
#include "meshes.hpp"

namespace armature::app {

namespace {

std::string& command() {
  static std::string text;
  return text;
}

/// As a shell reads it back.
std::string quoted(std::string_view word) {
  constexpr std::string_view plain = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-+=./,:@%^";
  if (!word.empty() && word.find_first_not_of(plain) == std::string_view::npos) return std::string(word);
  std::string text = "'";
  for (const char c : word) c == '\'' ? text += "'\\''" : text += c;
  return text + "'";
}

}  // namespace

void remember_command(int argc, char** argv) {
  command() = "armature";
  for (int i = 1; i < argc; ++i) command() += " " + quoted(argv[i]);
}

std::vector<std::pair<std::string, std::string>> provenance() {
  return {{"command", command()}, {"version", "armature " ARMATURE_VERSION}};
}

void write_text_file(const std::string& path, const std::string& text) {
  OutputFile file(path);
  file.write(text);
  file.commit();
}

void write_and_say(const std::string& path, const std::string& text) {
  write_text_file(path, text);
  if (path != "-") fmt::print("  written: {}\n", visible(path));
}

std::string write_report(Report report, OutputFolder& folder, const std::string& under,
                         const std::vector<std::string>& written) {
  for (auto& fact : provenance()) report.facts.push_back(std::move(fact));
  read_meshes(report);
  const std::string html = page(report);  // a report that cannot be drawn leaves nothing
  const std::vector<std::string> files = written.empty() ? log_files(report) : written;
  for (std::size_t i = 0; written.empty() && i < files.size(); ++i) {
    if (files[i].empty()) continue;
    OutputFile file = folder.file(under + files[i]);
    write_log(report.logs[i], file.stream(), file.name());
    file.commit();
  }
  folder.write(under + "report.json", report_json(report, files));
  folder.write(under + "index.html", html);
  return folder.path_of(under + "index.html");
}

std::string write_report(Report report, const std::string& folder) {
  OutputFolder out(folder);
  std::string page = write_report(std::move(report), out);
  out.commit();
  return page;
}

bool plots_are_welcome() {
  const char* terminal = std::getenv("TERM");
  if (isatty(STDOUT_FILENO) == 0 || terminal == nullptr || std::string_view(terminal) == "dumb") return false;
  for (const char* name : {"LC_ALL", "LC_CTYPE", "LANG"})
    if (const char* value = std::getenv(name); value != nullptr && *value != '\0') {
      const std::string_view locale(value);
      return locale.find("UTF-8") != std::string_view::npos || locale.find("utf8") != std::string_view::npos;
    }
  return false;
}

void print_plot(const std::string& heading, const std::vector<double>& x, const std::vector<double>& y,
                const std::string& x_unit) {
  if (!plots_are_welcome()) return;
  const std::string plot = braille_plot(x, y, {.x_unit = x_unit});
  if (!plot.empty()) fmt::print("  {}\n{}\n", heading, plot);
}

}  // namespace armature::app
