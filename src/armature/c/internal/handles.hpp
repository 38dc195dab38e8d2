// What stands behind the handles of armature.h.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "armature/armature.h"
#include "armature/compute/batch.hpp"
#include "armature/model/arm.hpp"
#include "armature/record/report.hpp"
#include "armature/run/comparison.hpp"

struct armature_arm {
  armature::Arm arm;
  std::vector<std::string> warnings;
  bool as_given = false;  // computed with although its inertia is missing or impossible
  std::string text;       // as an arm file
};

struct armature_function {
  armature::compute::Batch batch;
  std::string inputs;
};

struct armature_result {
  struct Array {
    std::string name, unit;
    std::vector<double> numbers;
  };
  std::string json, text;
  std::vector<Array> arrays;
  armature::Report report;
  std::optional<armature::run::RunMetrics> metrics;  // of a simulated run
};

namespace armature::c {

/// The log's time and channels become the result's arrays.
void take_arrays(armature_result& result, Log log);

}  // namespace armature::c
