#include "armature/identification/judgement.hpp"

#include <fmt/format.h>

#include <cmath>

#include "armature/identification/diagnosis.hpp"

namespace armature::identification {

namespace {

constexpr double unexplained = 0.8;    // relative error of a joint above which it was not identified
constexpr double worthless = 0.6;      // and of all joints together
constexpr double doubtful = 0.35;      // above which a lower cut-off is used by itself
constexpr double suspicious = 0.1;     // above which a joint is worth a word
constexpr double most_too_fast = 0.2;  // of the velocity
constexpr double most_binding = 2;     // bodies may fit this much worse than free numbers ...
constexpr double hardly_binds = 0.1;   // ... or leave this share of the torques

VecX<double> torques_of(const CrossValidation& c) { return c.rms.cwiseQuotient(c.relative.cwiseMax(1e-300)); }

/// The worst of what the estimate and the bodies leave of the log and of what is predicted wrongly of held-out data.
VecX<double> worst_errors(const Identification& r) {
  const VecX<double> held = r.physical_cross ? VecX<double>(r.physical_cross->rms.cwiseMin(r.cross.rms)) : r.cross.rms;
  return held.cwiseMax(r.training.rms)
      .cwiseMax(r.physical_training.rms)
      .cwiseQuotient(judged_against(torques_of(r.training)));
}

std::string joint_list(const Arm& arm, const VecX<double>& errors, double above) {
  std::vector<std::string> list;
  for (int i = 0; i < arm.dof(); ++i)
    if (errors[i] >= above) list.push_back(fmt::format("{:.0f} % at joint {}", 100 * errors[i], i + 1));
  return fmt::format("{}", fmt::join(list, ", "));
}

bool all_finite(const Identification& r) {
  if (!r.estimate.x.allFinite() || !r.physical.x.allFinite() || !r.physical.links.allFinite()) return false;
  for (int k = 0; k < r.model->size(); ++k)
    if (r.estimate.determined[k] && !std::isfinite(r.estimate.half_width(k))) return false;
  return std::isfinite(r.training.total) && std::isfinite(r.cross.total) && std::isfinite(r.physical_training.total);
}

}  // namespace

std::optional<double> judge(const Arm& arm, const MotionSource& source, Identification& r, bool may_lower_cutoff,
                            bool description_counts) {
  if (!all_finite(r))
    throw Error("the estimator came to no answer: some parameters or their intervals are not finite",
                "what the default estimator (wls) says of this log tells what is wrong with it");
  if (!r.physical.converged)
    throw NotConverged(
        fmt::format(
            "the physically consistent fit did not converge: its relative duality gap is {:.2g} after {} steps, "
            "at most 1e-6 is asked for",
            r.physical.gap, r.physical.iterations),
        "a larger --reference-weight makes the problem easier");
  const VecX<double> errors = worst_errors(r);
  const bool no_body =
      r.physical_training.total > most_binding * r.training.total && r.physical_training.total > hardly_binds;
  const bool refused = errors.maxCoeff() > unexplained || r.cross.total > worthless || no_body;
  const bool bad = refused || errors.maxCoeff() > doubtful;
  if (const double share = too_fast_share(arm, source, r.processing); share > most_too_fast)
    r.warnings.push_back(
        fmt::format("the log is sampled too slowly for its motion: {:.0f} % of the velocity lies above a fifth "
                    "of the sampling rate, where it is filtered away or folds back",
                    100 * share));
  const std::optional<Diagnosis> found = diagnose(arm, source, r.processing, r.model->settings(), description_counts);
  if (bad && may_lower_cutoff && found && found->cutoff > 0) {
    r.choices.push_back(found->sentence());
    return found->cutoff;
  }
  const bool explained = errors.maxCoeff() <= suspicious && !(found && found->of_the_described);
  if (!refused && (!found || found->advice || explained)) {
    if (found) r.warnings.push_back(found->sentence());
    return std::nullopt;
  }
  const std::string hint = found ? found->sentence()
                                 : "no single fault explains it: is it the log of another arm, are several columns "
                                   "mixed up or in another unit (--map), or does the arm touch something?";
  if (no_body && errors.maxCoeff() <= unexplained && r.cross.total <= worthless)
    throw Error(fmt::format("no arm of these joints moves like this: physically consistent bodies leave {:.1f} % of "
                            "the torques unexplained, the unconstrained fit {:.1f} % (worst: {})",
                            100 * r.physical_training.total, 100 * r.training.total,
                            joint_list(arm, errors, errors.maxCoeff())),
                hint);
  if (!refused && found->of_the_described)
    throw Error("the log contradicts the described inertia, and a fault of the log is the likely reason",
                found->sentence() + "; where the description means nothing: --ignore-inertia");
  throw Error(fmt::format("the log is not explained: errors of {} of torque RMS",
                          joint_list(arm, errors, std::min(refused ? unexplained : suspicious, errors.maxCoeff()))),
              hint);
}

}  // namespace armature::identification
