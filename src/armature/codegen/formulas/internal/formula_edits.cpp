#include "armature/codegen/formulas/internal/formula_edits.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cctype>
#include <set>
#include <utility>

namespace armature::codegen {
namespace {

using Kind = Formula::Kind;
using Sign = Formula::Sign;
using Rebuild = std::function<FormulaPtr(FormulaPtr)>;

struct Rank {
  enum { dot, quadrant, index, sign, lost_plus, swapped, power, factor, function, extra };
};

FormulaPtr with_part(const Formula& f, std::size_t k, FormulaPtr part) {
  auto copy = std::make_shared<Formula>(f);
  copy->parts[k] = std::move(part);
  return copy;
}

struct Indexed {
  std::string letters, digits;
};
Indexed indexed(const std::string& name) {
  std::size_t k = 0;
  while (k < name.size() && !std::isdigit(static_cast<unsigned char>(name[k]))) ++k;
  return {name.substr(0, k), name.substr(k)};
}

class Editor {
 public:
  Editor(const std::vector<std::string>& names, bool branches) : names_(names), branches_(branches) {}

  std::vector<Edit> edits(const FormulaPtr& f) {
    visit(f, [](FormulaPtr g) { return g; });
    if (f->kind != Kind::sum) add(Formula::negative(f), "the sign of the whole", Rank::sign);
    swap_names(f);
    std::stable_sort(found_.begin(), found_.end(), [](const Edit& a, const Edit& b) { return a.rank < b.rank; });
    return std::move(found_);
  }

 private:
  void add(FormulaPtr f, std::string what, int rank) { found_.push_back({std::move(f), std::move(what), rank}); }

  void visit(const FormulaPtr& f, const Rebuild& rebuild) {
    switch (f->kind) {
      case Kind::number:
        for (const double by : {2., 0.5})
          add(rebuild(Formula::of(f->number * by)),
              fmt::format("{} -> {}", text(*f), text(*Formula::of(f->number * by))), Rank::factor);
        break;
      case Kind::name:
        other_names(*f, rebuild);
        squared(f, rebuild);
        break;
      case Kind::sum:
      case Kind::plus_minus:
        signs(*f, rebuild);
        break;
      case Kind::product:
        factors(*f, rebuild);
        break;
      case Kind::power:
        add(rebuild(f->parts[0]), fmt::format("{} -> {}", text(*f), text(*f->parts[0])), Rank::power);
        break;
      case Kind::quotient:
        break;
      case Kind::call:
        calls(f, rebuild);
        break;
    }
    for (std::size_t k = 0; k < f->parts.size(); ++k)
      visit(f->parts[k], [&, k](FormulaPtr part) { return rebuild(with_part(*f, k, std::move(part))); });
  }

  void other_names(const Formula& f, const Rebuild& rebuild) {
    const Indexed mine = indexed(f.name);
    const auto is_joint = [](const std::string& letters) {
      return letters == "q" || letters == "qd" || letters == "qdd";
    };
    for (const std::string& other : names_) {
      if (other == f.name) continue;
      const Indexed theirs = indexed(other);
      if (mine.digits.empty() || theirs.digits.empty()) continue;
      const bool same_letters = mine.letters == theirs.letters;
      const bool dotted = mine.digits == theirs.digits && is_joint(mine.letters) && is_joint(theirs.letters);
      const bool other_axes = mine.digits == theirs.digits && mine.letters.size() == 3 && theirs.letters.size() == 3 &&
                              mine.letters[0] == theirs.letters[0];  // Ixx -> Iyy
      if (!same_letters && !dotted && !other_axes) continue;
      add(rebuild(Formula::of(other)), fmt::format("{} -> {}", f.name, other), dotted ? Rank::dot : Rank::index);
    }
  }

  void squared(const FormulaPtr& f, const Rebuild& rebuild) {
    add(rebuild(Formula::power(f, Formula::of(2.))), fmt::format("{} -> {}^2", text(*f), text(*f)), Rank::power);
  }

