// armature derive ARM --against FILE: are these formulas right, and if not, which line is wrong?
#include <fmt/format.h>

#include "armature/codegen/formulas/check_model.hpp"
#include "armature/formats/text_file.hpp"
#include "command_line.hpp"
#include "derive_ways.hpp"
#include "json_out.hpp"

namespace armature::app {
namespace {

std::string joined(const std::vector<std::string>& words, const char* separator) {
  return fmt::format("{}", fmt::join(words, separator));
}

Json model_check_json(const ModelCheck& check) {
  Json entries = Json::array(), blames = Json::array();
  for (const auto& e : check.entries) {
    Json entry{{"name", e.name}, {"equal", e.equal()}};
    if (!e.equal()) {
      entry["right_in"] = e.right;
      if (!e.state.empty()) entry["state"] = e.state;
      const auto number = [](double x) { return std::isfinite(x) ? Json(x) : Json(nullptr); };
      if (!e.state.empty()) {
        entry["expected"] = number(e.expected);
        entry["found"] = number(e.found);
      }
    }
    entries.push_back(entry);
  }
  for (const auto& b : check.blames) {
    Json blame{{"names", b.names}, {"line", b.line}, {"formula", b.formula}, {"spoils", b.spoils}};
    if (!b.or_else.empty()) blame["or_else"] = b.or_else;
    if (!b.repair.empty()) {
      blame["repair"] = b.repair;
      blame["repaired"] = b.repaired;
    }
    if (b.too_long) blame["too_long"] = true;
    blames.push_back(blame);
  }
  return {{"equal", check.equal()}, {"entries", entries}, {"wrong_lines", blames}, {"notes", check.notes}};
}

void print(const ModelCheck& check, const std::string& file) {
  std::vector<std::string> equal;
  for (const auto& e : check.entries)
    if (e.equal()) equal.push_back(e.name);
  if (!equal.empty()) fmt::print("equal: {}\n", joined(equal, "  "));
  for (const auto& e : check.entries) {
    if (e.equal()) continue;
    fmt::print("different: {}", e.name);
    if (e.right > 0) fmt::print(" (right in {:.0f} % of the states)", 100 * e.right);
    fmt::print("\n");
    if (!e.state.empty()) fmt::print("    should be {:.6g}, is {:.6g} at {}\n", e.expected, e.found, e.state);
  }
  for (const auto& b : check.blames) {
    fmt::print("\n{}:{}: {} = {}\n", file, b.line, joined(b.names, " = "), b.formula);
    fmt::print("    this line is wrong{}\n", b.spoils.empty() ? "" : "; it spoils " + joined(b.spoils, ", "));
    if (!b.or_else.empty()) fmt::print("    an error in {} would show the same\n", joined(b.or_else, " or "));
    if (b.too_long)
      fmt::print("    the search for a repair would take too long; shorter lines help\n");
    else if (b.repair.empty())
      fmt::print("    no single edit repairs it\n");
    else
      fmt::print("    repair: {}\n            {} = {}\n", b.repair, joined(b.names, " = "), b.repaired);
  }
  if (!check.notes.empty()) fmt::print("\n");
  for (const std::string& note : check.notes) fmt::print("note: {}\n", note);
  if (check.equal())
    fmt::print("\nAll {} entries agree with the library, for any numbers in the arm's structure.\n",
               check.entries.size());
  else
    fmt::print("\n{} of {} entries agree; wrong lines: {}.\n", equal.size(), check.entries.size(), check.blames.size());
}

}  // namespace

int derive_against(const LoadedArm& loaded, const std::string& file, bool json) {
  constexpr std::size_t largest = 1 << 20;
  const std::string text = read_text_file(file, largest);
  check_text(text, file, largest);
  const ModelCheck check = check_model(loaded.arm, read_statements(without_byte_order_mark(text), file), file);
  if (json) {
    Json answer{{"arm", loaded.arm.name()}, {"file", file}};
    answer.update(model_check_json(check));
    print_json(answer);
  } else {
    print(check, file);
  }
  return check.equal() ? exit_done : exit_no;
}

}  // namespace armature::app
