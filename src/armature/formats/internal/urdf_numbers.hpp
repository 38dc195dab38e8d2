// Numbers in the attributes of a URDF.
#pragma once

#include <string_view>
#include <vector>

#include "armature/formats/internal/xml.hpp"

namespace armature::formats {

/// `count` finite numbers, separated by spaces. Throws FormatError at the attribute, as do the others.
std::vector<double> numbers_of(const XmlAttribute& attribute, std::size_t count);
double number_of(const XmlAttribute& attribute);

/// Numbers of which none is negative.
std::vector<double> magnitudes_of(const XmlAttribute& attribute, std::size_t count);
double magnitude_of(const XmlAttribute& attribute);

/// One number of either sign, or "inf", which is infinite: some say so that a limit is none.
double number_or_infinity(const XmlAttribute& attribute);

/// Something is left in it that xacro should have replaced.
bool has_xacro(std::string_view text);

}  // namespace armature::formats
