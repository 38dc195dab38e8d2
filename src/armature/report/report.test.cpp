#include <cmath>
#include <limits>

#include "armature/core/error.hpp"
#include "armature/report/braille.hpp"
#include "armature/report/internal/thin.hpp"
#include "armature/report/page.hpp"
#include "armature/testing/doctest.hpp"

using namespace armature::report;

namespace {

const double missing = std::numeric_limits<double>::quiet_NaN();

Log sine(std::size_t rows) {
  Log log;
  for (std::size_t i = 0; i < rows; ++i) log.time.push_back(1e-3 * static_cast<double>(i));
  Channel& q = log.add("q1", "rad");
  for (const double t : log.time) q.values.push_back(std::sin(40 * t));
  return log;
}

double least(const std::vector<double>& v) {
  double m = HUGE_VAL;
  for (const double x : v)
    if (std::isfinite(x)) m = std::min(m, x);
  return m;
}
double greatest(const std::vector<double>& v) {
  double m = -HUGE_VAL;
  for (const double x : v)
    if (std::isfinite(x)) m = std::max(m, x);
  return m;
}

std::size_t count(const std::string& text, const std::string& word) {
  std::size_t n = 0;
  for (std::size_t i = text.find(word); i != std::string::npos; i = text.find(word, i + 1)) ++n;
  return n;
}

}  // namespace

TEST_CASE("a short log is drawn as it is") {
  const Log log = sine(1000);
  const Thinned thin = thinned(log, 2000);
  CHECK(!thin.extremes);
  CHECK(thin.time == log.time);
  CHECK(thin.values[0] == log.channels[0].values);
}

TEST_CASE("thinning keeps every peak, within one interval of its place, and the order of time") {
  Log log = sine(1000000);
  log.channels[0].values[123456] = 7;
  log.channels[0].values[777777] = -9;  // a single sample each
  const Thinned thin = thinned(log, 4000);
  CHECK(thin.extremes);
  CHECK(thin.time.size() <= 4000);
  CHECK(greatest(thin.values[0]) == 7);
  CHECK(least(thin.values[0]) == -9);
  for (std::size_t i = 1; i < thin.time.size(); ++i) REQUIRE(thin.time[i] > thin.time[i - 1]);
  for (std::size_t i = 0; i < thin.time.size(); ++i)
    if (thin.values[0][i] == 7) CHECK(std::abs(thin.time[i] - log.time[123456]) <= 0.5);  // 500 rows an interval
  for (std::size_t i = 0; i < thin.rows.size(); ++i) REQUIRE(log.time[thin.rows[i]] == thin.time[i]);
}

TEST_CASE("missing values and missing samples break a curve, they are not bridged") {
  Log log = sine(1000);
  for (std::size_t i = 300; i < 400; ++i) log.channels[0].values[i] = missing;
  for (std::size_t i = 700; i < 1000; ++i) log.time[i] += 0.2;  // 0.2 s were not recorded
  for (const std::size_t limit : {5000, 200}) {
    CAPTURE(limit);
    const Thinned thin = thinned(log, limit);
    bool inside = false, between = false;
    for (std::size_t i = 0; i < thin.time.size(); ++i) {
      if (!std::isnan(thin.values[0][i])) continue;
      inside = inside || (thin.time[i] > 0.3 && thin.time[i] < 0.4);
      between = between || (thin.time[i] > 0.7 && thin.time[i] < 0.899);
    }
    CHECK(inside);
    CHECK(between);
  }
}

TEST_CASE("names are data: none of them can end the script that carries it or become markup") {
  const std::string evil = "</script><script>alert(1)</script><img src=x onerror=alert(2)>\"'&\\";
  Report report{"simulate", evil, evil};
  report.claims = {{evil, evil, evil, evil, false, evil}};
  report.facts = {{evil, evil}};
  Log log = sine(10);
  log.title = evil;
  log.channels[0].name = evil;
  log.channels[0].unit = evil;
  log.events = {{0.001, evil, evil}};
  log.tables = {{evil, {evil}, {{evil}}}};
  log.texts = {{LogText::Kind::markdown, evil, evil}, {LogText::Kind::latex, evil, evil}};
  log.figures = {{evil, evil, {evil, evil}, {evil, evil}, {{evil, {1}, {1}}}}};
  report.logs = {log};
  const std::string html = page(report), plain = page(Report{"simulate", "plain"});
  CHECK(count(html, "<script") == count(plain, "<script"));
  CHECK(count(html, "</script") == count(plain, "</script"));
  CHECK(count(html, "<img") == count(plain, "<img"));
  CHECK(html.find("\\u003c/script>\\u003cscript>alert(1)") != std::string::npos);
}

TEST_CASE("text that is not UTF-8 is mended, not passed on") {
  const std::string html = page(Report{"simulate", "a", "\xff\xfe broken"});
  CHECK(html.find('\xff') == std::string::npos);
  CHECK(html.find("\xEF\xBF\xBD") != std::string::npos);
}

