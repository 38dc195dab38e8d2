#include "armature/identification/drive_response.hpp"

#include <fmt/format.h>

#include <Eigen/LU>
#include <cmath>
#include <unsupported/Eigen/MatrixFunctions>

#include "armature/core/error.hpp"
#include "armature/core/units.hpp"
#include "armature/simulation/integrator.hpp"
#include "armature/simulation/linearize.hpp"

namespace armature::identification {

namespace {

struct LinearDrive {
  Eigen::MatrixXd A;
  Eigen::VectorXd B;
};

/// x' = A x + B u about the joint's position, or x+ = A x + B u from tick to tick.
LinearDrive linear_drive(const DriveModel& model, const Eigen::VectorXd& values, double tick) {
  const Plant plant = model.linear_plant(values);
  Eigen::VectorXd x = plant.state_at(VecX<double>::Constant(1, model.position()), VecX<double>::Zero(1));
  const Eigen::VectorXd u = Eigen::VectorXd::Zero(1);
  const LinearPlant linear = linearize(plant, 0, x, u, plant.modes_at(0, x, u.data()));
  if (tick == 0) return {linear.A, linear.B.col(0)};
  const Eigen::Index n = linear.A.rows();
  Eigen::MatrixXd both = Eigen::MatrixXd::Zero(n + 1, n + 1);
  both.topLeftCorner(n, n) = linear.A * tick;
  both.topRightCorner(n, 1) = linear.B.col(0) * tick;
  const Eigen::MatrixXd held = both.exp();
  return {held.topLeftCorner(n, n), held.topRightCorner(n, 1)};
}

}  // namespace

DriveFrf believable_lines(const DriveFrf& frf, double least) {
  if (frf.coherence.empty()) return frf;
  const std::size_t lines = frf.frequency.size();
  const auto coherent = [&](std::size_t i) {
    return frf.coherence[i] >= 0.5 * least && std::isfinite(frf.deviation[i]);
  };
  DriveFrf good = frf;
  good.frequency.clear();
  good.response.clear();
  good.coherence.clear();
  good.deviation.clear();
  for (std::size_t i = 0; i < lines; ++i) {
    if (!coherent(i)) continue;
    const std::size_t first = i < 4 ? 0 : i - 4, end = std::min(i + 5, lines);
    double coherence = 0, square = 0, count = 0;
    for (std::size_t n = first; n < end; ++n)
      if (coherent(n)) {
        coherence += frf.coherence[n];
        square += std::norm(frf.deviation[n] * frf.response[n]);
        ++count;
      }
    if (3 * count < static_cast<double>(end - first) || coherence / count < least) continue;
    good.frequency.push_back(frf.frequency[i]);
    good.response.push_back(frf.response[i]);
    good.coherence.push_back(coherence / count);
    good.deviation.push_back(std::max(std::sqrt(square / count) / std::abs(frf.response[i]), 1e-9));
  }
  if (good.frequency.empty())
    throw Error(fmt::format("no line of the response has a coherence of {:g}", least),
                "shake harder or longer, or ask for less with --coherence", {frf.name});
  return good;
}

DriveLines drive_lines(const DriveModel& model, const Eigen::VectorXd& values, const DriveFrf& frf,
                       const std::vector<std::size_t>& to) {
  const double h = 1e-5;  // A and B are exact to rounding, so central differences leave about 1e-10
  const LinearDrive at = linear_drive(model, values, frf.tick);
  std::vector<LinearDrive> slope;
  for (const std::size_t k : to) {
    Eigen::VectorXd more = values, less = values;
    more[k] *= std::exp(h);
    less[k] *= std::exp(-h);
    const LinearDrive up = linear_drive(model, more, frf.tick), down = linear_drive(model, less, frf.tick);
    slope.push_back({(up.A - down.A) / (2 * h), (up.B - down.B) / (2 * h)});
  }
  const auto lines = static_cast<Eigen::Index>(frf.frequency.size());
  const Eigen::Index n = at.A.rows();
  const int output = model.state_of(frf.output);
  DriveLines result{Eigen::VectorXcd(lines), Eigen::MatrixXcd(lines, static_cast<Eigen::Index>(to.size()))};
  for (Eigen::Index i = 0; i < lines; ++i) {
    const double w = 2 * pi * frf.frequency[i];
    const std::complex<double> s = frf.tick > 0 ? std::polar(1.0, w * frf.tick) : std::complex<double>(0, w);
    const std::complex<double> late = std::polar(1.0, -w * frf.tick * frf.delay);
    const Eigen::PartialPivLU<Eigen::MatrixXcd> lu(s * Eigen::MatrixXcd::Identity(n, n) - at.A);
    const Eigen::VectorXcd x = lu.solve(at.B.cast<std::complex<double>>());
    result.response[i] = late * x[output];
    if (slope.empty()) continue;
    // d(C S⁻¹ B) = y (dA x + dB) with the row y = C S⁻¹
    const Eigen::VectorXcd y = lu.transpose().solve(Eigen::VectorXcd::Unit(n, output));
    for (std::size_t k = 0; k < slope.size(); ++k)
      result.slopes(i, static_cast<Eigen::Index>(k)) = late * y.cwiseProduct(slope[k].A * x + slope[k].B).sum();
  }
  return result;
}

namespace {

/// Runs the motion; `show` sees the plant and its state at every sample of the log.
template <class Show>
void simulate(const DriveModel& model, const Eigen::VectorXd& values, const DriveMotion& log, double tolerance,
              const Show& show) {
  const Plant plant = model.plant(values);
  // An implicit method starts anew whenever the command jumps; where it does so at every sample an explicit one is quicker.
  Eigen::Index jumps = 0;
  for (Eigen::Index k = 1; k < log.command.size(); ++k) jumps += log.command[k] != log.command[k - 1];
  Integrator run(plant, {.method = 10 * jumps > log.command.size() ? Method::dormand_prince : Method::cvode,
                         .relative = tolerance,
                         .absolute = 0.01 * tolerance});
  Eigen::VectorXd u = Eigen::VectorXd::Zero(1);
  run.start(0, plant.state_at(VecX<double>::Constant(1, log.position), VecX<double>::Zero(1)), u);
  std::vector<LogEvent> events;
  const Eigen::Index rows = log.measured.rows();
  for (Eigen::Index row = 0; row < std::min<Eigen::Index>(log.delay, rows); ++row) show(row, plant, run.state());
  for (Eigen::Index k = 0; k + log.delay < rows; ++k) {
    show(k + log.delay, plant, run.state());
    u[0] = log.command[k];
    run.set_input(u);
    run.advance(static_cast<double>(k + 1) * log.step, events);
  }
}

}  // namespace

Eigen::MatrixXd drive_motion(const DriveModel& model, const Eigen::VectorXd& values, const DriveMotion& log,
                             double tolerance) {
  std::vector<int> states;
  for (const std::string& column : log.outputs) states.push_back(model.state_of(column));
  Eigen::MatrixXd motion(log.measured.rows(), states.size());
  simulate(model, values, log, tolerance, [&](Eigen::Index row, const Plant&, const Eigen::VectorXd& x) {
    for (std::size_t c = 0; c < states.size(); ++c) motion(row, static_cast<Eigen::Index>(c)) = x[states[c]];
  });
  return motion;
}

bool crosses_play(const DriveModel& model, const Eigen::VectorXd& values, const DriveMotion& log) {
  bool ahead = false, behind = false;
  simulate(model, values, log, 1e-7, [&](Eigen::Index, const Plant& plant, const Eigen::VectorXd& x) {
    for (const Spring& gear : plant.description().springs) {
      if (!(gear.backlash > 0)) continue;
      const double twist = x[gear.driver] / gear.ratio - x[gear.driven];
      ahead = ahead || twist > gear.backlash;
      behind = behind || twist < -gear.backlash;
    }
  });
  return ahead && behind;
}

}  // namespace armature::identification
