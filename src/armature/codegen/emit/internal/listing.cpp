#include "armature/codegen/emit/internal/listing.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <set>

#include "armature/core/error.hpp"

namespace armature::codegen {
namespace {

class ListingWriter {
 public:
  ListingWriter(const Program& program, const Syntax& syntax)
      : program_(program), net_(program.net), syntax_(syntax), uses_(net_.nodes.size()), text_(net_.nodes.size()) {
    for (const NetNode& n : net_.nodes) {
      for (int k = 0; k < (n.kind == NetNode::Kind::function ? n.args : 0); ++k) ++uses_[n.arg[k]];
      for (const NetTerm& t : n.terms)
        for (const NodeId f : t.factors()) ++uses_[f];
    }
  }

  std::vector<Line> write() {
    std::vector<char> is_output(net_.nodes.size());
    for (const NodeId id : net_.outputs) is_output[id] = 1;
    std::vector<Line> lines;
    std::vector<char> done(net_.nodes.size());
    if (syntax_.turns_at_once) gather_turns(lines, done, is_output);
    for (const NodeId id : net_.order()) {
      const NetNode& n = net_.nodes[id];
      if (done[id]) continue;
      if (n.kind == NetNode::Kind::leaf) {
        const Program::Argument a = program_.arguments[n.arg[0]];
        text_[id] = syntax_.element(program_.inputs[a.input], a.element);
        continue;
      }
      const std::string expression = n.kind == NetNode::Kind::function ? call(n) : sum(n);
      if (is_output[id] && uses_[id] == 0) {
        text_[id] = expression;
      } else if (n.kind == NetNode::Kind::sum && uses_[id] == 1 && !n.pinned && !is_output[id]) {
        text_[id] = n.terms.size() == 1 ? expression : "(" + expression + ")";
      } else {
        text_[id] = fresh_name(n);
        if (syntax_.name) text_[id] = syntax_.name(text_[id]);
        lines.push_back({.name = text_[id], .text = expression});
      }
    }
    // outputs last: a caller may let them overlap the inputs
    for (std::size_t k = 0; k < net_.outputs.size(); ++k) {
      Line line = output_line(static_cast<int>(k));
      line.text = text_[net_.outputs[k]];
      lines.push_back(std::move(line));
    }
    return lines;
  }

 private:
  bool is_leaf(NodeId id) const { return net_.nodes[id].kind == NetNode::Kind::leaf; }
  static bool is_turn(const NetNode& n) {
    return n.kind == NetNode::Kind::function && (n.op == ExprOp::sin || n.op == ExprOp::cos);
  }
  // A joint's angle, or a sum of angles and numbers.
  bool is_angle(NodeId id) const {
    const NetNode& n = net_.nodes[id];
    return n.kind == NetNode::Kind::leaf ||
           (n.kind == NetNode::Kind::sum && std::all_of(n.terms.begin(), n.terms.end(), [&](const NetTerm& t) {
              return t.n == 0 || (t.n == 1 && is_angle(t.f[0]));
            }));
  }
  void mark_angles(NodeId id, std::vector<char>& marked) const {
    marked[id] = 1;
    for (const NetTerm& t : net_.nodes[id].terms)
      for (const NodeId f : t.factors()) mark_angles(f, marked);
  }

  void gather_turns(std::vector<Line>& lines, std::vector<char>& done, const std::vector<char>& is_output) {
    const std::vector<NodeId> order = net_.order();
    std::vector<NodeId> angles, turns;
    for (const NodeId id : order) {
      const NetNode& n = net_.nodes[id];
      if (!is_turn(n) || !is_angle(n.arg[0])) continue;
      turns.push_back(id);
      if (std::find(angles.begin(), angles.end(), n.arg[0]) == angles.end()) angles.push_back(n.arg[0]);
    }
    if (turns.empty()) return;
    for (const NodeId id : order)
      if (is_leaf(id)) {
        const Program::Argument a = program_.arguments[net_.nodes[id].arg[0]];
        text_[id] = syntax_.element(program_.inputs[a.input], a.element);
      }
    std::vector<char> marked(net_.nodes.size());
    for (const NodeId id : angles) mark_angles(id, marked);
    for (const NodeId id : order) {
      if (!marked[id] || is_leaf(id)) continue;
      const NetNode& n = net_.nodes[id];
      int in_turns = 0;
      for (const NodeId t : turns) in_turns += net_.nodes[t].arg[0] == id;
      const std::string expression = sum(n);
      text_[id] = expression;
      if (uses_[id] != in_turns || is_output[id]) {
        text_[id] = fresh_name(n);
        lines.push_back({.name = text_[id], .text = expression});
      }
      done[id] = 1;
    }
    Line all;
    for (const NodeId id : angles) all.angles.push_back(text_[id]);
    lines.push_back(all);
    for (const NodeId id : turns) {
      const NetNode& n = net_.nodes[id];
      const auto k = std::find(angles.begin(), angles.end(), n.arg[0]) - angles.begin();
      text_[id] = fresh_name(n);
      lines.push_back({.name = text_[id], .text = fmt::format("turn.{}[{}]", n.op == ExprOp::sin ? "s" : "c", k)});
      done[id] = 1;
    }
  }

