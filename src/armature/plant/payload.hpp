// What the tool carries.
#pragma once

#include <optional>

#include "armature/core/fields.hpp"
#include "armature/model/arm.hpp"

namespace armature::plant {

/// A body carried at the tool.
struct Load {
  double mass = 0;                              // [kg]; zero: nothing is carried
  Vec3<double> com = Vec3<double>::Zero();      // in the tool frame [m]
  Vec3<double> inertia = Vec3<double>::Zero();  // xx, yy, zz about the centre of mass [kg m²]

  void fields(Fields& f);
  /// Nothing where nothing is carried.
  [[nodiscard]] std::optional<MassProperties> body() const;
};

/// The arm carrying this, in place of what it carried.
Arm with_payload(const Arm& arm, const std::optional<MassProperties>& payload);

/// From this time on the tool carries this load.
struct PayloadChange {
  double time = 0;  // [s]
  Load load;

  void fields(Fields& f);
};

}  // namespace armature::plant
