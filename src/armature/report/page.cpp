#include "armature/report/page.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <complex>
#include <cstring>
#include <initializer_list>
#include <nlohmann/json.hpp>
#include <set>
#include <utility>

#include "armature/core/error.hpp"
#include "armature/core/text.hpp"
#include "armature/formats/markup.hpp"
#include "armature/formats/report_values.hpp"
#include "armature/report/internal/arm_picture.hpp"
#include "armature/report/internal/page_data.hpp"
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

/// Every field (record/report_fields.hpp, internal/page_data.hpp). Lists of numbers are packed, and left out where they are empty.
class PageWriter : public ReportValues<Json, PageWriter> {
 public:
  using ReportValues::operator();
  template <class T>
  void operator()(const char* key, const T& value) {
    json[key] = of(value);
  }
  void operator()(const char* key, const std::vector<double>& values) {
    if (!values.empty()) json[key] = packed(values);
  }
  void operator()(const char* key, const ExactNumbers& numbers) {
    if (!numbers.values.empty()) json[key] = exact(numbers.values);
  }
  void operator()(const char* key, const std::vector<std::complex<double>>& values) {
    ExactNumbers parts;
    for (const std::complex<double>& value : values)
      parts.values.insert(parts.values.end(), {value.real(), value.imag()});
    (*this)(key, parts);
  }
};

void check(const Figure& figure) {
  for (const FigureSeries& s : figure.series)
    if (s.x.size() != s.y.size() || (!s.low.empty() && s.low.size() != s.y.size()) || s.low.size() != s.high.size())
      throw Error(
          fmt::format("figure '{}': the lists of '{}' differ in length", printable(figure.title), printable(s.name)),
          "x, y and, where given, low and high have one number per point");
}

void check(const Log& log) {
  for (const Channel& channel : log.channels)
    if (channel.values.size() != log.time.size())
      throw Error(fmt::format("channel '{}' has {} values, the log has {} times", printable(channel.name),
                              channel.values.size(), log.time.size()),
                  "every channel has one value per time");
  for (const Figure& figure : log.figures) check(figure);
  for (const MatrixFigure& m : log.matrices)
    if (m.values.size() != m.rows.size() * m.columns.size())
      throw Error(fmt::format("matrix '{}' has {} values for {} rows and {} columns", printable(m.title),
                              m.values.size(), m.rows.size(), m.columns.size()),
                  "one value per row and column");
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

PageLog page_log(const Log& log, std::size_t budget) {
  check(log);
  // At least 1000 and at most 5000 intervals: more than a screen has pixels, less than it has patience.
  const std::size_t limit = std::clamp<std::size_t>(budget / (log.channels.size() + 1), 2000, 10000);
  Thinned thin = thinned(log, limit);
  const std::set<std::string> moves = moving(log);
  PageLog shown{&log, log.time.size(), thin.extremes ? thin.time.size() : log.time.size(), {thin.time}};
  for (std::size_t c = 0; c < log.channels.size(); ++c) {
    const Channel& channel = log.channels[c];
    shown.channels.push_back({channel.name, channel.unit, std::move(thin.values[c])});
    if (thin.extremes && moves.count(channel.name) != 0)
      for (const std::size_t row : thin.rows) shown.channels.back().samples.push_back(channel.values[row]);
  }
  return shown;
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

std::string filled(const PageData& data) {
  PageWriter writer;
  fields(writer, data);
  const std::string_view text = page_template();
  constexpr std::string_view title_mark = "<!--title-->", data_mark = "<!--data-->";
  const std::size_t t = text.find(title_mark), d = text.find(data_mark);
  if (t == std::string_view::npos || d == std::string_view::npos || d < t)
    throw std::logic_error("the template of the page has lost its marks");
  std::string out(text.substr(0, t));
  out += markup_escaped(data.report->title);
  out += text.substr(t + title_mark.size(), d - t - title_mark.size());
  out += harmless(writer.json);
  out += text.substr(d + data_mark.size());
  return out;
}

PageData page_data(const Report& report) {
  PageData data{&report};
  const std::size_t budget = 1600000 / std::max<std::size_t>(4, report.logs.size());  // points per log
  for (const Log& log : report.logs) data.logs.push_back(page_log(log, budget));
  return data;
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

std::string page(const Report& report) { return filled(page_data(report)); }

std::string index_page(const Report& report, const std::vector<Card>& cards) {
  PageData data = page_data(report);
  data.cards = cards;
  for (Card& card : data.cards) {
    check(card.figure);
    card.link = relative_address(card.link);
  }
  return filled(data);
}

namespace {

constexpr std::size_t thumbnail_points = 300, thumbnail_curves = 6, thumbnail_letters = 600;

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
  for (const Log& log : report.logs)
    if (Figure arm = arm_picture(log); !arm.series.empty()) return arm;
  for (const Log& log : report.logs) {
    const bool over_time = log.time.size() > 1 && !log.channels.empty();
    if (over_time && !log.time_figures.empty()) return small_time_plot(log);
    if (!log.spectra.empty()) return small_spectrum(log.spectra.front());
    if (!log.figures.empty()) return small_figure(log.figures.front());
    if (over_time) return small_time_plot(log);
  }
  return {};
}

std::string leading_equations(const Report& report) {
  if (report.kind != "derive") return {};
  for (const Log& log : report.logs)
    for (const LogText& text : log.texts) {
      if (text.kind != LogText::Kind::latex) continue;
      if (text.text.size() <= thumbnail_letters) return text.text;
      const std::size_t end = text.text.rfind("\n\n", thumbnail_letters);  // equations stay whole
      return end == std::string::npos ? "" : text.text.substr(0, end);
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