  Line output_line(int element) const {
    Line line{.output = 0, .element = element};
    while (line.element >= program_.outputs[line.output].size()) line.element -= program_.outputs[line.output++].size();
    return line;
  }

  std::string number(double c) const {
    if (!std::isfinite(c))
      throw Error(fmt::format("the {} of this arm contain a number that is not finite", program_.name));
    return syntax_.number(c);
  }

  std::string bare(NodeId id) const {  // without the brackets of a sum
    const std::string& s = text_[id];
    const NetNode& n = net_.nodes[id];
    const bool bracketed = n.kind == NetNode::Kind::sum && uses_[id] == 1 && n.terms.size() > 1 && s.front() == '(';
    return bracketed ? s.substr(1, s.size() - 2) : s;
  }

  std::string call(const NetNode& n) const {
    if (n.op == ExprOp::div) {
      const auto operand = [&](NodeId id) {  // a product of factors would bind differently below the line
        return net_.nodes[id].kind == NetNode::Kind::sum && uses_[id] == 1 && text_[id].front() != '('
                   ? "(" + text_[id] + ")"
                   : text_[id];
      };
      if (syntax_.quotient) return syntax_.quotient(text_[n.arg[0]], text_[n.arg[1]]);
      return operand(n.arg[0]) + " / " + operand(n.arg[1]);
    }
    std::string s = syntax_.function(n.op) + "(" + bare(n.arg[0]);
    if (n.args > 1) s += ", " + bare(n.arg[1]);
    return s + ")";
  }

  std::string product(const NetTerm& t) const {
    std::string s;
    if (t.n == 0 || std::abs(t.c) != 1) s = number(std::abs(t.c));
    for (const NodeId f : t.factors()) {
      if (!s.empty()) s += syntax_.times;
      s += text_[f];
    }
    return s;
  }

  std::string sum(const NetNode& n) const {
    if (n.terms.empty()) return number(0);
    std::vector<NetTerm> terms = n.terms;  // a positive one first: a leading sign would be an operation
    std::stable_partition(terms.begin(), terms.end(), [](const NetTerm& t) { return t.c > 0; });
    std::string s = terms[0].c < 0 ? "-" + product(terms[0]) : product(terms[0]);
    for (std::size_t k = 1; k < terms.size(); ++k) s += (terms[k].c < 0 ? " - " : " + ") + product(terms[k]);
    return s;
  }

  // "23" for the angle q[1] + q[2]
  std::optional<std::string> joint_numbers(NodeId id) const {
    const NetNode& n = net_.nodes[id];
    if (n.kind == NetNode::Kind::leaf) {
      const Program::Argument a = program_.arguments[n.arg[0]];
      if (program_.inputs[a.input].name != "q") return {};
      return (a.element < 9 ? "" : "_") + std::to_string(a.element + 1);
    }
    if (n.kind != NetNode::Kind::sum) return {};
    std::vector<std::string> parts;
    for (const NetTerm& t : n.terms) {
      if (t.n == 0) continue;  // a constant offset
      const auto part = t.n == 1 && t.c == 1 ? joint_numbers(t.f[0]) : std::nullopt;
      if (!part) return {};
      parts.push_back(*part);
    }
    std::sort(parts.begin(), parts.end());
    std::string all;
    for (const std::string& p : parts) all += p;
    return all;
  }

  std::string fresh_name(const NetNode& n) {
    if (n.kind == NetNode::Kind::function && (n.op == ExprOp::sin || n.op == ExprOp::cos))
      if (const auto joints = joint_numbers(n.arg[0])) {
        const std::string name = (n.op == ExprOp::sin ? "s" : "c") + *joints;
        if (names_.insert(name).second) return name;
      }
    std::string name;
    do name = fmt::format("t{}", ++counter_);
    while (!names_.insert(name).second);
    return name;
  }

  const Program& program_;
  const Network& net_;
  const Syntax& syntax_;
  std::vector<int> uses_;
  std::vector<std::string> text_;  // how a node is named where it is used
  std::set<std::string> names_;
  int counter_ = 0;
};

}  // namespace

std::vector<Line> listing(const Program& program, const Syntax& syntax) {
  return ListingWriter(program, syntax).write();
}

}  // namespace armature::codegen
