// Collects medians while Google Benchmark runs, and lays them out as tables for a page in Markdown.
#pragma once

#include <benchmark/benchmark.h>

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "armature/rooms.hpp"

namespace armature::bench {

using namespace rooms;

/// Names of benchmarks are quantity/arm/contender. One table a quantity: a line an arm, a column a contender, the reference
/// first and the others by name (they are run in random order). Every time but the reference's is followed by how often the reference fits into it, and by the
/// counter "operations" where a benchmark sets it.
class Tables : public benchmark::BenchmarkReporter {
 public:
  explicit Tables(std::string reference) : reference_(std::move(reference)) {}

  bool ReportContext(const Context& context) override;
  void ReportRuns(const std::vector<Run>& runs) override;
  void Finalize() override;

  /// Median in nanoseconds; none where it was not run.
  [[nodiscard]] std::optional<double> median(const std::string& quantity, const std::string& arm,
                                             const std::string& contender) const;

  /// quantity/arm/contender of everything that was faster than the reference.
  [[nodiscard]] std::vector<std::string> faster_than_reference() const;

 private:
  struct Table {
    std::map<std::string, std::map<std::string, double>> median;   // [arm][contender], ns
    std::map<std::string, std::map<std::string, int>> operations;  // [arm][contender]
  };
  std::string reference_;
  std::map<std::string, Table> tables_;
};

}  // namespace armature::bench
