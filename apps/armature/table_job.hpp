// From a table to a table, row by row, in constant memory; the result is written whole or not at all.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "armature/formats/table.hpp"
#include "names.hpp"

namespace armature::app {

struct TableJob {
  std::string in, out;  // paths, or "-"
  /// The columns to read, given those that the table has.
  std::function<std::vector<std::string>(const TableReader&)> inputs;
  std::vector<std::string> unsurprising;  // columns that may be there without being read or mentioned
  std::vector<std::string> outputs;
  /// Answers a row by writing any number of rows. Rows count from 1.
  std::function<void(std::uint64_t row, std::span<const double> input, const Place& place, TableWriter& out)> each;
};

/// Returns how many rows were read. Throws Error with file and line.
std::uint64_t run(const TableJob& job);

}  // namespace armature::app
