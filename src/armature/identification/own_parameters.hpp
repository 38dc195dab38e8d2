// An estimate in parameters that somebody else chose: those of a paper, of another program.
#pragma once

#include <string>
#include <vector>

#include "armature/identification/estimate.hpp"
#include "armature/identification/excitation_columns.hpp"
#include "armature/identification/torque_model.hpp"

namespace armature::identification {

struct OwnParameters {
  std::vector<std::string> names;
  Estimate estimate;  // of these; noise, condition and iterations are those of the estimate that it came from
};

/// What an estimate of a model says about the parameters of `columns`, with their covariance. Those named in `zero` are taken to be zero,
/// and what the log says of the others given that (the thirteen of fifteen columns of [Kostic2004, Table V]); they are left out of the
/// answer. A parameter is determined where all that it is made of is. Throws Error for a name that is not there.
OwnParameters own_parameters(const TorqueModel& model, const Estimate& estimate, const ParameterColumns& columns,
                             const std::vector<std::string>& zero = {});

}  // namespace armature::identification
