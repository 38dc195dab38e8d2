#include <fmt/format.h>

#include <sstream>

#include "armature/control/admittance.hpp"
#include "armature/control/force_control.hpp"
#include "armature/control/hybrid_force_position.hpp"
#include "armature/control/impedance.hpp"
#include "armature/core/text.hpp"
#include "armature/run/controllers.hpp"
#include "armature/spatial/rotation.hpp"

namespace armature {

namespace {

/// "z", "x y", "z rx": along and about the axes of the selection frame.
std::array<bool, 6> axes_of(const LawSource& source) {
  const std::vector<std::string> names{"x", "y", "z", "rx", "ry", "rz"};
  std::array<bool, 6> chosen{};
  std::istringstream words(source.law.force_axes);
  for (std::string word; words >> word;) {
    const auto found = std::find(names.begin(), names.end(), word);
    if (found == names.end())
      source.refuse("force_axes", fmt::format("force_axes names '{}'", printable(word)), suggestion(word, names));
    chosen[static_cast<std::size_t>(found - names.begin())] = true;
  }
  return chosen;
}

AnyController hybrid(const LawSource& source) {
  const LawSettings& s = source.law;
  source.need("kp", !s.kp.empty()), source.need("kd", !s.kd.empty()), source.need("force_axes", !s.force_axes.empty());
  HybridSettings h;
  h.dynamics = dynamics_of(source);
  h.frame = rotation_from_rpy({s.frame_rpy[0], s.frame_rpy[1], s.frame_rpy[2]});
  h.frame_in_tool = s.frame_in_tool, h.force_axis = axes_of(source);
  h.kd = task_vector(s.kd), h.kp = task_vector(s.kp);
  h.mass = task_vector(s.mass), h.force_kd = task_vector(s.force_kd);
  h.force_kp = task_vector(s.force_kp), h.force_ki = task_vector(s.force_ki);
  h.largest_force = s.largest_force;
  return AnyController(HybridForcePosition(source.arm(), h));
}

AnyController force(const LawSource& source) {
  const LawSettings& s = source.law;
  for (const auto& [key, given] :
       {std::pair{"kp", !s.kp.empty()}, std::pair{"kd", !s.kd.empty()}, std::pair{"force_ki", !s.force_ki.empty()}})
    source.need(key, given);
  ForceControlSettings f;
  f.dynamics = dynamics_of(source);
  f.mass = task_vector(s.mass), f.kd = task_vector(s.kd), f.kp = task_vector(s.kp);
  f.force_kp = task_vector(s.force_kp), f.force_ki = task_vector(s.force_ki);
  f.parallel = s.kind == "parallel_force_position", f.from_start = s.from_start, f.largest_shift = s.largest_shift;
  return AnyController(ForceControl(source.arm(), f));
}

}  // namespace

std::optional<AnyController> force_law(const LawSource& source) {
  const LawSettings& s = source.law;
  if (s.kind == "force" || s.kind == "parallel_force_position") return force(source);
  if (s.kind == "hybrid_force_position") return hybrid(source);
  if (s.kind == "impedance") {
    source.need("kp", !s.kp.empty()), source.need("kd", !s.kd.empty());
    ImpedanceSettings i;
    i.dynamics = dynamics_of(source);
    i.mass = task_vector(s.mass), i.kd = task_vector(s.kd), i.kp = task_vector(s.kp);
    i.force_measured = s.force_measured;
    return AnyController(Impedance(source.arm(), i));
  }
  if (s.kind == "admittance") {
    for (const auto& [key, given] :
         {std::pair{"kp", !s.kp.empty()}, std::pair{"kd", !s.kd.empty()}, std::pair{"frame_kp", !s.frame_kp.empty()},
          std::pair{"frame_kd", !s.frame_kd.empty()}})
      source.need(key, given);
    AdmittanceSettings a;
    a.dynamics = dynamics_of(source);
    a.frame_mass = task_vector(s.frame_mass), a.frame_kd = task_vector(s.frame_kd);
    a.frame_kp = task_vector(s.frame_kp);
    a.mass = task_vector(s.mass), a.kd = task_vector(s.kd), a.kp = task_vector(s.kp);
    return AnyController(Admittance(source.arm(), a));
  }
  return std::nullopt;
}

}  // namespace armature