  void signs(const Formula& f, const Rebuild& rebuild) {
    for (std::size_t k = 0; k < f.parts.size(); ++k) {
      auto copy = std::make_shared<Formula>(f);
      copy->signs[k] = f.signs[k] == Sign::minus ? Sign::plus : Sign::minus;
      add(rebuild(Formula::sum(copy->parts, copy->signs)),
          fmt::format("{} before '{}'", copy->signs[k] == Sign::plus ? "plus" : "minus", text(*f.parts[k])),
          Rank::sign);
      for (const double by : {2., 0.5})
        add(rebuild(with_part(f, k, Formula::product({Formula::of(by), f.parts[k]}))),
            fmt::format("a factor {} before '{}'", by, text(*f.parts[k])), Rank::factor);
      if (f.parts.size() < 2) continue;
      auto without = std::make_shared<Formula>(f);
      without->parts.erase(without->parts.begin() + static_cast<std::ptrdiff_t>(k));
      without->signs.erase(without->signs.begin() + static_cast<std::ptrdiff_t>(k));
      add(rebuild(Formula::sum(without->parts, without->signs)), fmt::format("without '{}'", text(*f.parts[k])),
          Rank::extra);
    }
    if (f.kind == Kind::sum) {
      auto whole = std::make_shared<Formula>(f);
      add(rebuild(Formula::power(whole, Formula::of(2.))), fmt::format("({})^2", text(f)), Rank::power);
    }
  }

  void factors(const Formula& f, const Rebuild& rebuild) {
    using It = std::vector<FormulaPtr>::difference_type;
    const auto part = [&](std::size_t from, std::size_t to) {
      return Formula::product({f.parts.begin() + static_cast<It>(from), f.parts.begin() + static_cast<It>(to)});
    };
    for (std::size_t k = 1; k < f.parts.size(); ++k)
      for (const Sign s : {Sign::plus, Sign::minus}) {
        const FormulaPtr left = part(0, k), right = part(k, f.parts.size());
        add(rebuild(Formula::sum({left, right}, {Sign::plus, s})),
            fmt::format("a {} between '{}' and '{}'", s == Sign::plus ? "plus" : "minus", text(*left), text(*right)),
            Rank::lost_plus);
      }
    for (std::size_t k = 0; k < f.parts.size(); ++k) {
      std::vector<FormulaPtr> rest = f.parts;
      rest.erase(rest.begin() + static_cast<It>(k));
      add(rebuild(Formula::product(std::move(rest))), fmt::format("without the factor '{}'", text(*f.parts[k])),
          Rank::extra);
    }
  }

  void calls(const FormulaPtr& f, const Rebuild& rebuild) {
    if (f->name == "sin" || f->name == "cos") {
      const std::string other = f->name == "sin" ? "cos" : "sin";
      add(rebuild(Formula::call(other, f->parts)), fmt::format("{} -> {}({})", text(*f), other, text(*f->parts[0])),
          Rank::function);
      squared(f, rebuild);
    }
    if (f->name == "atan" && f->parts[0]->kind == Kind::quotient)
      add(rebuild(Formula::call("atan2", f->parts[0]->parts)), "atan(y/x) -> atan2(y, x)", Rank::quadrant);
    if (f->name == "sqrt" && branches_)
      add(rebuild(Formula::plus_minus(f)), fmt::format("± before '{}'", text(*f)), Rank::quadrant);
  }

  // Every pair of different names, exchanged.
  void swap_names(const FormulaPtr& root) {
    std::vector<std::string> leaves;
    const std::function<void(const Formula&)> collect = [&](const Formula& f) {
      if (f.kind == Kind::name) leaves.push_back(f.name);
      for (const FormulaPtr& part : f.parts) collect(*part);
    };
    collect(*root);
    constexpr std::size_t most = 48;  // beyond, pairs become too many
    if (leaves.size() > most) return;
    std::set<std::string> seen;
    for (std::size_t i = 0; i < leaves.size(); ++i)
      for (std::size_t j = i + 1; j < leaves.size(); ++j) {
        if (leaves[i] == leaves[j]) continue;
        std::size_t at = 0;
        const std::function<FormulaPtr(const FormulaPtr&)> exchange = [&](const FormulaPtr& f) -> FormulaPtr {
          if (f->kind == Kind::name) {
            const std::size_t k = at++;
            return k == i ? Formula::of(leaves[j]) : k == j ? Formula::of(leaves[i]) : f;
          }
          if (f->parts.empty()) return f;
          auto copy = std::make_shared<Formula>(*f);
          for (FormulaPtr& part : copy->parts) part = exchange(part);
          return copy;
        };
        FormulaPtr swapped_formula = exchange(root);
        if (seen.insert(text(*swapped_formula)).second)
          add(std::move(swapped_formula), fmt::format("{} and {} swapped", leaves[i], leaves[j]), Rank::swapped);
      }
  }

  const std::vector<std::string>& names_;
  bool branches_;
  std::vector<Edit> found_;
};

}  // namespace

std::vector<Edit> single_edits(const FormulaPtr& formula, const std::vector<std::string>& names, bool branches) {
  return Editor(names, branches).edits(formula);
}

}  // namespace armature::codegen
