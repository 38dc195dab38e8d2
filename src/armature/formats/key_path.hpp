// Places in a tree of settings, by dotted keys.
#pragma once

#include <string>
#include <vector>

#include "armature/formats/yaml.hpp"

namespace armature::formats {

/// The values under a key such as "controller.kp.0" or "joints.elbow.friction.viscous": items of a list count from 0 or go by their
/// name, and * stands for all of them. A key that a map lacks is made, with nothing in it, where `make` says so. Throws FormatError
/// at `place` where the key leads nowhere or is deeper than a file may be.
std::vector<Yaml*> values_at(Yaml& root, const std::string& key, const Place& place, bool make);

}  // namespace armature::formats
