// Lesson 2: the same loop with generated code. `armature derive panda` wrote panda.hpp, which needs nothing but <cmath>: its inverse
// dynamics is straight-line code for this one arm. A law is anything with reset() and update(): here computed torque in a dozen
// lines, checked against the library's law in every tick.
#include <fmt/core.h>

#include <cmath>

#include "armature/control/compensation.hpp"
#include "armature/control/computed_torque.hpp"
#include "armature/control/guarded.hpp"
#include "armature/control/term_sum.hpp"
#include "armature/formats/catalogue.hpp"
#include "driver.hpp"
#include "panda.hpp"  // generated when this example is built

using namespace armature;
using namespace armature::control;

/// tau = M(q) y + C(q, qd) qd + g(q),  y = qdd_r + kd (qd_r - qd) + kp (q_r - q)
struct GeneratedComputedTorque {
  double kp = 400, kd = 40;  // [1/s²], [1/s]

  void reset(const Measurement&) {}
  void update(const Measurement& y, const Reference& r, double, VecX<double>& tau) noexcept {
    const VecX<double> command = r.qdd + kd * (r.qd - y.qd) + kp * (r.q - y.q);
    tau.resize(panda::n);
    panda::inverse_dynamics(y.q.data(), y.qd.data(), command.data(), tau.data());
  }
};
static_assert(Controller<GeneratedComputedTorque>);

int main() {
  const Arm arm = catalogue_arm("panda");
  VecX<double> start(7);
  start << 0, -0.5, 0, -2.2, 0, 1.7, 0.8;
  example::Driver driver(arm, start);

  GeneratedComputedTorque law;
  ComputedTorque library(arm, {.kp = VecX<double>::Constant(7, law.kp), .kd = VecX<double>::Constant(7, law.kd)});
  Guarded controller(arm,
                     AnyController(TermSum(7, terms(Term{"model", AnyController(law)},
                                                    Term{"friction", AnyController(FrictionCompensation(arm))}))),
                     {});
  controller.reset(driver.read());

  Reference r;
  VecX<double> tau(7), generated(7), compared(7);
  double difference = 0, error = 0;
  for (int k = 0; k < 3000; ++k) {
    const double t = 1e-3 * k, w = 2;
    const VecX<double> way = VecX<double>::LinSpaced(7, 0.2, 0.3);
    r.q = start + way * (1 - std::cos(w * t)) / 2;
    r.qd = way * (w * std::sin(w * t)) / 2;
    r.qdd = way * (w * w * std::cos(w * t)) / 2;

    const Measurement y = driver.read();
    controller.update(y, r, 1e-3, tau);
    driver.write(tau);

    law.update(y, r, 1e-3, generated);
    library.update(y, r, 1e-3, compared);
    difference = std::max(difference, (generated - compared).cwiseAbs().maxCoeff() / compared.cwiseAbs().maxCoeff());
    if (t > 1) error = std::max(error, (r.q - y.q).cwiseAbs().maxCoeff());
  }
  fmt::print("generated and generic torques agree to 1e-12: {}\n", difference < 1e-12 ? "yes" : "no");
  fmt::print("largest joint error after the first second: {:.1f} mrad\n", 1e3 * error);
  return difference < 1e-12 && error < 0.05 ? 0 : 1;
}
