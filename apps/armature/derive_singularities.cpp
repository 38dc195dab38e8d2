// armature derive ARM --what singularities: where the arm loses a direction.
#include <fmt/format.h>

#include "arm_options.hpp"
#include "armature/codegen/equations/singularities.hpp"
#include "armature/core/error.hpp"
#include "armature/core/text.hpp"
#include "derive_ways.hpp"
#include "json_out.hpp"

namespace armature::app {
namespace {

std::optional<std::vector<int>> rows_of(const std::optional<std::string>& words) {
  if (!words) return {};
  std::vector<int> rows;
  for (const std::string& word : split_words(*words)) {
    const auto it = std::find(jacobian_rows.begin(), jacobian_rows.end(), word);
    if (it == jacobian_rows.end())
      throw Error(fmt::format("--rows: the Jacobian has no row '{}'", printable(word)),
                  suggestion(word, {jacobian_rows.begin(), jacobian_rows.end()}));
    const int row = static_cast<int>(it - jacobian_rows.begin());
    if (std::find(rows.begin(), rows.end(), row) != rows.end())
      throw Error(fmt::format("--rows: '{}' is there twice", word), "each row once");
    rows.push_back(row);
  }
  std::sort(rows.begin(), rows.end());
  return rows;
}

}  // namespace

int derive_singularities(const LoadedArm& loaded, const std::optional<std::string>& rows, bool json) {
  const Singularities s = singularities(loaded.arm, rows_of(rows));
  std::vector<std::string> names;
  for (const int row : s.rows) names.emplace_back(jacobian_rows[row]);
  const std::string determinant = text(*s.determinant());
  if (json) {
    Json factors = Json::array();
    for (const auto& f : s.factors) {
      Json factor{{"formula", text(*f.formula)}, {"power", f.power}};
      if (!f.where.empty()) factor["singular_where"] = f.where;
      if (!f.meaning.empty()) factor["meaning"] = f.meaning;
      factors.push_back(factor);
    }
    print_json({{"arm", loaded.arm.name()},
                {"rows", names},
                {"determinant", determinant},
                {"number", s.number},
                {"factors", factors}});
    return exit_done;
  }
  fmt::print("det J({}) = {}\n", fmt::join(names, ", "), determinant);
  if (s.always) fmt::print("It is zero everywhere: these directions depend on each other in every position.\n");
  bool any = false;
  for (const auto& f : s.factors) {
    if (f.where.empty()) continue;
    any = true;
    fmt::print("singular where {}{}\n", f.where, f.meaning.empty() ? "" : ": " + f.meaning);
  }
  if (!any && !s.always) fmt::print("It is zero nowhere.\n");
  return exit_done;
}

}  // namespace armature::app
