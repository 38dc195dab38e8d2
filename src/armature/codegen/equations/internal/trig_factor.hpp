// Taking sines and cosines out of a polynomial.
#pragma once

#include <optional>

#include "armature/codegen/equations/trig_poly.hpp"

namespace armature::codegen {

/// f / sin(angle·q) or f / cos(angle·q), if that leaves no rest.
std::optional<TrigPoly> divided_by_turn(const TrigPoly& f, const TrigPoly::Angle& angle, bool sine);

/// Determinant of a square matrix as factors: blocks of zeros are used, what is left is expanded. Their product is the determinant.
std::vector<TrigPoly> determinant_factors(const Eigen::Matrix<TrigPoly, Eigen::Dynamic, Eigen::Dynamic>& matrix);

}  // namespace armature::codegen
