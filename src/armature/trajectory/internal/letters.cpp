#include "armature/trajectory/internal/letters.hpp"

#include <array>
#include <initializer_list>

namespace armature::trajectory {

namespace {

constexpr double up = 1, high = 2.1, deep = -1.1;  // tops of x and of l, bottom of g [heights of an x]
constexpr double exit_speed = 0.8;

using Knots = std::vector<PenKnot>;

constexpr PenKnot pass(double x, double y, double vx, double vy) { return {x, y, vx, vy, vx, vy}; }
constexpr PenKnot turn(double x, double y, double vx) { return pass(x, y, vx, 0); }  // top or bottom of a curve
constexpr PenKnot rest(double x, double y) { return pass(x, y, 0, 0); }
constexpr PenKnot corner(double x, double y, double vx, double vy, double vx_out, double vy_out) {
  return {x, y, vx, vy, vx_out, vy_out};
}
constexpr PenKnot leave(double x) { return turn(x, 0, exit_speed); }          // along the baseline to the next letter
constexpr PenKnot leave_high(double x) { return turn(x, 0.78, exit_speed); }  // as after o

Knots operator+(Knots a, const Knots& b) {
  a.insert(a.end(), b.begin(), b.end());
  return a;
}

/// The round part of a d g q: over the top, back, and round to the baseline.
const Knots& bowl() {
  static const Knots knots{turn(0.72, up, 0.5), rest(0.98, 0.80), turn(0.68, up, -0.7), turn(0.64, 0, 0.9)};
  return knots;
}

const std::vector<Knots>& dot() {
  static const std::vector<Knots> marks{{rest(0.56, 1.45), rest(0.58, 1.55)}};
  return marks;
}

using Alphabet = std::array<Letter, 26>;

Alphabet make_alphabet() {
  return {{
      /* a */ {bowl() + Knots{rest(1.05, up), leave(1.27)}},
      /* b */ {{turn(0.60, high, -0.7), turn(0.48, 0, 0.9), turn(0.80, up, -0.7), leave_high(0.98)}, {}, 0.5},
      /* c */ {{turn(0.70, up, 0.5), rest(0.92, 0.80), turn(0.66, up, -0.7), turn(0.66, 0, 0.9)}},
      /* d */ {bowl() + Knots{rest(1.10, 2.0), leave(1.27)}},
      /* e */ {{turn(0.48, up, -0.85), turn(0.55, 0, 0.9)}, {}, 0.4},
      /* f */ {{turn(0.60, high, -0.7), turn(0.45, deep, 0.6), turn(0.52, 0.25, -0.6), leave(0.90)}, {}, 0.5},
      /* g */ {bowl() + Knots{rest(1.05, up), turn(0.78, deep, -0.8), pass(1.15, 0, 0.9, 1.2)}},
      /* h */ {{turn(0.60, high, -0.7), rest(0.45, 0), turn(0.92, up, 0.8), leave(1.22)}, {}, 0.5},
      /* i */ {{rest(0.50, up), leave(0.72)}, dot()},
      /* j */ {{rest(0.50, up), turn(0.25, deep, -0.8), pass(0.62, 0, 0.9, 1.2)}, dot()},
      /* k */
      {{turn(0.60, high, -0.7), rest(0.45, 0), turn(0.95, 1.05, -0.7), corner(0.52, 0.48, -0.48, -0.36, 0.36, -0.48),
        leave(1.15)},
       {},
       0.5},
      /* l */ {{turn(0.62, high, -0.7), leave(0.62)}, {}, 0.5},
      /* m */
      {{turn(0.45, up, 0.8), rest(0.70, 0), turn(1.14, up, 0.8), rest(1.39, 0), turn(1.83, up, 0.8), leave(2.12)}},
      /* n */ {{turn(0.45, up, 0.8), rest(0.70, 0), turn(1.14, up, 0.8), leave(1.43)}},
      /* o */
      {{turn(0.72, up, 0.5), rest(0.90, 0.90), turn(0.66, up, -0.8), turn(0.64, 0, 0.9), turn(0.78, up, -0.7),
        leave_high(0.98)}},
      /* p */
      {{rest(0.50, 1.15), rest(0.42, deep), turn(0.92, up, 0.9), turn(0.78, 0, -0.8), turn(0.58, 0.25, 0.4),
        leave(1.15)}},
      /* q */ {bowl() + Knots{rest(1.05, up), turn(0.98, deep, 0.6), turn(1.08, 0, -0.5), turn(1.35, -0.1, 0.8)}},
      /* r */ {{corner(0.50, 1.05, 0.48, 0.64, 0, -0.8), rest(0.58, 0), turn(1.02, up, 0.8), turn(1.28, 0.82, 0.7)}},
      /* s */
      {{corner(0.62, 1.15, 0.48, 0.64, 0, -0.8), turn(0.52, 0, -0.8), rest(0.28, 0.2), leave(0.98)}, {}, 0.6},
      /* t */ {{rest(0.55, 1.7), leave(0.77)}, {{rest(0.25, 1.15), rest(0.95, 1.2)}}},
      /* u */ {{rest(0.50, up), leave(0.75), rest(1.10, up), leave(1.32)}},
      /* v */ {{turn(0.45, up, 0.8), turn(0.80, 0, 0.3), turn(1.10, up, -0.4), leave_high(1.28)}},
      /* w */
      {{rest(0.50, up), turn(0.72, 0, 0.7), rest(1.02, up), turn(1.24, 0, 0.7), turn(1.54, up, -0.5),
        leave_high(1.70)}},
      /* x */ {{turn(0.42, up, 0.8), leave(0.98)}, {{rest(0.98, up), rest(0.35, 0)}}},
      /* y */ {{rest(0.50, up), leave(0.75), rest(1.10, up), turn(0.82, deep, -0.8), pass(1.17, 0, 0.9, 1.2)}},
      /* z */
      {{rest(0.30, 0.92), corner(0.85, up, 0.8, 0, -0.48, -0.64), corner(0.30, 0, -0.48, -0.64, 0.8, 0), leave(0.95)}},
  }};
}

}  // namespace

const Letter& letter(char name) {
  static const Alphabet alphabet = make_alphabet();
  return alphabet[name - 'a'];
}

}  // namespace armature::trajectory
