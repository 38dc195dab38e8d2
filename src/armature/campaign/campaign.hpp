// A campaign as data: a scenario, what varies, what is required.
#pragma once

#include <Eigen/Core>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "armature/campaign/distribution.hpp"
#include "armature/campaign/plan.hpp"
#include "armature/campaign/requirement.hpp"
#include "armature/run/loaded_scenario.hpp"

namespace armature::campaign {

/// A key whose value differs from run to run.
struct Varied {
  enum class Mode {
    set,    ///< the drawn value takes the place of the scenario's
    times,  ///< the scenario's value is multiplied by it
    plus    ///< it is added to the scenario's value
  };
  std::string key;  // of the scenario, or arm. and a key of the arm's file: "arm.joints.elbow.friction.viscous"
  Mode mode = Mode::set;
  Distribution distribution;
  Place place;
};

/// Keys that vary together: their normal scores have this correlation.
struct Correlated {
  std::vector<std::size_t> varied;  // which
  Eigen::MatrixXd factor;           // lower triangular, factor factor' = correlations
};

/// A table of draws made elsewhere: each run takes a whole row.
struct DrawnRows {
  std::vector<std::string> keys;
  std::vector<std::string> units;  // "" for bare numbers
  std::vector<std::vector<double>> rows;
  Place place;
};

/// The parameters of an identified arm: estimate and factor of the covariance of what the campaign moves (identified_spread.hpp).
struct IdentifiedSpread {
  Eigen::VectorXd estimate;
  Eigen::MatrixXd factor;
  std::vector<std::string> names;
};

struct Campaign {
  std::string name, question, file;
  LoadedScenario scenario;
  int seed = 1;
  bool fresh_noise = true;  // every run has a seed of its own; else all have the scenario's
  std::vector<Varied> vary;
  std::vector<Correlated> correlated;
  std::optional<DrawnRows> samples;
  std::optional<IdentifiedSpread> identified;
  PlanSettings plan;
  std::vector<Requirement> require;
  std::vector<std::string> record;  // metrics of joints that are recorded though nothing is required of them
  std::vector<double> quantiles{0.5, 0.95, 0.99};
  std::optional<double> target;  // probability of keeping all requirements that is to be shown
  int worst = 3;                 // runs kept of each requirement
};

/// Reads a campaign file and its scenario, whose arms take from `kernels` the functions that were written for them. Throws FormatError
/// or ModelError with place and hint.
Campaign load_campaign(const std::string& path, const Overrides& overrides = {}, const KernelSet& kernels = {});

}  // namespace armature::campaign
