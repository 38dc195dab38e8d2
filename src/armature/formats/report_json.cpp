#include "armature/formats/report_json.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <limits>
#include <nlohmann/json.hpp>

#include "armature/core/error.hpp"
#include "armature/core/text.hpp"
#include "armature/formats/log_csv.hpp"
#include "armature/formats/report_values.hpp"
#include "armature/formats/text_file.hpp"

namespace armature::formats {

namespace {

using Json = nlohmann::ordered_json;

/// What is empty is left out.
class ReportWriter : public ReportValues<Json, ReportWriter> {
 public:
  using ReportValues::operator();
  template <class T>
  void operator()(const char* key, const T& value) {
    if (!is_empty(value)) json[key] = of(value);
  }

 private:
  template <class T>
  static bool is_empty(const T& value) {
    if constexpr (requires { value.empty(); }) return value.empty();
    return false;
  }
};

class ReportReader {
 public:
  ReportReader(const Json& json, std::string path, const std::string& file)
      : json_(json), path_(std::move(path)), file_(file) {
    if (!json.is_object()) wrong("an object");
  }
  template <class T>
  void operator()(const char* key, T& value) {
    if (const auto found = json_.find(key); found != json_.end()) read(*found, value, below(key));
  }
  template <class E>
  void operator()(const char* key, E& value, std::initializer_list<const char*> words) {
    std::string word;
    (*this)(key, word);
    if (word.empty()) return;
    std::vector<std::string> known(words.begin(), words.end());
    for (std::size_t i = 0; i < known.size(); ++i)
      if (known[i] == word) return void(value = static_cast<E>(i));
    throw FormatError(fmt::format("{}: there is no '{}'", below(key), printable(word)), suggestion(word, known),
                      {file_});
  }

 private:
  [[nodiscard]] std::string below(const char* key) const { return path_.empty() ? key : path_ + "." + key; }
  [[noreturn]] void wrong(const char* what) const { wrong(path_, what); }
  [[noreturn]] void wrong(const std::string& path, const char* what) const {
    throw FormatError(fmt::format("{} is not {}", path.empty() ? "the content" : path, what),
                      "the program writes this file; run the command again that made it", {file_});
  }
  void read(const Json& json, std::string& text, const std::string& path) {
    json.is_string() ? void(text = json.get<std::string>()) : wrong(path, "a text");
  }
  void read(const Json& json, bool& value, const std::string& path) {
    json.is_boolean() ? void(value = json.get<bool>()) : wrong(path, "true or false");
  }
  void read(const Json& json, int& value, const std::string& path) {
    if (!json.is_number_integer() || json.get<double>() < -1e9 || json.get<double>() > 1e9)
      wrong(path, "a whole number");
    value = json.get<int>();
  }
  void read(const Json& json, double& value, const std::string& path) {
    if (json.is_null()) return void(value = std::numeric_limits<double>::quiet_NaN());
    json.is_number() ? void(value = json.get<double>()) : wrong(path, "a number");
  }
  void read(const Json& json, std::complex<double>& value, const std::string& path) {
    std::array<double, 2> parts{};
    read(json, parts, path);
    value = {parts[0], parts[1]};
  }
  void read(const Json& json, std::pair<std::string, std::string>& pair, const std::string& path) {
    std::array<std::string, 2> parts;
    read(json, parts, path);
    pair = {parts[0], parts[1]};
  }
  template <class T>
  void read(const Json& json, std::vector<T>& list, const std::string& path) {
    if (!json.is_array()) wrong(path, "a list");
    list.clear();
    list.resize(json.size());
    for (std::size_t i = 0; i < list.size(); ++i) read(json[i], list[i], fmt::format("{}[{}]", path, i));
  }
  template <class T, std::size_t n>
  void read(const Json& json, std::array<T, n>& list, const std::string& path) {
    if (!json.is_array() || json.size() != n) wrong(path, fmt::format("a list of {}", n).c_str());
    for (std::size_t i = 0; i < n; ++i) read(json[i], list[i], fmt::format("{}[{}]", path, i));
  }
  template <class T>
  void read(const Json& json, T& listed, const std::string& path) {
    ReportReader reader(json, path, file_);
    fields(reader, listed);
  }

