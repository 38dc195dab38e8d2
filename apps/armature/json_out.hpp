// Answers for machines.
#pragma once

#include <Eigen/Core>
#include <cmath>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>
#include "names.hpp"

namespace armature::app {

using Json = nlohmann::ordered_json;

/// Prints `answer`. Text that is not UTF-8 is repaired; a number that is not finite is an internal error.
void print_json(const Json& answer);

/// What is not finite is null.
inline Json number_or_null(double value) { return std::isfinite(value) ? Json(value) : Json(nullptr); }

/// A vector as a list; a matrix as a list of rows.
template <class Derived>
Json json_of(const Eigen::MatrixBase<Derived>& numbers) {
  Json list = Json::array();
  for (Eigen::Index i = 0; i < numbers.rows(); ++i) {
    if (numbers.cols() == 1) {
      list.push_back(numbers(i, 0));
      continue;
    }
    Json row = Json::array();
    for (Eigen::Index j = 0; j < numbers.cols(); ++j) row.push_back(numbers(i, j));
    list.push_back(row);
  }
  return list;
}

}  // namespace armature::app
