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
#include "armature/formats/text_file.hpp"

namespace armature::formats {

namespace {

using Json = nlohmann::ordered_json;

// Every struct lists its fields once, for writing and for reading.

template <class V>
void fields(V& v, LogEvent& e) {
  v("time", e.time);
  v("kind", e.kind);
  v("detail", e.detail);
}
template <class V>
void fields(V& v, LogTable& t) {
  v("title", t.title);
  v("header", t.header);
  v("rows", t.rows);
}
template <class V>
void fields(V& v, Spectrum& s) {
  v("name", s.name);
  v("figure", s.figure);
  v("input", s.input);
  v("output", s.output);
  v("unit", s.unit);
  v("frequency", s.frequency);
  v("response", s.response);
  v("coherence", s.coherence);
}
template <class V>
void fields(V& v, LogText& t) {
  v("kind", t.kind, {"markdown", "latex"});
  v("title", t.title);
  v("text", t.text);
}
template <class V>
void fields(V& v, TimeFigure& f) {
  v("name", f.name);
  v("title", f.title);
  v("channels", f.channels);
  v("caption", f.caption);
}
template <class V>
void fields(V& v, FigureAxis& a) {
  v("label", a.label);
  v("unit", a.unit);
  v("logarithmic", a.logarithmic);
  v("categories", a.categories);
}
template <class V>
void fields(V& v, FigureSeries& s) {
  v("name", s.name);
  v("style", s.style, {"line", "points", "both", "bars"});
  v("x", s.x);
  v("y", s.y);
  v("low", s.low);
  v("high", s.high);
}
template <class V>
void fields(V& v, Figure& f) {
  v("name", f.name);
  v("title", f.title);
  v("x", f.x);
  v("y", f.y);
  v("series", f.series);
  v("equal_scale", f.equal_scale);
  v("caption", f.caption);
}
template <class V>
void fields(V& v, MatrixFigure& m) {
  v("name", m.name);
  v("title", m.title);
  v("rows", m.rows);
  v("columns", m.columns);
  v("values", m.values);
  v("low", m.low);
  v("high", m.high);
  v("caption", m.caption);
}
template <class V>
void fields(V& v, SceneShape& s) {
  v("kind", s.kind, {"box", "cylinder", "sphere", "mesh"});
  v("size", s.size);
  v("position", s.position);
  v("turn", s.turn);
  v("colour", s.colour);
  v("mesh", s.mesh);
}
template <class V>
void fields(V& v, SceneMeshPart& p) {
  v("colour", p.colour);
  v("low", p.low);
  v("size", p.size);
  v("points", p.points);
  v("triangles", p.triangles);
}
template <class V>
void fields(V& v, SceneMesh& m) {
  v("name", m.name);
  v("parts", m.parts);
}
template <class V>
void fields(V& v, SceneFrame& f) {
  v("name", f.name);
  v("parent", f.parent);
  v("channels", f.channels);
  v("position", f.position);
  v("turn", f.turn);
  v("joint", f.joint);
  v("reference", f.reference);
  v("slides", f.slides);
  v("ellipsoid_centre", f.ellipsoid_centre);
  v("ellipsoid_axes", f.ellipsoid_axes);
  v("ellipsoid_turn", f.ellipsoid_turn);
  v("shapes", f.shapes);
}
template <class V>
void fields(V& v, SceneArrow& a) {
  v("name", a.name);
  v("frame", a.frame);
  v("channels", a.channels);
}
template <class V>
void fields(V& v, ScenePlane& p) {
  v("name", p.name);
  v("point", p.point);
  v("normal", p.normal);
}
template <class V>
void fields(V& v, Claim& c) {
  v("id", c.id);
  v("says", c.says);
  v("paper", c.paper);
  v("ours", c.ours);
  v("holds", c.holds);
  v("remark", c.remark);
}
template <class V>
void fields(V& v, ChannelLimit& l) {
  v("channel", l.channel);
  v("value", l.value);
  v("upper", l.upper);
}
/// What does not stand in the log's CSV file.
template <class V>
void fields(V& v, Log& log) {
  v("time_figures", log.time_figures);
  v("figures", log.figures);
  v("matrices", log.matrices);
  v("spectra", log.spectra);
  v("tables", log.tables);
  v("texts", log.texts);
  v("scene", log.scene);
  v("arrows", log.arrows);
  v("planes", log.planes);
  v("limits", log.limits);
}
template <class V>
void heading(V& v, Log& log) {
  v("title", log.title);
  v("facts", log.facts);
  v("events", log.events);
  v("incomplete", log.incomplete);
}
template <class V>
void fields(V& v, Report& r) {
  v("kind", r.kind);
  v("title", r.title);
  v("subtitle", r.subtitle);
  v("facts", r.facts);
  v("claims", r.claims);
  v("meshes", r.meshes);
}

class ReportWriter {
 public:
  Json json = Json::object();
  template <class T>
  void operator()(const char* key, T& value) {
    if (!is_default(value)) json[key] = of(value);
  }
  template <class E>
  void operator()(const char* key, E& value, std::initializer_list<const char*> words) {
    json[key] = words.begin()[static_cast<std::size_t>(value)];
  }

 private:
  template <class T>
  static bool is_default(const T& value) {
    if constexpr (requires { value.empty(); }) return value.empty();
    return false;
  }
  static Json of(std::string& text) { return text; }
  static Json of(bool& value) { return value; }
  static Json of(int& value) { return value; }
  static Json of(double& value) { return std::isfinite(value) ? Json(value) : Json(nullptr); }
  static Json of(std::complex<double>& value) {
    double re = value.real(), im = value.imag();
    return Json::array({of(re), of(im)});
  }
  static Json of(std::pair<std::string, std::string>& pair) { return Json::array({pair.first, pair.second}); }
  template <class T>
  static Json of(std::vector<T>& list) {
    return list_of(list);
  }
  template <class T, std::size_t n>
  static Json of(std::array<T, n>& list) {
    return list_of(list);
  }
  template <class List>
  static Json list_of(List& list) {
    Json json = Json::array();
    for (auto& item : list) json.push_back(of(item));
    return json;
  }
  template <class T>
  static Json of(T& listed) {
    ReportWriter writer;
    fields(writer, listed);
    return std::move(writer.json);
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
      heading(one, log);
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

std::string report_json(const Report& given, const std::vector<std::string>& files) {
  Report report = given;  // the visitors take what they list by reference
  ReportWriter writer;
  writer.json["armature report"] = 1;
  fields(writer, report);
  writer.json["logs"] = Json::array();
  for (std::size_t i = 0; i < report.logs.size(); ++i) {
    ReportWriter log;
    if (!files[i].empty())
      log.json["file"] = files[i];
    else
      heading(log, report.logs[i]);
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
