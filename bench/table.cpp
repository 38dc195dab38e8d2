#include "table.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <iostream>

namespace armature::bench {

bool Tables::ReportContext(const Context&) { return true; }

void Tables::ReportRuns(const std::vector<Run>& runs) {
  for (const Run& run : runs) {
    if (run.aggregate_name != "median") continue;
    const std::string& name = run.run_name.function_name;
    const auto first = name.find('/'), second = name.find('/', first + 1);
    const std::string quantity = name.substr(0, first), arm = name.substr(first + 1, second - first - 1),
                      contender = name.substr(second + 1);
    tables_[quantity].median[arm][contender] = run.GetAdjustedCPUTime();
    if (const auto count = run.counters.find("operations"); count != run.counters.end())
      tables_[quantity].operations[arm][contender] = static_cast<int>(count->second.value);
    std::cerr << '.' << std::flush;
  }
}

void Tables::Finalize() {
  std::cerr << '\n';
  for (const auto& [quantity, table] : tables_) {
    std::vector<std::string> contenders{reference_};
    for (const auto& [arm, median] : table.median)
      for (const auto& [contender, ns] : median)
        if (std::find(contenders.begin(), contenders.end(), contender) == contenders.end())
          contenders.push_back(contender);
    std::sort(contenders.begin() + 1, contenders.end());
    std::string head = "| " + quantity + " |", rule = "|---|";
    for (const std::string& contender : contenders) {
      head += " " + contender + " |";
      rule += "---:|";
    }
    std::cout << head << '\n' << rule << '\n';
    for (const auto& [arm, median] : table.median) {
      std::cout << "| " << arm << " |";
      for (const std::string& contender : contenders) {
        const auto ns = median.find(contender);
        if (ns == median.end()) {
          std::cout << " |";
          continue;
        }
        std::cout << (contender == reference_ || !median.contains(reference_)
                          ? fmt::format(" **{:.1f}**", ns->second)
                          : fmt::format(" {:.1f} ({:.2f}×)", ns->second, ns->second / median.at(reference_)));
        if (const auto counted = table.operations.find(arm);
            counted != table.operations.end() && counted->second.contains(contender))
          std::cout << fmt::format(", {} operations", counted->second.at(contender));
        std::cout << " |";
      }
      std::cout << '\n';
    }
    std::cout << '\n';
  }
}

std::optional<double> Tables::median(const std::string& quantity, const std::string& arm,
                                     const std::string& contender) const {
  const auto table = tables_.find(quantity);
  if (table == tables_.end()) return {};
  const auto line = table->second.median.find(arm);
  if (line == table->second.median.end() || !line->second.contains(contender)) return {};
  return line->second.at(contender);
}

std::vector<std::string> Tables::faster_than_reference() const {
  std::vector<std::string> faster;
  for (const auto& [quantity, table] : tables_)
    for (const auto& [arm, median] : table.median)
      for (const auto& [contender, ns] : median)
        if (median.contains(reference_) && ns < median.at(reference_))
          faster.push_back(quantity + "/" + arm + "/" + contender);
  return faster;
}

}  // namespace armature::bench
