#include "armature/trajectory/handwriting.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>

#include "armature/core/error.hpp"
#include "armature/spatial/rotation.hpp"
#include "armature/testing/doctest.hpp"
#include "armature/trajectory/internal/letters.hpp"

using namespace armature::trajectory;

static_assert(CartesianTrajectory<Handwriting>);

namespace {

using Vector = Vec3<double>;

HandwritingSettings word(const std::string& text, double smoothing = 0) {
  HandwritingSettings settings;
  settings.text = text;
  settings.width = 0.2;
  settings.duration = 6;
  settings.smoothing = smoothing;
  return settings;
}

CartesianMotion at(const Handwriting& writing, double t) {
  CartesianMotion motion;
  writing.at(t, motion);
  return motion;
}

/// Largest change from one of `samples` to the next of what `value` gives, between two times.
template <class Value>
double largest_step(const Handwriting& writing, double from, double to, int samples, Value value) {
  double largest = 0;
  Vector last = value(at(writing, from));
  for (int i = 1; i <= samples; ++i) {
    const Vector next = value(at(writing, from + (to - from) * i / samples));
    largest = std::max(largest, (next - last).norm());
    last = next;
  }
  return largest;
}
Vector position(const CartesianMotion& m) { return m.position; }
Vector velocity(const CartesianMotion& m) { return m.velocity; }
Vector acceleration(const CartesianMotion& m) { return m.acceleration; }

struct Peaks {
  double v = 0, a = 0;
};
Peaks peaks(const Handwriting& writing) {
  Peaks peak;
  for (int i = 0; i <= 20000; ++i) {
    const CartesianMotion m = at(writing, writing.duration() * i / 20000);
    peak.v = std::max(peak.v, m.velocity.norm());
    peak.a = std::max(peak.a, m.acceleration.norm());
  }
  return peak;
}

std::string alphabet() {
  std::string letters;
  for (char c = 'a'; c <= 'z'; ++c) letters += c;
  return letters;
}

const std::vector<std::string> texts{"romy", "armature", "sphinx of black quartz judge my vow", alphabet()};

}  // namespace

TEST_CASE("velocity and acceleration of the writing are derivatives between its knots") {
  for (const std::string& text : texts)
    for (const double smoothing : {0.0, 0.3, 1.0}) {
      CAPTURE(text);
      CAPTURE(smoothing);
      HandwritingSettings settings = word(text, smoothing);
      settings.pace = {1, 3, 0.5};
      settings.lift = 0.01;
      const Handwriting writing(settings);
      const std::vector<Handwriting::Jump> jumps = writing.jumps();
      const Peaks peak = peaks(writing);
      const double h = 1e-6;
      for (int i = 1; i < 3000; ++i) {
        const double t = 6.0 * i / 3000;
        if (std::any_of(jumps.begin(), jumps.end(), [&](const auto& jump) { return std::abs(jump.time - t) <= h; }))
          continue;
        const CartesianMotion before = at(writing, t - h), m = at(writing, t), after = at(writing, t + h);
        CHECK(((after.position - before.position) / (2 * h) - m.velocity).norm() < 1e-6 * peak.v);
        CHECK(((after.velocity - before.velocity) / (2 * h) - m.acceleration).norm() < 1e-4 * peak.a);
      }
    }
}

TEST_CASE("the pen never leaves its line: the position is continuous everywhere") {
  for (const std::string& text : texts)
    for (const double smoothing : {0.0, 0.3}) {
      const Handwriting writing(word(text, smoothing));
      const int samples = 100'000;
      CHECK(largest_step(writing, -0.1, 6.1, samples, position) < 1.01 * peaks(writing).v * 6.2 / samples);
    }
}