  const Json& json_;
  std::string path_;
  const std::string& file_;
};

/// A scene whose frames hang on frames before them and whose arrows have a frame; else nobody could draw it.
void check_scene(const Log& log, const std::string& file) {
  for (std::size_t i = 0; i < log.scene.size(); ++i)
    if (log.scene[i].parent >= static_cast<int>(i) || log.scene[i].parent < -1)
      throw FormatError(fmt::format("scene: frame {} hangs on frame {}", i, log.scene[i].parent),
                        "a parent stands before its child; -1 is the world", {file});
  for (const SceneArrow& arrow : log.arrows)
    if (arrow.frame < 0 || arrow.frame >= static_cast<int>(log.scene.size()))
      throw FormatError(fmt::format("arrows: there is no frame {}", arrow.frame), "frames count from 0", {file});
}

Json parsed(std::string_view text, const std::string& file) {
  try {
    return Json::parse(text);
  } catch (const Json::out_of_range&) {  // 1e999
    throw FormatError("a number in it is larger than any double (1.8e308)",
                      "the program writes this file; run the command again that made it", {file});
  } catch (const Json::parse_error& error) {
    throw FormatError("this is no JSON", "the program writes this file; run the command again that made it",
                      Lines(text, file).at(error.byte > 0 ? std::min(error.byte - 1, text.size()) : 0));
  }
}

/// The report, and the CSV file of each log (empty: none).
std::pair<Report, std::vector<std::string>> read_json(std::string_view text, const std::string& file) {
  const Json json = parsed(text, file);
  if (!json.is_object() || !json.contains("armature report"))
    throw FormatError("this is no report", "expected an object with the key 'armature report'", {file});
  if (json["armature report"] != 1)
    throw FormatError("this report was written by a newer program", "update armature", {file});
  Report report;
  ReportReader reader(json, "", file);
  fields(reader, report);
  std::vector<std::string> files;
  if (const auto logs = json.find("logs"); logs != json.end() && logs->is_array())
    for (std::size_t i = 0; i < logs->size(); ++i) {
      Log& log = report.logs.emplace_back();
      ReportReader one((*logs)[i], fmt::format("logs[{}]", i), file);
      one("file", files.emplace_back());
      heading_fields(one, log);
      fields(one, log);
      check_scene(log, file);
    }
  return {std::move(report), std::move(files)};
}

}  // namespace

std::vector<std::string> log_files(const Report& report) {
  std::vector<std::string> files;
  for (std::size_t i = 0; i < report.logs.size(); ++i)
    files.push_back(report.logs[i].time.empty() ? ""
                    : report.logs.size() == 1   ? "log.csv"
                                                : fmt::format("log_{}.csv", i + 1));
  return files;
}

std::string report_json(const Report& report, const std::vector<std::string>& files) {
  ReportWriter writer;
  writer.json["armature report"] = 1;
  fields(writer, report);
  writer.json["logs"] = Json::array();
  for (std::size_t i = 0; i < report.logs.size(); ++i) {
    ReportWriter log;
    if (!files[i].empty())
      log.json["file"] = files[i];
    else
      heading_fields(log, report.logs[i]);
    fields(log, report.logs[i]);
    writer.json["logs"].push_back(std::move(log.json));
  }
  return writer.json.dump(1, ' ', false, Json::error_handler_t::replace) + "\n";
}

Report parse_report(std::string_view text, const std::string& file) { return read_json(text, file).first; }

Report read_report(const std::string& folder) {
  const std::filesystem::path path = std::filesystem::path(folder) / "report.json";
  const std::string text = read_text_file(path.string(), std::size_t{1} << 30);
  auto [report, files] = read_json(text, path.string());
  for (std::size_t i = 0; i < report.logs.size(); ++i) {
    if (files[i].empty()) continue;
    const std::filesystem::path log(files[i]);
    if (log.is_absolute() || std::find(log.begin(), log.end(), "..") != log.end())
      throw FormatError(fmt::format("logs[{}].file '{}' is not in this folder", i, printable(files[i])),
                        "logs stand beside report.json or below", {path.string()});
    Log rows = read_log((std::filesystem::path(folder) / log).string());
    Log& whole = report.logs[i];
    whole.title = rows.title;
    whole.facts = rows.facts;
    whole.time = std::move(rows.time);
    whole.channels = std::move(rows.channels);
    whole.events = std::move(rows.events);
    whole.incomplete = rows.incomplete;
  }
  return std::move(report);
}

}  // namespace armature::formats
