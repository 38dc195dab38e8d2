// Laws made from their settings by name, as scenario files make them: for tests of laws that have no header of their own.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <string_view>

#include "armature/control/law_settings.hpp"

namespace armature::testing {

/// The gains of a key with one value per joint; empty: they keep their default.
using JointGains = std::function<VecX<double>(const std::string& key, const JointDimension& d, bool must)>;

/// A law of this kind for the arm, with these gains and otherwise default settings.
AnyController law_by_kind(const Arm& arm, std::string_view kind, const JointGains& gains);
/// The same with one number per key, for all joints.
AnyController law_by_kind(const Arm& arm, std::string_view kind, const std::map<std::string, double>& gains);

/// Whether a kind needs nothing but joint gains: neither a task nor laws inside, which have no default that fits every arm.
bool is_joint_law(std::string_view kind);

}  // namespace armature::testing
