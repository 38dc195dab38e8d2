#include "armature/compute/compute_choice.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "armature/core/error.hpp"
#include "armature/core/text.hpp"

namespace armature::compute {

namespace {

const std::vector<std::string> methods{"newton-euler", "lagrange"}, representations{"zyz", "rpy"};

/// A force (N) or a moment (N m): one list holds both, so it carries no unit.
constexpr Dimension force_or_moment = dimension::none;

Frame frame_called(const Arm& arm, const std::string& name) {
  std::vector<std::string> names;
  for (const Frame& frame : arm.frames()) {
    if (frame.name == name) return frame;
    names.push_back(frame.name);
  }
  throw Error(fmt::format("frame: arm '{}' has no link '{}'", printable(arm.name()), printable(name)),
              suggestion(name, names));
}

std::vector<std::string> comma_separated(const std::string& text) {
  std::vector<std::string> words{""};
  for (const char c : text) {
    if (c == ',')
      words.emplace_back();
    else if (c != ' ')
      words.back() += c;
  }
  return words;
}

/// The motions named in `text`, in the order of a six-vector; without text all six, or the translations of an arm that
/// has not six joints.
TaskRows task_of(const std::string& text, const Arm& arm) {
  if (text.empty()) return arm.dof() < 6 ? TaskRows::position() : TaskRows::full();
  const std::vector<std::string> names{"x", "y", "z", "rx", "ry", "rz"};
  const std::vector<std::string> words = comma_separated(text);
  for (const std::string& word : words) one_of("task", word, names);
  TaskRows rows{};
  for (std::size_t i = 0; i < names.size(); ++i) {
    const auto times = std::count(words.begin(), words.end(), names[i]);
    if (times > 1) throw Error(fmt::format("task names '{}' twice", names[i]), "once is enough");
    if (times == 1) rows.row[rows.count++] = static_cast<int>(i);
  }
  return rows;
}

void refuse_disobeyed(const ComputeChoice& c, const Quantity& quantity) {
  const std::string obeyed = " " + std::string(quantity.options) + " ";
  const std::pair<const char*, bool> given[] = {
      {"friction", c.friction},      {"rotor", c.rotor},
      {"method", !c.method.empty()}, {"representation", !c.representation.empty()},
      {"task", !c.task.empty()},     {"frame", !c.frame.empty()},
      {"wrench", !c.wrench.empty()}};
  for (const auto& [word, is_given] : given)
    if (is_given && obeyed.find(fmt::format(" {} ", word)) == std::string::npos)
      throw Error(fmt::format("{} changes nothing about {}", word, quantity.name), "leave it out");
}

}  // namespace

void ComputeChoice::fields(Fields& f) {
  f.flag("friction", friction, "with the friction of the joints");
  f.flag("rotor", rotor, "with the inertia of the rotors behind their gears");
  f.word("method", method, methods, "how inverse dynamics is computed");
  f.word("representation", representation, representations, "rates of these angles in place of angular velocity");
  f.text("task", task, "some of x,y,z,rx,ry,rz");
  f.text("frame", frame, "the frame of this link instead of the tool");
  f.numbers("wrench", wrench, force_or_moment, "force and moment on the tool, in base axes", 6);
}

ComputeSettings settings_for(const ComputeChoice& choice, const Quantity& quantity, const Arm& arm) {
  refuse_disobeyed(choice, quantity);
  ComputeSettings settings;
  settings.friction = choice.friction;
  settings.rotor = choice.rotor;
  if (!choice.method.empty()) settings.lagrange = one_of("method", choice.method, methods) == "lagrange";
  if (!choice.representation.empty())
    settings.angles = one_of("representation", choice.representation, representations) == "zyz" ? EulerConvention::zyz
                                                                                                : EulerConvention::rpy;
  settings.task = task_of(choice.task, arm);
  if (!choice.frame.empty()) settings.frame = frame_called(arm, choice.frame);
  if (!choice.wrench.empty()) settings.wrench = Vec6<double>(choice.wrench.data());
  if (settings.angles && settings.frame)
    throw Error("representation is of the tool, not of another frame", "leave one of them out");
  if (settings.lagrange && settings.wrench)
    throw Error("the method lagrange takes no wrench", "leave method out: Newton-Euler takes one");
  return settings;
}

const Quantity& quantity_called(std::string_view name) {
  std::string dashed(name);
  std::replace(dashed.begin(), dashed.end(), '_', '-');
  std::vector<std::string> names;
  for (const Quantity& quantity : quantities()) {
    if (quantity.name == dashed) return quantity;
    names.emplace_back(quantity.name);
  }
  throw Error(fmt::format("cannot compute '{}'", printable(std::string(name))), suggestion(dashed, names));
}

std::string one_of(const std::string& what, const std::string& word, const std::vector<std::string>& words) {
  if (std::find(words.begin(), words.end(), word) == words.end())
    throw Error(fmt::format("{}: unknown '{}'", what, printable(word)), suggestion(word, words));
  return word;
}

}  // namespace armature::compute
