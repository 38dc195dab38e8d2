#include "armature/report/page.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <nlohmann/json.hpp>
#include <set>

#include "armature/core/error.hpp"
#include "armature/core/text.hpp"
#include "armature/report/internal/thin.hpp"

namespace armature::report {

namespace {

using Json = nlohmann::ordered_json;

std::string base64(const std::vector<unsigned char>& bytes) {
  constexpr char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string text;
  text.reserve((bytes.size() + 2) / 3 * 4);
  for (std::size_t i = 0; i < bytes.size(); i += 3) {
    const std::size_t left = bytes.size() - i;
    const unsigned word = static_cast<unsigned>(bytes[i]) << 16 |
                          (left > 1 ? static_cast<unsigned>(bytes[i + 1]) << 8 : 0) | (left > 2 ? bytes[i + 2] : 0U);
    text += digits[word >> 18 & 63];
    text += digits[word >> 12 & 63];
    text += left > 1 ? digits[word >> 6 & 63] : '=';
    text += left > 2 ? digits[word & 63] : '=';
  }
  return text;
}

template <class Float, class Word>
std::string pack(const std::vector<double>& values, const char* kind) {
  std::vector<unsigned char> bytes;
  bytes.reserve(values.size() * sizeof(Float));
  for (const double value : values) {
    const auto number = static_cast<Float>(std::isfinite(value) ? value : std::nan(""));
    Word word;
    std::memcpy(&word, &number, sizeof word);
    for (std::size_t k = 0; k < sizeof word; ++k) bytes.push_back(static_cast<unsigned char>(word >> 8 * k));
  }
  return kind + base64(bytes);
}

std::string exact(const std::vector<double>& values) { return pack<double, std::uint64_t>(values, "f8:"); }

/// Seven digits, unless a small change about a large value needs more or a value is beyond their range.
std::string packed(const std::vector<double>& values) {
  double low = HUGE_VAL, high = -HUGE_VAL;
  for (const double value : values)
    if (std::isfinite(value)) {
      low = std::min(low, value);
      high = std::max(high, value);
    }
  const double size = std::max(std::abs(low), std::abs(high));
  const bool fine =
      low <= high && ((high > low && high - low < 1e-3 * size) || size > 1e37 || (size > 0 && size < 1e-30));
  return fine ? exact(values) : pack<float, std::uint32_t>(values, "f4:");
}

Json json_of(const std::vector<std::pair<std::string, std::string>>& facts) {
  Json list = Json::array();
  for (const auto& [key, value] : facts) list.push_back({key, value});
  return list;
}

Json json_of(const FigureAxis& axis) {
  Json json{{"label", axis.label}, {"unit", axis.unit}, {"log", axis.logarithmic}};
  if (!axis.categories.empty()) json["categories"] = axis.categories;
  return json;
}

const char* word_of(FigureSeries::Style style) {
  switch (style) {
    case FigureSeries::Style::line:
      return "line";
    case FigureSeries::Style::points:
      return "points";
    case FigureSeries::Style::both:
      return "both";
    case FigureSeries::Style::bars:
      return "bars";
  }
  return "line";
}

Json json_of(const Figure& figure) {
  Json series = Json::array();
  for (const FigureSeries& s : figure.series) {
    if (s.x.size() != s.y.size() || (!s.low.empty() && s.low.size() != s.y.size()) || s.low.size() != s.high.size())
      throw Error(
          fmt::format("figure '{}': the lists of '{}' differ in length", printable(figure.title), printable(s.name)),
          "x, y and, where given, low and high have one number a point");
    Json one{{"name", s.name}, {"style", word_of(s.style)}, {"x", packed(s.x)}, {"y", packed(s.y)}};
    if (!s.low.empty()) {
      one["low"] = packed(s.low);
      one["high"] = packed(s.high);
    }
    series.push_back(one);
  }
  return {{"name", figure.name},    {"title", figure.title}, {"caption", figure.caption},  {"x", json_of(figure.x)},
          {"y", json_of(figure.y)}, {"series", series},      {"equal", figure.equal_scale}};
}

Json json_of(const Spectrum& spectrum) {
  std::vector<double> re, im;
  for (const auto& value : spectrum.response) {
    re.push_back(value.real());
    im.push_back(value.imag());
  }
  Json json{{"name", spectrum.name},     {"input", spectrum.input},
            {"output", spectrum.output}, {"unit", spectrum.unit},
            {"figure", spectrum.figure}, {"frequency", packed(spectrum.frequency)},
            {"re", exact(re)},           {"im", exact(im)}};
  if (!spectrum.coherence.empty()) json["coherence"] = packed(spectrum.coherence);
  return json;
}

Json json_of(const MatrixFigure& m) {
  if (m.values.size() != m.rows.size() * m.columns.size())
    throw Error(fmt::format("matrix '{}' has {} values for {} rows and {} columns", printable(m.title), m.values.size(),
                            m.rows.size(), m.columns.size()),
                "one value per row and column");
  return {{"name", m.name},       {"title", m.title},           {"caption", m.caption}, {"rows", m.rows},
          {"columns", m.columns}, {"values", packed(m.values)}, {"low", m.low},         {"high", m.high}};
}

Json json_of(const SceneShape& shape) {
  constexpr const char* kinds[]{"box", "cylinder", "sphere", "mesh"};
  Json json{{"kind", kinds[static_cast<int>(shape.kind)]},
            {"size", shape.size},
            {"position", shape.position},
            {"turn", shape.turn}};
  if (shape.colour != decltype(shape.colour){}) json["colour"] = shape.colour;
  if (shape.kind == SceneShape::Kind::mesh) json["mesh"] = shape.mesh;
  return json;
}

Json json_of(const SceneMesh& mesh) {
  Json parts = Json::array();
  for (const SceneMeshPart& part : mesh.parts) {
    Json json{{"low", part.low}, {"size", part.size}, {"points", part.points}, {"triangles", part.triangles}};
    if (part.colour != decltype(part.colour){}) json["colour"] = part.colour;
    parts.push_back(json);
  }
  return {{"name", mesh.name}, {"parts", parts}};
}

Json json_of(const SceneFrame& frame) {
  Json json{{"name", frame.name},           {"parent", frame.parent},
            {"position", frame.position},   {"turn", frame.turn},
            {"joint", frame.joint},         {"reference", frame.reference},
            {"slides", frame.slides},       {"centre", frame.ellipsoid_centre},
            {"axes", frame.ellipsoid_axes}, {"axesTurn", frame.ellipsoid_turn}};
  if (!frame.channels[0].empty()) json["channels"] = frame.channels;
  for (const SceneShape& shape : frame.shapes) json["shapes"].push_back(json_of(shape));
  return json;
}

/// Channels that move the arm: they are also sent as true samples.
std::set<std::string> moving(const Log& log) {
  std::set<std::string> names;
  for (const SceneFrame& frame : log.scene) {
    names.insert({frame.joint, frame.reference});
    names.insert(frame.channels.begin(), frame.channels.end());
  }
  for (const SceneArrow& arrow : log.arrows) names.insert(arrow.channels.begin(), arrow.channels.end());
  return names;
}

Json json_of(const Log& log, std::size_t budget) {
  for (const Channel& channel : log.channels)
    if (channel.values.size() != log.time.size())
      throw Error(fmt::format("channel '{}' has {} values, the log has {} times", printable(channel.name),
                              channel.values.size(), log.time.size()),
                  "every channel has one value per time");
  // At least 1000 and at most 5000 intervals: more than a screen has pixels, less than it has patience.
  const std::size_t limit = std::clamp<std::size_t>(budget / (log.channels.size() + 1), 2000, 10000);
  const Thinned thin = thinned(log, limit);
  const std::set<std::string> moves = moving(log);
  Json channels = Json::array();
  for (std::size_t c = 0; c < log.channels.size(); ++c) {
    const Channel& channel = log.channels[c];
    Json one{{"name", channel.name}, {"unit", channel.unit}, {"values", packed(thin.values[c])}};
    if (thin.extremes && moves.count(channel.name) != 0) {
      std::vector<double> samples;
      for (const std::size_t row : thin.rows) samples.push_back(channel.values[row]);
      one["samples"] = packed(samples);
    }
    channels.push_back(one);
  }
  Json events = Json::array(), tables = Json::array(), texts = Json::array(), arrows = Json::array(),
       planes = Json::array(), limits = Json::array();
  for (const LogEvent& e : log.events) events.push_back({{"time", e.time}, {"kind", e.kind}, {"detail", e.detail}});
  for (const LogTable& t : log.tables) tables.push_back({{"title", t.title}, {"header", t.header}, {"rows", t.rows}});
  for (const LogText& t : log.texts)
    texts.push_back(
        {{"kind", t.kind == LogText::Kind::latex ? "latex" : "markdown"}, {"title", t.title}, {"text", t.text}});
  for (const SceneArrow& a : log.arrows)
    arrows.push_back({{"name", a.name}, {"frame", a.frame}, {"channels", a.channels}});
  for (const ScenePlane& p : log.planes) planes.push_back({{"name", p.name}, {"point", p.point}, {"normal", p.normal}});
  for (const ChannelLimit& l : log.limits)
    limits.push_back({{"channel", l.channel}, {"value", l.value}, {"upper", l.upper}});
  Json spectra = Json::array(), scene = Json::array(), figures = Json::array(), matrices = Json::array(),
       time_figures = Json::array();
  for (const Spectrum& s : log.spectra) spectra.push_back(json_of(s));
  for (const SceneFrame& f : log.scene) scene.push_back(json_of(f));
  for (const Figure& f : log.figures) figures.push_back(json_of(f));
  for (const MatrixFigure& m : log.matrices) matrices.push_back(json_of(m));
  for (const TimeFigure& f : log.time_figures)
    time_figures.push_back({{"name", f.name}, {"title", f.title}, {"caption", f.caption}, {"channels", f.channels}});
  return {{"title", log.title},
          {"facts", json_of(log.facts)},
          {"incomplete", log.incomplete},
          {"rows", log.time.size()},
          {"shown", thin.extremes ? thin.time.size() : log.time.size()},
          {"time", exact(thin.time)},
          {"channels", channels},
          {"events", events},
          {"tables", tables},
          {"spectra", spectra},
          {"texts", texts},
          {"scene", scene},
          {"arrows", arrows},
          {"planes", planes},
          {"limits", limits},
          {"timeFigures", time_figures},
          {"figures", figures},
          {"matrices", matrices}};
}

std::string escaped(std::string_view text) {
  std::string out;
  for (const char c : text) switch (c) {
      case '<':
        out += "&lt;";
        break;
      case '>':
        out += "&gt;";
        break;
      case '&':
        out += "&amp;";
        break;
      default:
        out += c;
    }
  return out;
}

/// A path below this page as a relative address, whatever its folders are called: "./javascript%3Aalert(1)/index.html".
std::string relative_address(std::string_view path) {
  constexpr std::string_view plain = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~/()!";
  std::string address = "./";
  for (const char c : path)
    plain.find(c) != std::string_view::npos ? address += c
                                            : address += fmt::format("%{:02X}", static_cast<unsigned char>(c));
  return address;
}

/// JSON that cannot end the element it stands in.
std::string harmless(const Json& json) {
  const std::string text = json.dump(-1, ' ', false, Json::error_handler_t::replace);
  std::string out;
  out.reserve(text.size() + 64);
  for (const char c : text) c == '<' ? out += "\\u003c" : out += c;
  return out;
}

std::string filled(const Json& data, const std::string& title) {
  const std::string_view text = page_template();
  constexpr std::string_view title_mark = "<!--title-->", data_mark = "<!--data-->";
  const std::size_t t = text.find(title_mark), d = text.find(data_mark);
  if (t == std::string_view::npos || d == std::string_view::npos || d < t)
    throw std::logic_error("the template of the page has lost its marks");
  std::string out(text.substr(0, t));
  out += escaped(title);
  out += text.substr(t + title_mark.size(), d - t - title_mark.size());
  out += harmless(data);
  out += text.substr(d + data_mark.size());
  return out;
}

Json json_of(const Report& report) {
  Json claims = Json::array(), logs = Json::array();
  for (const Claim& c : report.claims)
    claims.push_back({{"id", c.id},
                      {"says", c.says},
                      {"paper", c.paper},
                      {"ours", c.ours},
                      {"holds", c.holds},
                      {"remark", c.remark}});
  Json meshes = Json::array();
  for (const SceneMesh& mesh : report.meshes) meshes.push_back(json_of(mesh));
  const std::size_t budget = 1600000 / std::max<std::size_t>(4, report.logs.size());  // points a log
  for (const Log& log : report.logs) logs.push_back(json_of(log, budget));
  return {{"format", 1},
          {"kind", report.kind},
          {"title", report.title},
          {"subtitle", report.subtitle},
          {"facts", json_of(report.facts)},
          {"claims", claims},
          {"logs", logs},
          {"meshes", meshes},
          {"cards", Json::array()}};
}

/// At most `limit` points of a curve, spread evenly.
FigureSeries sparse(const FigureSeries& s, std::size_t limit) {
  FigureSeries out{s.name, {}, {}, s.style};
  const std::size_t n = std::min(s.x.size(), s.y.size()), stride = 1 + n / limit;
  for (std::size_t i = 0; i < n; i += stride) {
    out.x.push_back(s.x[i]);
    out.y.push_back(s.y[i]);
  }
  return out;
}

}  // namespace

std::string page(const Report& report) { return filled(json_of(report), report.title); }

std::string index_page(const Report& report, const std::vector<Card>& cards) {
  Json data = json_of(report);
  for (const Card& card : cards) {
    Json one{{"name", card.name},    {"title", card.title},   {"link", relative_address(card.link)},
             {"held", card.held},    {"claims", card.claims}, {"figures", card.figures},
             {"failed", card.failed}};
    if (!card.figure.series.empty()) one["figure"] = json_of(card.figure);
    data["cards"].push_back(one);
  }
  return filled(data, report.title);
}

namespace {

constexpr std::size_t thumbnail_points = 300, thumbnail_curves = 6;

/// Curves over time: those of the log's first plot, or all that have the first channel's unit.
Figure small_time_plot(const Log& log) {
  Figure small;
  const Thinned thin = thinned(log, thumbnail_points);
  const auto wanted = [&](const Channel& c) {
    if (log.time_figures.empty()) return c.unit == log.channels.front().unit;
    const std::vector<std::string>& names = log.time_figures.front().channels;
    return std::find(names.begin(), names.end(), c.name) != names.end();
  };
  for (std::size_t c = 0; c < log.channels.size() && small.series.size() < thumbnail_curves; ++c)
    if (wanted(log.channels[c])) small.series.push_back({"", thin.time, thin.values[c]});
  return small;
}

Figure small_spectrum(const Spectrum& s) {
  FigureSeries curve{s.name, s.frequency, {}};
  for (const auto& value : s.response) curve.y.push_back(20 * std::log10(std::abs(value)));
  Figure small;
  small.x = {"frequency", "Hz", true};
  small.y = {"magnitude", "dB"};
  small.series = {sparse(curve, thumbnail_points)};
  return small;
}

Figure small_figure(Figure figure) {
  if (figure.series.size() > thumbnail_curves) figure.series.resize(thumbnail_curves);
  for (FigureSeries& s : figure.series) s = sparse(s, thumbnail_points);
  return figure;
}

}  // namespace

Figure thumbnail(const Report& report) {
  for (const Log& log : report.logs)
    for (const Figure& figure : log.figures)
      if (figure.equal_scale) return small_figure(figure);  // a path in its plane
  for (const Log& log : report.logs) {
    const bool over_time = log.time.size() > 1 && !log.channels.empty();
    if (over_time && !log.time_figures.empty()) return small_time_plot(log);
    if (!log.spectra.empty()) return small_spectrum(log.spectra.front());
    if (!log.figures.empty()) return small_figure(log.figures.front());
    if (over_time) return small_time_plot(log);
  }
  return {};
}

int figures_in(const Report& report) {
  std::size_t count = 0;
  for (const Log& log : report.logs) {
    std::set<std::string> shared;
    for (const Spectrum& s : log.spectra) s.figure.empty() ? void(++count) : void(shared.insert(s.figure));
    count += shared.size() + log.time_figures.size() + log.figures.size() + log.matrices.size();
  }
  return static_cast<int>(count);
}

}  // namespace armature::report
