// Some columns of a table, all rows at once: the tables of the demo are small.
#pragma once

#include <fmt/format.h>

#include <string>
#include <vector>

#include "armature/formats/table.hpp"

/// One vector of numbers a row, in the order of `columns`.
inline std::vector<std::vector<double>> read_columns(const std::string& file, const std::vector<std::string>& columns) {
  armature::formats::TableReader reader(file);
  reader.select(columns);
  std::vector<std::vector<double>> rows;
  std::vector<double> row(columns.size());
  while (reader.next(row)) rows.push_back(row);
  return rows;
}

/// {"q1", "q2", … , "qn"}
inline std::vector<std::string> numbered(const std::string& name, int count) {
  std::vector<std::string> names;
  for (int i = 1; i <= count; ++i) names.push_back(fmt::format("{}{}", name, i));
  return names;
}
