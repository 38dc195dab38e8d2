// How sure an identified arm is, as a spread over machines that can exist.
//
// The covariance of the identified parameters is that of base parameters: sums of link parameters that the torques show. A draw has
// to be a whole machine. Each link's pseudo-inertia P = U U' is moved to U (1 + E) U', E symmetric: a body where 1 + E is positive definite
// [Wensing2018], and the parameters are linear in E. With J the derivative of the parameters by the entries of all E (shares of rotor inertias, friction
// in a hundred times its deviation) and C their covariance,
//     C^-1/2 J = W D V',   coordinates = V (D² + 9)^-1/2 z,   z standard normal,
// the parameters of the draws have the covariance C wherever the log knows a mass distribution to better than about a third, and what it does not show at all
// stays as identified. Eigenvalues of E below -1/2 are bent so that they stay above -1: every draw can exist.
#pragma once

#include <string>

#include "armature/campaign/campaign.hpp"
#include "armature/identification/identify.hpp"

namespace armature::campaign {

/// A table (CSV): a row a coordinate with its name, the identified value and its factors.
std::string identified_spread_text(const Identification& identification);

/// Reads such a table. Throws FormatError where it is none, or was made for another arm than this one.
IdentifiedSpread read_identified_spread(const std::string& path, const Arm& arm);

/// Moves what an arm's file says by the draw z: rotors and friction in the tree, which is read into a description; then its links.
void move_drives(const IdentifiedSpread& spread, const Eigen::VectorXd& z, Yaml& arm);
void move_links(const IdentifiedSpread& spread, const Eigen::VectorXd& z, ArmDescription& arm);

}  // namespace armature::campaign
