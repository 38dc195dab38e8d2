// The runs of a campaign on disk: a table that grows by whole rows.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "armature/rooms.hpp"

namespace armature::campaign {

/// The name of the table in the folder of a campaign.
inline constexpr const char* runs_file = "runs.npy";

/// A file of NumPy's format: a header with the names of the columns (numpy.load gives a structured array), then one row of
/// doubles a run. The header is brought up to date after the rows are written, so that what an interrupt, a kill or a full disk
/// leaves behind is a table of whole rows; what lies behind them is cut off when the table is opened again.
class RunStore {
 public:
  /// Opens the table at `path`, or makes it. Throws Error where it cannot be written or has other columns.
  RunStore(const std::string& path, std::vector<std::string> columns);
  ~RunStore();
  RunStore(const RunStore&) = delete;
  RunStore& operator=(const RunStore&) = delete;

  [[nodiscard]] const std::vector<std::string>& columns() const { return columns_; }
  [[nodiscard]] std::uint64_t rows() const { return rows_; }
  /// Adds whole rows, one after the other in `numbers`. Throws Error where the disk is full; what was there before stays.
  void append(std::span<const double> numbers);

  /// Calls `each` with run and row for `count` rows from the first on, a block at a time.
  void scan(std::uint64_t count, const std::function<void(std::uint64_t run, std::span<const double> row)>& each) const;
  [[nodiscard]] std::vector<double> column(std::size_t index, std::uint64_t count) const;
  [[nodiscard]] std::vector<double> row(std::uint64_t run) const;

 private:
  void write_header();
  void read_header();
  [[noreturn]] void refuse(const std::string& finding, const std::string& hint) const;
  [[nodiscard]] std::uint64_t offset(std::uint64_t row) const {
    return header_ + row * columns_.size() * sizeof(double);
  }

  std::string path_;
  std::vector<std::string> columns_;
  std::uint64_t rows_ = 0, header_ = 0;
  int file_ = -1;
};

}  // namespace armature::campaign
