// Section 5: links that twist and bend, as the library models them.
#pragma once

#include "armature/record/report.hpp"
#include "drive.hpp"

namespace armature::studies::vandeven1986 {

/// Torsion and bending of the second link against rod and beam, and the two axes with all of it.
std::vector<Claim> flexible_links();

}  // namespace armature::studies::vandeven1986
