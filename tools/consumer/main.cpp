// A program of somebody else, built against the installed package: what holds the RRR arm up, and what moves it.
#include <armature/algorithms/forward_dynamics.hpp>
#include <armature/algorithms/inverse_dynamics.hpp>
#include <armature/formats/catalogue.hpp>
#include <cstdio>

int main() {
  const armature::Arm arm = armature::catalogue_arm("rrr");
  const armature::VecX<double> q{{0.3, 0.9, -2.2}}, v{{1, -2, 3}}, a{{4, 5, 6}};
  const armature::VecX<double> tau = armature::inverse_dynamics<double>(arm, q, v, a);
  const armature::VecX<double> back = armature::forward_dynamics<double>(arm, q, v, tau);
  std::printf("%s: torques %g %g %g N m\n", arm.name().c_str(), tau[0], tau[1], tau[2]);
  return (back - a).norm() < 1e-9 ? 0 : 1;
}
