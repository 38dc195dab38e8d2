// How many inertias a drive shows: chains of two to four, compared on its frequency responses.
//
//   const ChainChoice chain = choose_chain(arm, 0, q, options, {frf}, settings, std::nullopt);
//   const DriveModel model(Arm(chain.arm), 0, q, options);
#pragma once

#include "armature/identification/drive_fit.hpp"
#include "armature/record/log.hpp"

namespace armature::identification {

/// What stands on the motor's shaft by a spring of its own: nothing (rotor and load: two inertias), the gear's input, a
/// tachometer, or both (the four of [Vandeven1986]).
struct ChainShape {
  bool tachometer = false, coupling = false;
  [[nodiscard]] int inertias() const { return 2 + int{tachometer} + int{coupling}; }
  friend bool operator==(const ChainShape&, const ChainShape&) = default;
};
ChainShape shape_of(const Drive& drive);
std::string to_string(const ChainShape& shape);  // "tachometer - rotor - gear - load"

/// The drive in that shape. What loses its spring turns with the rotor, inertia and bearing. What gains one takes its share of
/// the rotor's inertia where the drive does not say more, on a spring that makes it swing against the rest at `frequency` [Hz].
Drive reshaped(Drive drive, const ChainShape& shape, double frequency);

struct ChainTrial {
  ChainShape shape;
  int parameters = 0;
  double rms = 0;        // residual, as ResponseFit
  double criterion = 0;  // information criterion
};

struct ChainChoice {
  ArmDescription arm;                      // with the chosen chain
  Eigen::VectorXd values;                  // where the comparison left its parameters
  std::vector<ChainTrial> trials;          // the best of each length, shortest first
  std::size_t chosen = 0;                  // of the trials
  bool asked = false;                      // the length was given
  [[nodiscard]] std::size_t best() const;  // shortest that no longer one beats by 10, [Kass1995]
};

/// Fits chains from two inertias to `inertias` (none: four), each from the best shorter one with one more inertia that swings
/// at one of several frequencies within the lines, and from the described values where these have its shape. Takes the length
/// that is asked for, or the best. Throws Error where there is no frequency response.
ChainChoice choose_chain(const Arm& arm, int joint, const VecX<double>& q, const ComposeOptions& options,
                         const std::vector<DriveFrf>& responses, const DriveFitSettings& settings,
                         std::optional<int> inertias);

/// What the comparison says.
std::vector<std::string> sentences(const ChainChoice& choice);
LogTable chain_table(const ChainChoice& choice);

}  // namespace armature::identification
