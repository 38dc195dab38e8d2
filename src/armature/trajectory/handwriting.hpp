// Cursive writing in a plane: strokes in closed form, each an oscillation about a steady drift.
//
// In the oscillation theory of handwriting [Hollerbach1981] the pen's velocity along and across the line is a sinusoid plus a
// constant, modulated from stroke to stroke. Here a stroke of duration T between two knots, with s = t/T from 0 to 1, is
//     p(s) = p0 + c s + a/π sin πs + b/π (1 - cos πs)                                                     (1)
// in every coordinate, with c, a, b fixed by the knots' positions and velocities. Larger strokes take longer, but less than in
// proportion [Viviani1982]: T = length^(1/3). So the pen is fast in the middle of a stroke and slow in its turns; the pace of
// the whole may vary too.
//
// Raw writing is that: position and speed are continuous; the direction jumps in cusps (at no speed) and corners (at full
// speed), and the acceleration jumps at almost every knot [Kostic2004]. Smooth writing is raw writing averaged over a short
// triangular window of time, still in closed form: its acceleration is continuous, and it strays from the raw one by less than
// a third of what the pen travels in half a window.
#pragma once

#include <string>
#include <vector>

#include "armature/core/units.hpp"
#include "armature/spatial/pose.hpp"
#include "armature/trajectory/motion.hpp"
#include "armature/trajectory/piecewise.hpp"

namespace armature::trajectory {

struct HandwritingSettings {
  std::string text = "romy";     // letters a to z, words separated by spaces
  double width = 0, height = 0;  // the writing just fits into this box [m]; one of the two may be 0: it does not matter
  double duration = 0;           // [s]
  std::vector<double> pace{1};   // relative speeds at equal distances of time: fast and slow phases
  double smoothing = 0;     // half width of the window, in mean strokes (0 to 1); 0: raw writing, 0.3: well rounded
  double slant = 10 * deg;  // from upright, to the right [rad]
  double lift = 0;          // how far the pen rises between words, to dots and to bars [m]
  Pose<double> plane;       // X_WP: the box's lower left corner, its x along the line, its z towards the writer
};

class Handwriting {
 public:
  /// Throws Error for what cannot be written.
  explicit Handwriting(const HandwritingSettings& settings);

  [[nodiscard]] double duration() const { return pace_.duration(); }
  /// The pen's tip; its axes are those of the plane.
  void at(double t, CartesianMotion& motion) const noexcept;
  /// Whether the pen writes at that time, rather than travel to the next word, dot or bar.
  [[nodiscard]] bool pen_down(double t) const noexcept;

  [[nodiscard]] double width() const { return size_[0]; }   // of what is written [m]
  [[nodiscard]] double height() const { return size_[1]; }  // [m]

  /// Where raw writing is not smooth; none in smooth writing.
  struct Jump {
    double time;                // [s]
    Vec3<double> velocity;      // after minus before, in W [m/s]; zero unless the pen turns a corner
    Vec3<double> acceleration;  // likewise [m/s²]
  };
  [[nodiscard]] std::vector<Jump> jumps() const;

  /// What is seen on the paper: lines through points of the plane, so many a stroke.
  [[nodiscard]] std::vector<std::vector<Eigen::Vector2d>> ink(int points_per_stroke = 24) const;

 private:
  struct Stroke {
    double start, T;           // [beat]
    Vec3<double> p0, c, a, b;  // as in (1), in the plane [m]
    bool ink;
  };
  struct State {
    Vec3<double> p, v, a;  // over beats, in the plane
  };
  void write(const HandwritingSettings& settings);
  void fit(const HandwritingSettings& settings);
  [[nodiscard]] std::size_t stroke_at(double beat) const noexcept;
  [[nodiscard]] static State on(const Stroke& stroke, double beat) noexcept;
  [[nodiscard]] State raw(double beat) const noexcept;
  [[nodiscard]] State averaged(double beat) const noexcept;
  [[nodiscard]] State pen(double beat) const noexcept { return window_ > 0 ? averaged(beat) : raw(beat); }
  [[nodiscard]] double time_of(double beat) const;

  std::vector<Stroke> strokes_;
  double beats_ = 0;          // of the raw writing
  double window_ = 0;         // half width of the triangle [beat]
  PiecewisePolynomial pace_;  // beat over time, from -window_
  Pose<double> plane_;
  Eigen::Vector2d size_;
};

}  // namespace armature::trajectory
