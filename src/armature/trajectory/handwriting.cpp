#include "armature/trajectory/handwriting.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "armature/core/error.hpp"
#include "armature/core/text.hpp"
#include "armature/spatial/rotation.hpp"
#include "armature/trajectory/internal/letters.hpp"

namespace armature::trajectory {

namespace {

using Vector = Vec3<double>;

constexpr std::size_t longest_text = 1000;
constexpr double shortest_stroke = 0.02;  // below it a stroke's duration no longer shrinks [heights of an x]

/// A PenKnot after the slant, with its place on the page, and whether the stroke that ends here leaves ink.
struct Knot {
  Vector p, v_in, v_out;  // [heights of an x, beat]
  bool ink = true;
};

void check(const HandwritingSettings& settings) {
  const auto& [text, width, height, duration, pace, smoothing, slant, lift, plane] = settings;
  const auto size = [](double value) { return value >= 0 && std::isfinite(value); };
  if (text.find_first_not_of(' ') == std::string::npos) throw Error("there is no text to write", "e.g. romy");
  if (text.size() > longest_text)
    throw Error(fmt::format("a text of {} letters", text.size()), fmt::format("at most {} are written", longest_text));
  for (std::size_t i = 0; i < text.size(); ++i)
    if (text[i] != ' ' && (text[i] < 'a' || text[i] > 'z'))
      throw Error(fmt::format("'{}' in the text '{}' cannot be written", printable(text.substr(i, 1)), printable(text)),
                  text[i] >= 'A' && text[i] <= 'Z' ? "write it in lower case" : "letters a to z and spaces are known");
  if (!size(width) || !size(height) || !(width + height > 0))
    throw Error(fmt::format("writing of {} m by {} m", width, height), "give a positive width or height");
  if (!(duration > 0) || !std::isfinite(duration))
    throw Error(fmt::format("writing of {} s", duration), "the duration is positive");
  if (pace.empty() || !std::all_of(pace.begin(), pace.end(), [](double w) { return w > 0 && std::isfinite(w); }))
    throw Error("the pace of the writing is not positive throughout", "e.g. 1 for even writing, or 1, 2, 1");
  if (!(smoothing >= 0 && smoothing <= 1))
    throw Error(fmt::format("smoothing over {} strokes", smoothing), "0 is raw writing, 0.3 well rounded, at most 1");
  if (!(std::abs(slant) <= 60 * deg))
    throw Error(fmt::format("a slant of {} rad", slant), "at most 60 deg to either side");
  if (!size(lift)) throw Error(fmt::format("the pen is lifted by {} m", lift), "zero or more");
  if (!(orthogonality_error(plane.R) < 1e-9) || !plane.p.allFinite())
    throw Error("the plane of the writing is not a pose", "its axes are orthonormal and right-handed");
}

/// All knots of the text: word by word, each followed by its dots and bars.
std::vector<Knot> knots_of(const std::string& text, double slant, double lift) {
  std::vector<Knot> knots;
  const auto slanted = [&](double x, double y) { return Vector(x + std::tan(slant) * y, y, 0); };
  const auto add = [&](const PenKnot& k, double x) {
    const Vector v = slanted(k.vx, k.vy), w = slanted(k.vx_out, k.vy_out);
    const Vector out = w.norm() > 0 ? Vector(w * (v.norm() / w.norm())) : w;  // the slant keeps the speed of a corner
    knots.push_back({slanted(x + k.x, k.y), v, out, true});
  };
  const auto travel_to = [&](const PenKnot& k, double x) {  // up and down again, from rest to rest
    const Vector from = knots.back().p, to = slanted(x + k.x, k.y), middle = (from + to) / 2 + Vector(0, 0, lift);
    const double T = std::cbrt((to - from).norm() / 2);
    const Vector v = (to - from) * (pi / (4 * T));
    knots.push_back({middle, v, v, false});
    add(k, x);
    knots.back().ink = false;
  };

  double cursor = 0;
  for (std::size_t begin = text.find_first_not_of(' '), end = 0; begin != std::string::npos;
       begin = text.find_first_not_of(' ', end)) {
    end = std::min(text.find(' ', begin), text.size());
    std::vector<PenKnot> word{{cursor, 0, 0, 0, 0, 0}};  // with x on the page
    std::vector<std::vector<PenKnot>> marks;
    for (std::size_t i = begin; i < end; ++i) {
      const Letter& next = letter(text[i]);
      const double x = word.back().x;
      if (word.back().y > 0.5 && next.dip > 0) word.back().y = next.dip;
      for (PenKnot k : next.knots) {
        k.x += x;
        word.push_back(k);
      }
      for (std::vector<PenKnot> mark : next.marks) {
        for (PenKnot& k : mark) k.x += x;
        marks.push_back(std::move(mark));
      }
    }
    const bool high = word.back().y > 0.5;
    word.push_back(
        {word.back().x + 0.35, word.back().y + (high ? 0.12 : 0.45), 0, 0, 0, 0});  // the last stroke fades out
    cursor = word.back().x + 0.7;
    marks.insert(marks.begin(), std::move(word));
    for (const std::vector<PenKnot>& line : marks) {
      if (knots.empty())
        add(line.front(), 0);
      else
        travel_to(line.front(), 0);
      for (std::size_t i = 1; i < line.size(); ++i) add(line[i], 0);
    }
  }
  return knots;
}

/// Beats over time: the rate goes from pace to pace by smoothstep, so that it has a continuous slope.
PiecewisePolynomial beats_over_time(const std::vector<double>& pace, double from, double beats, double duration) {
  if (pace.size() == 1) return PiecewisePolynomial({{0, {from, beats / duration}}}, duration);
  const double h = duration / static_cast<double>(pace.size() - 1);
  const double sum = std::accumulate(pace.begin(), pace.end(), -(pace.front() + pace.back()) / 2);
  const double scale = beats / (sum * h);
  std::vector<PiecewisePolynomial::Piece> pieces;
  double x = from;
  for (std::size_t i = 0; i + 1 < pace.size(); ++i) {
    const double w = scale * pace[i], rise = scale * (pace[i + 1] - pace[i]);
    pieces.push_back({h * static_cast<double>(i), {x, w, 0, rise / (h * h), -rise / (2 * h * h * h)}});
    x += h * (w + rise / 2);
  }
  return {std::move(pieces), duration};
}

}  // namespace

Handwriting::Handwriting(const HandwritingSettings& settings) : plane_(settings.plane) {
  check(settings);
  write(settings);
  window_ = settings.smoothing * beats_ / static_cast<double>(strokes_.size());
  fit(settings);
  pace_ = beats_over_time(settings.pace, -window_, beats_ + 2 * window_, settings.duration);
}

//  With positions p0, p1 = p0 + D and velocities v0, v1 at the ends, (1) gives  c = T (v0 + v1)/2,  a = T (v0 - v1)/2,
//  b = π/2 (D - c).
void Handwriting::write(const HandwritingSettings& settings) {
  const std::vector<Knot> knots = knots_of(settings.text, settings.slant, settings.lift);
  for (std::size_t i = 1; i < knots.size(); ++i) {
    const Vector D = knots[i].p - knots[i - 1].p, v0 = knots[i - 1].v_out, v1 = knots[i].v_in;
    const double T = std::cbrt(std::max(D.head<2>().norm(), shortest_stroke));
    const Vector c = T / 2 * (v0 + v1), a = T / 2 * (v0 - v1), b = pi / 2 * (D - c);
    strokes_.push_back({beats_, T, knots[i - 1].p, c, a, b, knots[i].ink});
    beats_ += T;
  }
}

/// Scales the strokes into the asked box. Extremes lie where a velocity changes sign.
void Handwriting::fit(const HandwritingSettings& settings) {
  constexpr int samples = 64;  // a stroke, which has few extremes
  Eigen::Array2d lower = pen(-window_).p.head<2>(), upper = lower;
  const auto extend = [&](double beat) {
    lower = lower.min(pen(beat).p.head<2>().array());
    upper = upper.max(pen(beat).p.head<2>().array());
  };
  double last = -window_;
  const auto visit = [&](double beat) {
    extend(beat);
    const Vector before = pen(last).v, after = pen(beat).v;
    for (int k = 0; k < 2; ++k) {
      if (before[k] * after[k] >= 0) continue;
      double left = last, right = beat;
      for (int i = 0; i < 50; ++i) {
        const double middle = (left + right) / 2;
        (pen(middle).v[k] * before[k] > 0 ? left : right) = middle;
      }
      extend(left);
    }
    last = beat;
  };
  const auto scan = [&](double from, double to) {
    for (int i = 1; i <= samples; ++i) visit(from + (to - from) * i / samples);
  };
  scan(-window_, 0);
  for (const Stroke& stroke : strokes_) scan(stroke.start, stroke.start + stroke.T);
  scan(beats_, beats_ + window_);

  const Eigen::Array2d size = upper - lower;
  double scale = settings.width > 0 ? settings.width / size[0] : settings.height / size[1];
  if (settings.height > 0) scale = std::min(scale, settings.height / size[1]);
  for (Stroke& stroke : strokes_) {
    stroke.p0.head<2>() -= lower.matrix();
    for (Vector* part : {&stroke.p0, &stroke.c, &stroke.a, &stroke.b}) part->head<2>() *= scale;
  }
  size_ = (scale * size).matrix();
}

std::size_t Handwriting::stroke_at(double beat) const noexcept {
  const auto after = std::upper_bound(strokes_.begin() + 1, strokes_.end(), beat,
                                      [](double time, const Stroke& stroke) { return time < stroke.start; });
  return static_cast<std::size_t>(after - strokes_.begin()) - 1;
}

Handwriting::State Handwriting::on(const Stroke& stroke, double beat) noexcept {
  const auto& [start, T, p0, c, a, b, ink] = stroke;
  const double s = (beat - start) / T, sine = std::sin(pi * s), cosine = std::cos(pi * s);
  return {p0 + c * s + (a * sine + b * (1 - cosine)) / pi, (c + a * cosine + b * sine) / T,
          (b * cosine - a * sine) * (pi / (T * T))};
}

Handwriting::State Handwriting::raw(double beat) const noexcept {
  State state = on(strokes_[stroke_at(beat)], std::clamp(beat, 0.0, beats_));
  if (beat < 0 || beat > beats_) {
    state.v.setZero();
    state.a.setZero();
  }
  return state;
}

//  The average of p over the triangle of half width h is a second difference of its repeated integrals
//  Q1' = p, Q2' = Q1, both zero at t - h:
//      p~ = (Q2(t+h) - 2 Q2(t))/h²,   v~ = (Q1(t+h) - 2 Q1(t))/h²,   a~ = (p(t+h) - 2 p(t) + p(t-h))/h²
//  and of a stroke (1) they are, over s,
//      I1 = p0 s + c s²/2 + a/π² (1 - cos πs) + b/π (s - sin(πs)/π)
//      I2 = p0 s²/2 + c s³/6 + a/π² (s - sin(πs)/π) + b/π (s²/2 - (1 - cos πs)/π²)
//  p is taken from where the pen is at t, so that nothing large cancels.
Handwriting::State Handwriting::averaged(double beat) const noexcept {
  const double h = window_;
  const Vector centre = raw(beat).p;
  Vector Q1 = Vector::Zero(), Q2 = Vector::Zero();
  double t = beat - h;
  const auto advance_at_rest = [&](const Vector& p, double until) {
    const double dt = until - t;
    Q2 += dt * (Q1 + dt / 2 * (p - centre));
    Q1 += dt * (p - centre);
    t = until;
  };
  const auto advance_on = [&](const Stroke& stroke, double until) {
    const double T = stroke.T;
    struct Integrals {
      Vector I1, I2;
    };
    const auto integrals = [&](double s) {
      const double lag = s - std::sin(pi * s) / pi, bend = (1 - std::cos(pi * s)) / (pi * pi);
      return Integrals{(stroke.p0 - centre) * s + stroke.c * (s * s / 2) + stroke.a * bend + stroke.b * (lag / pi),
                       (stroke.p0 - centre) * (s * s / 2) + stroke.c * (s * s * s / 6) + stroke.a * (lag / (pi * pi)) +
                           stroke.b * ((s * s / 2 - bend) / pi)};
    };
    const Integrals i = integrals((t - stroke.start) / T), j = integrals((until - stroke.start) / T);
    Q2 += (until - t) * (Q1 - T * i.I1) + T * T * (j.I2 - i.I2);
    Q1 += T * (j.I1 - i.I1);
    t = until;
  };
  const auto advance = [&](double until) {
    if (t < 0) advance_at_rest(strokes_.front().p0, std::min(until, 0.0));
    for (std::size_t k = stroke_at(t); k < strokes_.size() && t < until; ++k) {
      const double end = k + 1 < strokes_.size() ? strokes_[k + 1].start : beats_;
      if (end > t) advance_on(strokes_[k], std::min(until, end));
    }
    if (t < until) advance_at_rest(raw(beats_).p, until);
  };
  advance(beat);
  const Vector Q1_middle = Q1, Q2_middle = Q2;
  advance(beat + h);
  return {centre + (Q2 - 2 * Q2_middle) / (h * h), (Q1 - 2 * Q1_middle) / (h * h),
          (raw(beat + h).p - 2 * centre + raw(beat - h).p) / (h * h)};
}

void Handwriting::at(double t, CartesianMotion& motion) const noexcept {
  const ScalarMotion beat = pace_.at(t);
  const State state = pen(beat.x);
  motion.position = plane_ * state.p;
  motion.velocity = plane_.R * (beat.v * state.v);
  motion.acceleration = plane_.R * (beat.v * beat.v * state.a + beat.a * state.v);
  motion.rotation = plane_.R;
  motion.angular_velocity.setZero();
  motion.angular_acceleration.setZero();
}

bool Handwriting::pen_down(double t) const noexcept { return strokes_[stroke_at(pace_.at(t).x)].ink; }

double Handwriting::time_of(double beat) const {
  double early = 0, late = duration();
  for (double middle = late / 2; early < middle && middle < late; middle = (early + late) / 2)
    (pace_.at(middle).x < beat ? early : late) = middle;
  return late;
}

std::vector<Handwriting::Jump> Handwriting::jumps() const {
  std::vector<Jump> jumps;
  if (window_ > 0) return jumps;
  const double speed = size_.norm() / duration() * static_cast<double>(strokes_.size());  // of its order of magnitude
  State before{strokes_.front().p0, Vector::Zero(), Vector::Zero()};
  for (std::size_t k = 0; k <= strokes_.size(); ++k) {
    const bool end = k == strokes_.size();
    const double beat = end ? beats_ : strokes_[k].start;
    const State after = end ? State{before.p, Vector::Zero(), Vector::Zero()} : on(strokes_[k], beat);
    const double time = k == 0 ? 0 : end ? duration() : time_of(beat);
    const ScalarMotion pace = pace_.at(time);
    const Vector v = after.v - before.v, a = after.a - before.a;
    const Jump jump{time, plane_.R * (pace.v * v), plane_.R * (pace.v * pace.v * a + pace.a * v)};
    if (jump.velocity.norm() > 1e-9 * speed || jump.acceleration.norm() > 1e-9 * speed * speed / size_.norm())
      jumps.push_back(jump);
    if (!end) before = on(strokes_[k], beat + strokes_[k].T);
  }
  return jumps;
}

std::vector<std::vector<Eigen::Vector2d>> Handwriting::ink(int points_per_stroke) const {
  std::vector<std::vector<Eigen::Vector2d>> lines;
  bool writing = false;
  for (std::size_t k = 0; k < strokes_.size(); ++k) {
    const Stroke& stroke = strokes_[k];
    if (stroke.ink && !writing) lines.push_back({pen(k == 0 ? -window_ : stroke.start).p.head<2>()});
    writing = stroke.ink;
    if (!writing) continue;
    const double start = k == 0 ? -window_ : stroke.start,
                 end = stroke.start + stroke.T + (k + 1 == strokes_.size() ? window_ : 0);
    for (int i = 1; i <= points_per_stroke; ++i)
      lines.back().push_back(pen(start + (end - start) * i / points_per_stroke).p.head<2>());
  }
  return lines;
}

}  // namespace armature::trajectory
