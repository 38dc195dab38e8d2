#include "armature/simulation/sensitivity.hpp"

#include <fmt/core.h>

#include <cmath>
#include <limits>

#include "armature/core/units.hpp"
#include "armature/numerics/decompositions.hpp"

namespace armature::simulation {

namespace {

/// The viscous part of a law, where it has one.
struct Viscous {
  double* operator()(NoFriction&) const { return nullptr; }
  double* operator()(AsymmetricFriction&) const { return nullptr; }  // two numbers, one for each direction
  double* operator()(LuGre& f) const { return &f.sigma2; }
  template <class Law>
  double* operator()(Law& f) const {
    return &f.viscous;
  }
};

void scale(Inertia<double>& inertia, double factor) {
  inertia.m *= factor;
  inertia.h *= factor;
  inertia.I_Bo *= factor;
}

/// Scales what moves with joint `joint` of a flexible arm: its body and the pieces behind it, up to the next joint.
void scale_pieces(FlexibleArm& flexible, int joint, int dof, double factor) {
  std::vector<Body> bodies = flexible.arm.bodies();
  int of = -1;  // what stands before the first joint moves with none
  for (std::size_t k = 0; k < bodies.size(); ++k) {
    if (flexible.joint[k] < dof) of = flexible.joint[k];
    if (of == joint) scale(bodies[k].inertia, factor);
  }
  flexible.arm = flexible.arm.with_bodies(std::move(bodies));
}

}  // namespace

std::vector<PlantParameter> parameters_of(const PlantDescription& description) {
  std::vector<PlantParameter> all;
  // `find` leads from a description to the number in it
  const auto add = [&](std::string name, std::string unit, std::function<double*(PlantDescription&)> find) {
    PlantDescription copy = description;
    const double* number = find(copy);
    if (!number || *number == 0) return;
    all.push_back({std::move(name), *number, std::move(unit), [description, find](double factor) {
                     PlantDescription scaled = description;
                     *find(scaled) *= factor;
                     return scaled;
                   }});
  };
  for (std::size_t i = 0; i < description.rotors.size(); ++i)
    add("rotor " + description.rotors[i].name + " inertia", "kg m²",
        [i](PlantDescription& d) { return &d.rotors[i].inertia; });
  for (std::size_t i = 0; i < description.springs.size(); ++i) {
    const std::string name = "spring " + description.springs[i].name;
    add(name + " stiffness", "N m/rad", [i](PlantDescription& d) { return &d.springs[i].stiffness; });
    add(name + " hardening", "N m/rad³", [i](PlantDescription& d) { return &d.springs[i].hardening; });
    add(name + " damping", "N m s/rad", [i](PlantDescription& d) { return &d.springs[i].damping; });
    add(name + " ratio", "", [i](PlantDescription& d) { return &d.springs[i].ratio; });
  }
  for (std::size_t i = 0; i < description.friction.size(); ++i)
    add(fmt::format("axis {} viscous friction", description.friction[i].axis + 1), "N m s/rad",
        [i](PlantDescription& d) { return std::visit(Viscous{}, d.friction[i].law); });
  for (std::size_t i = 0; i < description.motors.size(); ++i) {
    const std::string name = "motor " + description.motors[i].name;
    if (description.motors[i].command == Motor::Command::torque) continue;
    add(name + " torque constant", "N m/A", [i](PlantDescription& d) { return &d.motors[i].torque_constant; });
    if (description.motors[i].command == Motor::Command::current) continue;
    add(name + " back emf", "V s/rad", [i](PlantDescription& d) { return &d.motors[i].back_emf; });
    add(name + " resistance", "ohm", [i](PlantDescription& d) { return &d.motors[i].resistance; });
    add(name + " inductance", "H", [i](PlantDescription& d) { return &d.motors[i].inductance; });
  }
  if (!description.arm) return all;
  for (int i = 0; i < description.arm->dof(); ++i) {
    const double mass = description.arm->body(i).inertia.m;
    if (mass == 0) continue;
    all.push_back({fmt::format("link {} mass", i + 1), mass, "kg", [description, i](double factor) {
                     PlantDescription scaled = description;
                     std::vector<Body> bodies = scaled.arm->bodies();
                     scale(bodies[i].inertia, factor);
                     scaled.arm = scaled.arm->with_bodies(std::move(bodies));
                     if (scaled.flexible) scale_pieces(*scaled.flexible, i, scaled.arm->dof(), factor);
                     return scaled;
                   }});
  }
  return all;
}

LinearSlope slope(const PlantParameter& parameter, double t, const Eigen::VectorXd& x, const Eigen::VectorXd& u,
                  const Modes& modes) {
  const double h = 1e-5;  // the linearization is exact to rounding, so this leaves about 1e-10
  const auto at = [&](double factor) { return linearize(Plant(parameter.scaled(factor)), t, x, u, modes); };
  const LinearPlant more = at(1 + h), less = at(1 - h);
  return {(more.A - less.A) / (2 * h), (more.B - less.B) / (2 * h)};
}

std::vector<std::complex<double>> eigenvalue_slopes(const LinearPlant& plant, const LinearSlope& slope) {
  // The left eigenvectors are the rows of the inverse of the right ones.
  const auto [values, right] = complex_eigen(plant.A);
  const Eigen::MatrixXcd change = complex_solved(right, slope.dA * right);
  const double none = std::numeric_limits<double>::quiet_NaN();
  std::vector<std::complex<double>> slopes;
  for (const Mode& mode : modes_of(plant)) {
    Eigen::Index nearest = 0;
    (values.array() - mode.eigenvalue).abs().minCoeff(&nearest);
    const double size = std::max(std::abs(mode.eigenvalue), 1e-12);
    double apart = std::numeric_limits<double>::infinity();
    for (Eigen::Index i = 0; i < right.cols(); ++i)
      if (i != nearest) apart = std::min(apart, std::abs(values[i] - mode.eigenvalue));
    const bool simple = apart > 1e-6 * size;
    slopes.push_back(simple ? change(nearest, nearest) : std::complex<double>(none, none));
  }
  return slopes;
}

std::vector<std::complex<double>> response_slopes(const LinearPlant& plant, const LinearSlope& slope,
                                                  Eigen::Index input, const Eigen::VectorXd& C,
                                                  const std::vector<double>& frequencies) {
  std::vector<std::complex<double>> slopes;
  const Eigen::Index n = plant.A.rows();
  for (const double f : frequencies) {
    const Eigen::MatrixXcd system = std::complex<double>(0, 2 * pi * f) * Eigen::MatrixXcd::Identity(n, n) - plant.A;
    const Eigen::VectorXcd x = complex_solved(system, plant.B.col(input).cast<std::complex<double>>());
    const Eigen::VectorXcd dx = complex_solved(system, slope.dA * x + slope.dB.col(input));
    slopes.push_back(C.cast<std::complex<double>>().cwiseProduct(dx).sum());
  }
  return slopes;
}

}  // namespace armature::simulation
