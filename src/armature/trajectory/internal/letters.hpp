// The lower-case alphabet in cursive, as the knots between pen strokes.
#pragma once

#include <vector>

#include "armature/rooms.hpp"

namespace armature::trajectory {

/// Where one stroke ends and the next begins. Lengths are in heights of an x; the unit of time is a beat, which a stroke of
/// length 1 takes. Either the pen passes with one velocity, or it rests (a cusp: the direction jumps at no speed), or it
/// turns a corner (the direction jumps at full speed; the speeds before and after are equal).
struct PenKnot {
  double x = 0, y = 0;            // from where the letter before ended, and from the baseline
  double vx = 0, vy = 0;          // velocity on arrival
  double vx_out = 0, vy_out = 0;  // velocity on departure
};

struct Letter {
  std::vector<PenKnot> knots;               // the letter begins where the one before ended and ends at its last knot
  std::vector<std::vector<PenKnot>> marks;  // dots and bars, written when the word is done
  double dip = 0;                           // a letter before that ends high ends here instead; 0: it stays where it is
};

/// Of 'a' to 'z'. Cusps: most letters. Corners: k, r, s and z (two).
const Letter& letter(char name);

}  // namespace armature::trajectory