TEST_CASE("smooth writing has a continuous acceleration: its steps shrink with the sampling") {
  for (const std::string& text : texts)
    for (const double smoothing : {0.1, 0.3, 1.0}) {
      CAPTURE(text);
      CAPTURE(smoothing);
      const Handwriting writing(word(text, smoothing));
      CHECK(writing.jumps().empty());
      const double coarse = largest_step(writing, -0.1, 6.1, 50'000, acceleration),
                   fine = largest_step(writing, -0.1, 6.1, 200'000, acceleration);
      CHECK(fine < 0.3 * coarse);
    }
}

TEST_CASE("raw writing jumps where it says so, by as much as it says, and nowhere else") {
  for (const std::string& text : {std::string("romy"), std::string("kiss zebras")}) {
    CAPTURE(text);
    HandwritingSettings settings = word(text);
    settings.pace = {1, 2, 1};
    const Handwriting writing(settings);
    const std::vector<Handwriting::Jump> jumps = writing.jumps();
    REQUIRE(jumps.size() > 10);
    const double eps = 1e-9;
    const Peaks peak = peaks(writing);
    for (const Handwriting::Jump& jump : jumps) {
      const CartesianMotion before = at(writing, jump.time - eps), after = at(writing, jump.time + eps);
      CHECK((after.velocity - before.velocity - jump.velocity).norm() < 1e-6 * peak.v);
      CHECK((after.acceleration - before.acceleration - jump.acceleration).norm() < 1e-6 * peak.a);
      CHECK(std::abs(after.velocity.norm() - before.velocity.norm()) < 1e-6 * peak.v);  // the speed never jumps
    }
    for (std::size_t i = 1; i < jumps.size(); ++i) {
      const double from = jumps[i - 1].time + eps, to = jumps[i].time - eps;
      REQUIRE(to > from);
      for (const auto& value : {velocity, acceleration})
        CHECK(largest_step(writing, from, to, 4000, value) < 0.3 * largest_step(writing, from, to, 1000, value) + 1e-9);
    }
    int found = 0;  // an independent count, by looking for steps that no smooth motion makes in a microsecond
    Vector last = at(writing, -1e-6).acceleration;
    for (double t = 0; t < 6 + 2e-6; t += 1e-6) {
      const Vector next = at(writing, t).acceleration;
      if ((next - last).norm() > 2e-4 * peak.a) ++found;
      last = next;
    }
    CHECK(found == std::count_if(jumps.begin(), jumps.end(),
                                 [&](const auto& jump) { return jump.acceleration.norm() > 2e-4 * peak.a; }));
  }
}

TEST_CASE("the pen turns corners at full speed in k, r, s and twice in z, and rests in its cusps") {
  const std::map<char, int> corners{{'k', 1}, {'r', 1}, {'s', 1}, {'z', 2}};
  for (char c = 'a'; c <= 'z'; ++c) {
    CAPTURE(c);
    const Handwriting writing(word(std::string(1, c)));
    const double peak = peaks(writing).v;
    int turns = 0;
    for (const Handwriting::Jump& jump : writing.jumps()) {
      if (jump.velocity.norm() < 1e-6 * peak) continue;
      ++turns;
      CHECK(jump.velocity.norm() > 0.3 * peak);
      CHECK(at(writing, jump.time).velocity.norm() > 0.1 * peak);
    }
    CHECK(turns == (corners.count(c) ? corners.at(c) : 0));
    for (const PenKnot& knot : letter(c).knots)
      CHECK(std::hypot(knot.vx, knot.vy) == doctest::Approx(std::hypot(knot.vx_out, knot.vy_out)));
  }
}

TEST_CASE("the writing takes exactly the asked time, and rests before and after") {
  for (const double smoothing : {0.0, 0.3})
    for (const double duration : {0.1, 4.2, 60.0}) {
      HandwritingSettings settings = word("to be", smoothing);
      settings.duration = duration;
      settings.pace = {2, 1, 2, 3};
      const Handwriting writing(settings);
      CHECK(writing.duration() == duration);
      if (smoothing == 0) {
        CHECK(writing.jumps().front().time == 0);
        CHECK(writing.jumps().back().time == duration);
      }
      const CartesianMotion first = at(writing, 0), last = at(writing, duration);
      CHECK(first.velocity.norm() * duration < 1e-12);
      CHECK(last.velocity.norm() * duration < 1e-12);
      CHECK((at(writing, -3).position - first.position).norm() == 0);
      CHECK((at(writing, duration + 3).position - last.position).norm() < 1e-15);
      CHECK(at(writing, duration + 3).acceleration.norm() == 0);
      CHECK(at(writing, duration * 0.999).velocity.norm() > 0);
    }
}

TEST_CASE("the writing just fits its box, from the lower left corner") {
  for (const std::string& text : texts)
    for (const double smoothing : {0.0, 0.3})
      for (const Eigen::Vector2d& box :
           {Eigen::Vector2d(0.2, 0), Eigen::Vector2d(0, 0.05), Eigen::Vector2d(0.3, 0.02)}) {
        const double width = box[0], height = box[1];
        CAPTURE(text);
        CAPTURE(smoothing);
        CAPTURE(width);
        HandwritingSettings settings = word(text, smoothing);
        settings.width = width;
        settings.height = height;
        const Handwriting writing(settings);
        if (height == 0) CHECK(writing.width() == doctest::Approx(width).epsilon(1e-14));
        if (width == 0) CHECK(writing.height() == doctest::Approx(height).epsilon(1e-14));
        if (width > 0 && height > 0) {
          CHECK(writing.width() <= width * (1 + 1e-14));
          CHECK(writing.height() <= height * (1 + 1e-14));
          CHECK(std::max(writing.width() / width, writing.height() / height) == doctest::Approx(1).epsilon(1e-14));
        }
        Eigen::Array2d lower = Eigen::Array2d::Constant(1), upper = -lower;
        for (const auto& line : writing.ink(500))
          for (const Eigen::Vector2d& p : line) {
            lower = lower.min(p.array());
            upper = upper.max(p.array());
          }
        CHECK(lower.minCoeff() > -1e-12);
        CHECK(lower.maxCoeff() < 1e-5 * writing.width());  // the samples may miss the extreme itself
        CHECK(upper[0] <= writing.width() + 1e-12);
        CHECK(upper[1] <= writing.height() + 1e-12);
        CHECK(upper[0] > writing.width() * (1 - 1e-5));
        CHECK(upper[1] > writing.height() * (1 - 1e-5));
      }
}

TEST_CASE("the writing lies in its plane, wherever that is; a lifted pen rises along the normal") {
  HandwritingSettings settings = word("it is", 0);
  settings.lift = 0.03;
  const Handwriting flat(settings);
  settings.plane = {rotation_from_rpy({0.3, -0.8, 2.1}), {0.4, -0.2, 0.7}};
  const Handwriting placed(settings);
  double highest = 0;
  for (int i = 0; i <= 3000; ++i) {
    const double t = 6.0 * i / 3000;
    const CartesianMotion a = at(flat, t), b = at(placed, t);
    CHECK((b.position - settings.plane * a.position).norm() < 1e-14);
    CHECK((b.velocity - settings.plane.R * a.velocity).norm() < 1e-12);
    CHECK((b.acceleration - settings.plane.R * a.acceleration).norm() < 1e-10);
    CHECK(b.rotation == settings.plane.R);
    CHECK(b.angular_velocity.norm() + b.angular_acceleration.norm() == 0);
    if (flat.pen_down(t)) CHECK(std::abs(a.position[2]) < 1e-15);
    highest = std::max(highest, a.position[2]);
  }
  CHECK(highest == doctest::Approx(0.03).epsilon(1e-4));
  CHECK(highest <= 0.03);
}

TEST_CASE("dots and bars are lines of their own: t and i lift the pen, m does not") {
  CHECK(Handwriting(word("romy")).ink().size() == 1);
  CHECK(Handwriting(word("it")).ink().size() == 3);
  CHECK(Handwriting(word("it is")).ink().size() == 5);
}

TEST_CASE("smooth writing is raw writing averaged over a triangle of time") {
  const double smoothing = 0.4, raw_duration = 5;
  HandwritingSettings settings = word("romy");
  settings.duration = raw_duration;
  const Handwriting raw(settings);
  const double strokes = static_cast<double>(raw.ink(1).front().size() - 1);
  const double h = smoothing * raw_duration / strokes;  // half the window [s]
  settings.smoothing = smoothing;
  settings.duration = raw_duration + 2 * h;
  const Handwriting smooth(settings);

  const auto average = [&](double t) {  // midpoint rule
    const int n = 40'000;
    Vector sum = Vector::Zero();
    for (int i = 0; i < n; ++i) {
      const double u = -h + 2 * h * (i + 0.5) / n;
      sum += (h - std::abs(u)) * at(raw, t + u).position;
    }
    return Vector(sum * (2 * h / n) / (h * h));
  };
  // Each variant is scaled into its own box; at both ends the averages rest where the raw writing does.
  const Vector raw_start = at(raw, 0).position, start = at(smooth, 0).position;
  const double scale =
      (at(smooth, smooth.duration()).position - start).norm() / (at(raw, raw_duration).position - raw_start).norm();
  const double bound = peaks(raw).v * h / 3;
  for (const double t : {0.0, 0.05, 0.3, 1.234, 2.2, 3.5, 4.9, 5.0}) {
    const Vector mean = average(t);
    CHECK((at(smooth, t + h).position - (start + scale * (mean - raw_start))).norm() < 1e-8);
    CHECK((mean - at(raw, t).position).norm() < bound);
  }
}

TEST_CASE("the pace changes when the pen is where, not where it goes") {
  HandwritingSettings settings = word("armature");
  const Handwriting even(settings);
  settings.pace = {1, 4, 0.5};  // [relative]
  const Handwriting paced(settings);
  const auto rate = [&](double t) {  // smoothstep from pace to pace, 3 s each
    const double r = std::fmod(t, 3.0) / 3;
    const double from = t < 3 ? 1 : 4, to = t < 3 ? 4 : 0.5;
    return from + (to - from) * r * r * (3 - 2 * r);
  };
  const auto way = [&](double t) {  // its integral, by the midpoint rule
    const int n = 20'000;
    double sum = 0;
    for (int i = 0; i < n; ++i) sum += rate(t * (i + 0.5) / n) * t / n;
    return sum;
  };
  const double whole = way(6);
  for (const double t : {0.4, 1.7, 3.0, 3.3, 5.2, 5.9}) {
    const double even_time = 6 * way(t) / whole;
    const CartesianMotion a = at(paced, t), b = at(even, even_time);
    CHECK((a.position - b.position).norm() < 1e-7);
    CHECK((a.velocity - b.velocity * (rate(t) * 6 / whole)).norm() < 1e-5);
  }
}

TEST_CASE("the pen is slow in the turns and fast between them") {
  const Handwriting writing(word("minimum"));
  const std::vector<Handwriting::Jump> jumps = writing.jumps();
  double turning = 0, between = 0;
  for (std::size_t i = 1; i < jumps.size(); ++i) {
    turning += at(writing, jumps[i].time).velocity.norm();
    between += at(writing, (jumps[i].time + jumps[i - 1].time) / 2).velocity.norm();
  }
  CHECK(turning < 0.5 * between);
}

TEST_CASE("what cannot be written is refused with a reason") {
  const auto complaint = [](auto change) -> std::string {
    HandwritingSettings settings = word("romy");
    change(settings);
    try {
      Handwriting{settings};
    } catch (const Error& error) {
      return error.what();
    }
    return "no complaint";
  };
  CHECK(complaint([](auto& s) { s.text = "Romy"; }) ==
        "'R' in the text 'Romy' cannot be written\n  hint: write it in lower case");
  CHECK(complaint([](auto& s) { s.text = "r2d2"; }) ==
        "'2' in the text 'r2d2' cannot be written\n  hint: letters a to z and spaces are known");
  CHECK(complaint([](auto& s) { s.text = "  "; }) == "there is no text to write\n  hint: e.g. romy");
  CHECK(complaint([](auto& s) { s.text = std::string(2000, 'a'); }).find("2000 letters") != std::string::npos);
  CHECK(complaint([](auto& s) { s.width = 0; }).find("give a positive width or height") != std::string::npos);
  CHECK(complaint([](auto& s) { s.height = -1; }).find("give a positive width or height") != std::string::npos);
  CHECK(complaint([](auto& s) { s.duration = 0; }).find("the duration is positive") != std::string::npos);
  CHECK(complaint([](auto& s) { s.pace = {1, 0}; }).find("pace") != std::string::npos);
  CHECK(complaint([](auto& s) { s.pace = {}; }).find("pace") != std::string::npos);
  CHECK(complaint([](auto& s) { s.smoothing = 1.5; }).find("smoothing over 1.5 strokes") != std::string::npos);
  CHECK(complaint([](auto& s) { s.slant = 2; }).find("slant") != std::string::npos);
  CHECK(complaint([](auto& s) { s.lift = NAN; }).find("lifted") != std::string::npos);
  CHECK(complaint([](auto& s) { s.plane.R *= 2; }).find("not a pose") != std::string::npos);
}