TEST_CASE("the page is one file under a strict policy and small") {
  const std::string html = page(Report{"simulate", "plain"});
  CHECK(html.size() < 1000000);
  CHECK(html.find("default-src 'none'; script-src 'sha256-") != std::string::npos);
  for (const char* link : {"<link", " src=\"http", "@import", "url(http"}) CHECK(html.find(link) == std::string::npos);
}

TEST_CASE("lists that do not fit are refused with their names") {
  Report report{"simulate", "x"};
  report.logs = {sine(10)};
  report.logs[0].channels[0].values.pop_back();
  CHECK_THROWS_WITH_AS(page(report), doctest::Contains("channel 'q1' has 9 values, the log has 10 times"), Error);
  report.logs = {Log{}};
  report.logs[0].figures = {{"Fig 1", "curve", {"x", ""}, {"y", ""}, {{"a", {1, 2}, {1}}}}};
  CHECK_THROWS_WITH_AS(page(report), doctest::Contains("figure 'curve': the lists of 'a' differ in length"), Error);
  report.logs[0].figures.clear();
  report.logs[0].matrices = {{"", "R", {"a", "b"}, {"a"}, {1}}};
  CHECK_THROWS_WITH_AS(page(report), doctest::Contains("matrix 'R' has 1 values for 2 rows and 1 columns"), Error);
}

TEST_CASE("a page that leads with equations has the first of them in an index") {
  Report report{.kind = "derive", .title = "t"};
  CHECK(leading_equations(report).empty());
  report.logs.emplace_back();
  report.logs[0].texts = {{LogText::Kind::markdown, "M", "words"}, {LogText::Kind::latex, "", "a = b\n\nc = d"}};
  CHECK(leading_equations(report) == "a = b\n\nc = d");
  report.logs[0].texts[1].text = "a = b\n\nc = " + std::string(1000, 'd');
  CHECK(leading_equations(report) == "a = b");
  report.logs[0].texts[1].text = "c = " + std::string(1000, 'd');
  CHECK(leading_equations(report).empty());
  report.logs[0].texts[1].text = "a = b";
  report.kind = "simulate";
  CHECK(leading_equations(report).empty());
}

TEST_CASE("a thumbnail is a path in its plane, or what the first log asks for, or a plot over time") {
  Report report{"study", "x"};
  CHECK(thumbnail(report).series.empty());
  report.logs = {sine(5000)};
  CHECK(thumbnail(report).series.size() == 1);
  CHECK(thumbnail(report).series[0].x.size() <= 300);
  report.logs[0].spectra = {{"H", "u", "y", "", {1, 10}, {1.0, 0.1}, {}}};
  CHECK(thumbnail(report).x.logarithmic);
  CHECK(thumbnail(report).series[0].y[1] == doctest::Approx(-20));
  report.logs[0].time_figures = {{"Fig. 1", "sine", {report.logs[0].channels[0].name}}};
  CHECK_FALSE(thumbnail(report).x.logarithmic);
  report.logs[0].figures = {{"Fig. 2", "path", {"x", "m"}, {"y", "m"}, {{"a", {1, 2}, {1, 2}}}, true}};
  CHECK(thumbnail(report).title == "path");
}

TEST_CASE("figures are counted once where spectra share axes") {
  Report report{"study", "x"};
  CHECK(figures_in(report) == 0);
  report.logs = {sine(10)};
  Log& log = report.logs[0];
  const Spectrum alone{"H", "u", "y", "", {1, 10}, {1.0, 0.1}, {}};
  Spectrum shared = alone;
  shared.figure = "Fig. 12";
  log.spectra = {alone, shared, shared};
  log.time_figures = {{"Fig. 1", "sine", {log.channels[0].name}}};
  CHECK(figures_in(report) == 3);
}

TEST_CASE("a sparkline rises where the numbers rise and shows a single peak") {
  std::vector<double> ramp;
  for (int i = 0; i < 8; ++i) ramp.push_back(i);
  CHECK(sparkline(ramp, 8) == "▁▂▃▄▅▆▇█");
  std::vector<double> peak(1000, 0.0);
  peak[500] = 1;
  CHECK(sparkline(peak, 10) == "▁▁▁▁▁█▁▁▁▁");
  CHECK(sparkline(std::vector<double>{1, missing, 1}, 3) == "▄ ▄");
  CHECK(sparkline({}, 3) == "   ");
}

TEST_CASE("a braille plot is as wide and high as asked and names the extremes") {
  const Log log = sine(1000);
  const std::string text = braille_plot(log.time, log.channels[0].values, {.width = 40, .height = 4, .indent = ""});
  CHECK(count(text, "\n") == 5);
  CHECK(text.find(" 1 ") == 0);
  CHECK(text.find("\n-1 ") != std::string::npos);
  CHECK(text.find("0.999 s") != std::string::npos);
  CHECK(braille_plot({}, {}).empty());
}
