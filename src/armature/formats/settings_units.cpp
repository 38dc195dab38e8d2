#include "armature/formats/settings_units.hpp"

namespace armature::formats {

FileUnit unit_of(Dimension d, bool angle) {
  struct Row {
    Dimension dimension;
    std::string_view text;
  };
  static constexpr Row rows[] = {{dimension::length, "m"},
                                 {dimension::mass, "kg"},
                                 {dimension::time, "s"},
                                 {dimension::speed, "m/s"},
                                 {dimension::rate, "1/s"},
                                 {dimension::acceleration, "m/s^2"},
                                 {dimension::angular_acceleration, "1/s^2"},
                                 {dimension::inertia, "kg*m^2"},
                                 {dimension::force, "N"},
                                 {dimension::torque, "N*m"},
                                 {{0, 1, -2, 0}, "N/m"},
                                 {{2, 1, -1, 0}, "N*m*s"},
                                 {{0, 1, -1, 0}, "N*s/m"},
                                 {{0, 0, -3, 0}, "1/s^3"},
                                 {{1, 0, -3, 0}, "m/s^3"},
                                 {{2, 1, -3, 0}, "N*m/s"},
                                 {{1, 1, -3, 0}, "N/s"},
                                 {{0, 1, -3, 0}, "kg/s^3"},
                                 {{0, -1, 2, 0}, "m/N"},
                                 {{-2, -1, 2, 0}, "1/J"},
                                 {{0, -1, 1, 0}, "s/kg"},
                                 {{-2, -1, 1, 0}, "W/J^2"},
                                 {dimension::current, "A"},
                                 {dimension::voltage, "V"}};
  if (d == dimension::none) return angle ? FileUnit{"rad", d, 4 * pi * 1.0001, "deg"} : FileUnit{"", d};
  for (const Row& row : rows)
    if (row.dimension == d) return {row.text, d, d == dimension::length ? 20.0 : 0.0, "mm"};
  return {"", d};
}

FileUnit unit_of(const JointDimension& d, bool slides) {
  return slides ? unit_of(d.sliding) : unit_of(d.turning, d.turning == dimension::angle);
}

FileUnit unit_of(const TaskDimension& d, bool about) {
  return about ? unit_of(d.about, d.about == dimension::angle) : unit_of(d.along);
}

}  // namespace armature::formats
