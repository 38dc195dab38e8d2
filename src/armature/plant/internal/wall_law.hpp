// How a wall pushes back.
#pragma once

#include "armature/plant/internal/forces.hpp"
#include "armature/plant/wall.hpp"

namespace armature::plant {

/// What a wall sees of the tool: how deep it is and how fast it gets deeper.
template <Scalar S>
struct Penetration {
  S depth, rate;
};
template <Scalar S>
Penetration<S> penetration(const Wall& wall, const Vec3<S>& p, const Vec3<S>& v) {
  Penetration<S> into{S(0), S(0)};
  for (int k = 0; k < 3; ++k) {
    into.depth += S(wall.normal[k]) * (S(wall.point[k]) - p[k]);
    into.rate -= S(wall.normal[k]) * v[k];
  }
  return into;
}

/// The tool at p with velocity v touches it; `bristle` are the three bristles of its friction, `rate` their derivatives, null without.
template <Scalar S>
void act(const Wall& w, const Vec3<S>& p, const Vec3<S>& v, const S* bristle, S* rate, Forces<S>& out) {
  const auto [depth, entry] = penetration<S>(w, p, v);
  const S normal = S(w.stiffness) * depth + S(w.damping) * entry;
  out.dissipated += S(w.damping) * entry * entry;
  for (int i = 0; i < 3; ++i) out.tool[i] += normal * S(w.normal[i]);
  if (!bristle) return;
  S speed(0);
  std::array<S, 3> along;  // velocity in the plane
  for (int i = 0; i < 3; ++i) {
    along[i] = v[i] + entry * S(w.normal[i]);
    speed += along[i] * along[i];
  }
  speed = sqrt(speed + S(1e-30));
  const S limit = S(w.friction) * (magnitude(normal) + S(1e-9));
  for (int i = 0; i < 3; ++i) {
    const S relax = S(w.tangential_stiffness) * speed / limit * bristle[i];
    rate[i] = along[i] - relax;
    out.tool[i] -= S(w.tangential_stiffness) * bristle[i];
    out.dissipated += S(w.tangential_stiffness) * bristle[i] * relax;
  }
}

}  // namespace armature::plant
