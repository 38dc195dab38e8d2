// A quantity whose dimension is read, not asked for.
#pragma once

#include "armature/core/units.hpp"

namespace armature::core {

struct WrittenQuantity {
  double value = 0;     // [SI]
  Dimension dimension;  // of its unit; none where it has no unit
  std::string unit;     // as written: "mm"; empty: a bare number
};

/// Reads "90 deg" as 1.5707963, without a dimension, in "deg". Throws FormatError (without a place) where the text is no quantity.
WrittenQuantity read_quantity(std::string_view text);

/// A text that parse_quantity reads back as exactly this quantity: the number in SI, with the unit of its dimension unless it is
/// bare.
std::string quantity_text(const WrittenQuantity& quantity);

}  // namespace armature::core
