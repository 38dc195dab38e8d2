// Small plots for a terminal, in braille dots and blocks.
#pragma once

#include <span>
#include <string>

#include "armature/rooms.hpp"

namespace armature::report {

/// `width` characters of eight heights, from the least to the greatest of `values` (the extremes of each piece, so that no peak is
/// lost). A blank where there is no number; a middle line where all are equal.
std::string sparkline(std::span<const double> values, int width = 24);

struct BrailleSettings {
  int width = 60, height = 5;  // characters
  std::string x_unit = "s";
  std::string indent = "  ";
};
/// The curve y(x), x increasing, with its extremes and the ends of x written at the axes. Lines end with a line feed. NaN: a gap.
std::string braille_plot(std::span<const double> x, std::span<const double> y, const BrailleSettings& settings = {});

}  // namespace armature::report
