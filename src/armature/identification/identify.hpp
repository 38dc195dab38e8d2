// From a log to a model with its uncertainties: choices by cross-validation on the log itself, estimate, bodies, report.
#pragma once

#include "armature/identification/estimator_kinds.hpp"
#include "armature/identification/friction_shapes.hpp"
#include "armature/identification/gravity_direction.hpp"
#include "armature/identification/physical_estimate.hpp"
#include "armature/identification/torque_delay.hpp"
#include "armature/identification/validate.hpp"

namespace armature::identification {

struct IdentifySettings {
  Processing processing;        // what is 0 is chosen by default_processing
  bool find_delay = false;      // of the torques (torque_delay.hpp)
  bool find_gravity = false;    // its direction (gravity_direction.hpp)
  TorqueModelSettings model;    // its friction laws are the ones used, unless they are to be chosen
  bool choose_friction = true;  // among the usual candidates, joint by joint
  bool choose_rotors = true;    // whether their inertias are estimated
  bool choose_velocity = true;  // whether measured velocities are used, where the log has them
  bool choose_springs =
      true;                 // where friction is chosen, too: joints with a torque in the sine and cosine of their angle
  bool find_shape = false;  // else: the shape of model.friction's one law is searched too, joint by joint
  bool lugre = false;       // bristles behind a Stribeck law, which then has to be the law of the model
  Estimator estimator = Estimator::weighted;
  EstimatorSettings estimation;
  std::optional<double>
      reference_weight;  // of the described inertia (physical_estimate.hpp); none: chosen by cross-validation
  std::vector<double> link_weights;  // factors on it, one per link; empty: 1
  bool trust_reference = true;       // false: the described inertia means nothing, its weight is small and fixed
  std::function<void(const std::string&)> progress;
};

/// A friction law that was tried on a joint.
struct FrictionTrial {
  FrictionShape shape;
  std::vector<double> error;  // of each joint in cross-validation [N m | N]
};
struct WeightTrial {
  double weight = 0, error = 0, deviation = 0;  // relative error in cross-validation
};

/// What is found of one link.
struct LinkVerdict {
  BodyVerdict body;
  double mass = 0;
  double thinnest = 0;  // smallest eigenvalue of P_0⁻¹ P: small where the link is at the edge of what can exist
  bool at_the_edge = false;
  double moved = 0;  // distance from the described link (its divergence); 0: the log did not change it
};

/// An identification holds the parameters of an arm as a log determines them, the arm with them, and all that the choice of them rests on.
struct Identification {
  Processing processing;
  double step = 0;  // of the log [s]
  std::shared_ptr<const TorqueModel> model;
  Estimate estimate;  // free: whatever fits best
  VecX<double>
      unmodelled;  // torques that the model lacks, by joint, as its intervals allow for them (internal/unmodelled_torque.hpp); may be empty
  CrossValidation training;   // of it
  CrossValidation cross;      // of least squares, whatever the estimator
  PhysicalEstimate physical;  // bound: what can exist
  CrossValidation physical_training;
  std::optional<CrossValidation> physical_cross;  // where the estimate is that of least squares
  double reference_weight = 0;
  std::vector<FrictionTrial> friction_trials;
  std::vector<FrictionFit> friction_shapes;  // where they were searched, one per joint
  std::vector<LuGreOfJoint> lugre;           // likewise
  std::vector<WeightTrial> weight_trials;    // weights fall
  std::vector<LinkVerdict> links;
  std::vector<int> standing;  // joints that did not move
  Prediction prediction;      // of the training log by the bound parameters
  ArmDescription arm;         // with them
  std::vector<std::string> warnings;
  std::vector<std::string> choices;     // what the log decided, each with its reason
  bool held_out_runs = false;           // held-out data are whole runs
  double rows = 0;                      // equations used
  std::optional<FoundDelay> delay;      // where it was searched
  std::optional<FoundGravity> gravity;  // likewise

  /// The errors on held-out data of what is written: of the bodies, or where they were not tried on it, of least squares.
  const CrossValidation& held_out() const { return physical_cross ? *physical_cross : cross; }
};

/// Throws Error where the log cannot be what it claims to be, whatever the estimator (judgement.hpp).
Identification identify(const Arm& arm, const MotionSource& source, const IdentifySettings& settings = {});

/// The friction laws that are compared where none is asked for, for joints that move at these speeds (RMS).
std::vector<std::vector<FrictionShape>> friction_candidates(const VecX<double>& speed);

/// Five lines to read first: grade, held-out error by joint, what is undetermined, what limits the model, what to do next.
std::vector<std::string> verdict(const Identification& result);

/// The findings in plain sentences.
std::vector<std::string> sentences(const Identification& result);

/// A friction law with its shape: "Coulomb and viscous, sign smoothed over 0.01".
std::string law_text(const FrictionShape& shape);

}  // namespace armature::identification

namespace armature {
using identification::Identification;
}  // namespace armature
