#include "armature/formats/report_json.hpp"

#include <cmath>
#include <limits>

#include "armature/core/error.hpp"
#include "armature/testing/doctest.hpp"

using namespace armature::formats;

namespace {

Report full_report() {
  Report r{"study", "title \"quoted\" </script>", "sub"};
  r.claims = {{"a", "says", "1", "2", true, "why"}, {"b", "", "", "", false}};
  r.facts = {{"seed", "1"}, {"seed", "2"}};
  Log log;
  log.title = "no rows";
  log.events = {{0.5, "stick", "joint 2"}};
  log.tables = {{"t", {"h1", "h2"}, {{"1", "2"}, {"3"}}}};
  log.spectra = {{"H", "u", "y", "V/V", {1, 2}, {{1, -2}, {0.1, 1e-300}}, {0.5, 1}, "Fig 10"}};
  log.texts = {{LogText::Kind::latex, "eq", "\\frac{1}{2}"}};
  log.time_figures = {{"Fig 1", "q", {"q1"}, "caption"}};
  log.figures = {
      {"Fig 2",
       "f",
       {"x", "m", true, {"a", "b"}},
       {"y", "N"},
       {{"s", {1, 2}, {std::numeric_limits<double>::quiet_NaN(), 0.1}, FigureSeries::Style::bars, {0, 0}, {1, 2}}},
       true,
       "caption"}};
  log.matrices = {{"Fig 3", "R", {"a"}, {"b", "c"}, {0.25, -1}, -2, 2, "caption"}};
  log.scene = {
      {.name = "base"},
      {.name = "one", .parent = 0, .ellipsoid_axes = {1, 2, 3}, .position = {0, 0, 1}, .joint = "q1", .slides = true}};
  log.arrows = {{"force", 1, {"fx", "fy", "fz"}}};
  log.planes = {{"wall", {1, 0, 0}, {0, 1, 0}}};
  log.limits = {{"q1", -0.5, false}};
  r.logs = {log};
  return r;
}

}  // namespace

TEST_CASE("a report written and read is the same report") {
  const Report a = full_report();
  const std::string text = report_json(a, log_files(a));
  const Report b = parse_report(text, "report.json");
  CHECK(report_json(b, log_files(b)) == text);
  CHECK(b.claims.size() == 2);
  CHECK(b.claims[0].holds);
  CHECK(!b.claims[1].holds);
  CHECK(b.facts == a.facts);
  const Log &x = a.logs[0], &y = b.logs[0];
  CHECK(y.events[0].detail == "joint 2");
  CHECK(y.tables[0].rows == x.tables[0].rows);
  CHECK(y.spectra[0].response == x.spectra[0].response);
  CHECK(y.spectra[0].figure == "Fig 10");
  CHECK(y.texts[0].kind == LogText::Kind::latex);
  CHECK(y.time_figures[0].channels == x.time_figures[0].channels);
  CHECK(y.figures[0].series[0].style == FigureSeries::Style::bars);
  CHECK(std::isnan(y.figures[0].series[0].y[0]));
  CHECK(y.figures[0].series[0].y[1] == 0.1);
  CHECK(y.figures[0].x.categories == x.figures[0].x.categories);
  CHECK(y.figures[0].equal_scale);
  CHECK(y.matrices[0].values == x.matrices[0].values);
  CHECK(y.scene[1].slides);
  CHECK(y.scene[1].position == x.scene[1].position);
  CHECK(y.scene[0].turn == x.scene[0].turn);
  CHECK(y.arrows[0].channels == x.arrows[0].channels);
  CHECK(y.planes[0].normal == x.planes[0].normal);
  CHECK(y.limits[0].channel == x.limits[0].channel);
  CHECK(y.limits[0].value == x.limits[0].value);
  CHECK(!y.limits[0].upper);
}

TEST_CASE("a log with rows is named as a file beside it") {
  Report r{"simulate", "x"};
  r.logs.resize(1);
  CHECK(log_files(r)[0].empty());
  r.logs[0].time = {0, 1};
  CHECK(log_files(r)[0] == "log.csv");
  r.logs.resize(2);
  CHECK(log_files(r)[0] == "log_1.csv");
  CHECK(report_json(r, log_files(r)).find("log_1.csv") != std::string::npos);
}

TEST_CASE("a damaged report is refused with its place") {
  struct Bad {
    const char* text;
    const char* message;
  };
  const Bad bad[] = {
      {"{\"armature report\": 1,\n \"title\": }", "report.json:2:11: this is no JSON"},
      {"[]", "this is no report"},
      {"{}", "this is no report"},
      {"{\"armature report\": 2}", "newer"},
      {"{\"armature report\": 1, \"title\": 3}", "title is not a text"},
      {"{\"armature report\": 1, \"claims\": {}}", "claims is not a list"},
      {"{\"armature report\": 1, \"logs\": [{\"figures\": [{\"series\": [{\"x\": [\"a\"]}]}]}]}",
       "logs[0].figures[0].series[0].x[0] is not a number"},
      {"{\"armature report\": 1, \"logs\": [{\"texts\": [{\"kind\": \"latx\"}]}]}", "did you mean 'latex'?"},
      {"{\"armature report\": 1, \"logs\": [{\"scene\": [{\"parent\": 0}]}]}", "frame 0 hangs on frame 0"},
      {"{\"armature report\": 1, \"logs\": [{\"arrows\": [{\"frame\": 4}]}]}", "there is no frame 4"},
      {"{\"armature report\": 1, \"logs\": [{\"planes\": [{\"point\": [1, 2]}]}]}", "point is not a list of 3"},
      {"{\"armature report\": 1, \"logs\": [7]}", "logs[0] is not an object"},
      {"", "this is no JSON"},
  };
  for (const auto& [text, message] : bad) {
    CAPTURE(std::string(text));
    CHECK_THROWS_WITH_AS(parse_report(text, "report.json"), doctest::Contains(message), FormatError);
  }
}

TEST_CASE("a number beyond all doubles is refused with a sentence") {
  CHECK_THROWS_WITH_AS(parse_report(R"({"armature report": 1, "title": 1e999})", "report.json"),
                       doctest::Contains("report.json: a number in it is larger than any double"), FormatError);
}

TEST_CASE("a sound report damaged by chance is read or refused, never worse") {
  const std::string text = report_json(full_report(), {""});
  unsigned seed = 1;
  const auto next = [&seed] { return seed = seed * 1664525u + 1013904223u, seed >> 8; };
  for (int trial = 0; trial < 3000; ++trial) {
    std::string damaged = text;
    for (unsigned k = 0; k < 1 + next() % 3; ++k) {
      const std::size_t at = next() % damaged.size();
      switch (next() % 3) {
        case 0:
          damaged[at] = static_cast<char>(next() % 256);
          break;
        case 1:
          damaged.erase(at, 1 + next() % 40);
          break;
        default:
          damaged.insert(at, damaged.substr(next() % damaged.size(), next() % 40));
      }
      if (damaged.empty()) damaged = "x";
    }
    try {
      parse_report(damaged, "report.json");
    } catch (const FormatError&) {
    }
  }
  CHECK(parse_report(text, "report.json").logs.size() == 1);
}
