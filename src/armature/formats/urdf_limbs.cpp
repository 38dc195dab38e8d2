#include "armature/formats/urdf_limbs.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>

#include "armature/core/text.hpp"
#include "armature/model/arm.hpp"

namespace armature::formats {

namespace {

constexpr double finger_share = 1.0 / 3;     // of the way to their body that fingers reach at most
constexpr std::size_t most_limbs_told = 24;  // in a message

std::string lower_case(std::string text) {
  for (char& c : text)
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  return text;
}

/// Whether `name` has `word` in it; a short one must stand alone, as in "left_ee_link".
bool speaks_of(const std::string& name, const std::string& word) {
  const auto is_letter = [](char c) { return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9'); };
  for (std::size_t i = 0; (i = name.find(word, i)) != std::string::npos; ++i) {
    if (word.size() > 4) return true;
    const std::size_t end = i + word.size();
    if ((i == 0 || !is_letter(name[i - 1])) && (end == name.size() || !is_letter(name[end]))) return true;
  }
  return false;
}

/// The place of a link's name among the names of tool frames; none: it is not one.
std::optional<std::size_t> tool_rank(const std::string& name) {
  static const std::vector<std::vector<std::string>> ranks{
      {"tool0"}, {"tcp"},     {"tool"},         {"ee", "eef", "effector", "endpoint"},
      {"grasp"}, {"gripper"}, {"hand", "palm"}, {"flange"}};
  static const std::array others{"camera", "optical", "sensor", "imu",       "laser",         "lidar", "depth",
                                 "rgb",    "color",   "visual", "collision", "accelerometer", "range", "safety"};
  const std::string small = lower_case(name);
  for (const char* other : others)
    if (speaks_of(small, other)) return std::nullopt;
  for (std::size_t rank = 0; rank < ranks.size(); ++rank)
    for (const std::string& word : ranks[rank])
      if (speaks_of(small, word)) return rank;
  return std::nullopt;
}

class LimbFinder {
 public:
  LimbFinder(const UrdfTree& tree, std::size_t base, const std::vector<bool>& held)
      : tree_(tree), base_(base), held_(held), links_(tree.links.size()), is_finger_(tree.joints.size(), false) {}

  std::vector<UrdfLimb> find() {
    measure();
    if (!ways_agree()) {
      cut_by_name();
      cut_by_reach();
    }
    std::vector<UrdfLimb> limbs;
    std::vector<bool> goes_on(tree_.links.size(), false);  // the body has an axis beyond
    for (auto i = below_.rbegin(); i != below_.rend(); ++i)
      for (const std::size_t j : tree_.links[*i].child_joints)
        if (!is_finger_[j] && (is_axis(j) || goes_on[tree_.joints[j].child])) goes_on[links_[*i].body] = true;
    for (const std::size_t i : below_)
      if (links_[i].body == i && links_[i].axes > 0 && !links_[i].in_hand && !goes_on[i] && hangs_on_axis(i))
        limbs.push_back(limb_to(i));
    return limbs;
  }

 private:
  struct Link {
    bool below = false;    // or the base itself
    bool in_hand = false;  // beyond an axis that was cut off
    int axes = 0;          // between base and link
    int arm_axes = 0;      // those of them that are not called fingers
    double way = 0;        // along the links since the first axis [m]
    double reach = 0;      // of what hangs from it [m]
    std::size_t body = 0;  // the first link of those welded together
    Pose<double> X_BL;     // in that link's frame
    bool arm_beyond = false;
  };

  [[nodiscard]] bool is_axis(std::size_t j) const { return tree_.joints[j].is_axis() && !held_[j]; }
  [[nodiscard]] bool is_arm_axis(std::size_t j) const { return is_axis(j) && !is_finger_[j]; }
  [[nodiscard]] bool hangs_on_axis(std::size_t i) const {
    return tree_.links[i].parent_joint && is_arm_axis(*tree_.links[i].parent_joint);
  }

  static double length_of(const UrdfJoint& joint) {
    double length = joint.origin.xyz.norm();
    if (joint.type == UrdfJointType::prismatic)
      length += std::max(std::abs(joint.limits.lower.value_or(0)), std::abs(joint.limits.upper.value_or(0)));
    return length;
  }

  void measure() {
    for (const std::size_t i : tree_.order) {
      Link& link = links_[i];
      link.body = i;
      link.below = i == base_;
      if (!link.below && tree_.links[i].parent_joint) {
        const std::size_t j = *tree_.links[i].parent_joint;
        const UrdfJoint& joint = tree_.joints[j];
        const Link& parent = links_[joint.parent];
        link.below = parent.below;
        link.axes = parent.axes + is_axis(j);
        link.arm_axes = parent.arm_axes + (is_axis(j) && !is_called_finger(tree_, joint));
        link.way = parent.axes > 0 ? parent.way + length_of(joint) : 0;
        if (!joint.moves()) {
          link.body = parent.body;
          link.X_BL = parent.X_BL * pose_of(joint.origin);
        }
      }
      if (link.below) below_.push_back(i);
    }
    for (auto i = below_.rbegin(); i != below_.rend(); ++i)
      for (const std::size_t j : tree_.links[*i].child_joints)
        links_[*i].reach = std::max(links_[*i].reach, length_of(tree_.joints[j]) + links_[tree_.joints[j].child].reach);
  }

  /// Whether every leaf that moves does so by the same joints: the last axis of each is the same.
  [[nodiscard]] bool ways_agree() const {
    std::vector<std::size_t> last(tree_.links.size(), none);  // axis above each link
    std::size_t common = none;
    for (const std::size_t i : below_) {
      if (i != base_ && tree_.links[i].parent_joint) {
        const std::size_t j = *tree_.links[i].parent_joint;
        last[i] = is_axis(j) ? j : last[tree_.joints[j].parent];
      }
      if (last[i] == none || !tree_.links[i].child_joints.empty()) continue;
      if (common != none && common != last[i]) return false;
      common = last[i];
    }
    return true;
  }

  void cut_by_name() {
    std::map<std::string, std::size_t> leaders;  // of joints that mimic, by name: the link that they leave
    for (const UrdfJoint& joint : tree_.joints)
      if (joint.mimic) leaders.emplace(joint.mimic->joint, joint.parent);
    for (auto i = below_.rbegin(); i != below_.rend(); ++i) {
      for (const std::size_t j : tree_.links[*i].child_joints) {
        const UrdfJoint& joint = tree_.joints[j];
        bool& beyond = links_[*i].arm_beyond;
        if (links_[joint.child].arm_beyond || !is_axis(j)) {
          beyond = beyond || links_[joint.child].arm_beyond || is_axis(j);
          continue;
        }
        const auto follower = leaders.find(joint.name);
        const bool mimicked = follower != leaders.end() && links_[follower->second].body == links_[*i].body;
        const bool called = links_[*i].arm_axes > 0 && is_called_finger(tree_, joint);  // a hand alone has limbs
        is_finger_[j] = called || (links_[*i].axes > 0 && mimicked);
        beyond = beyond || !is_finger_[j];
      }
    }
  }

  void cut_by_reach() {
    std::map<std::size_t, std::vector<std::size_t>> axes_of;  // of each body, to the next ones
    for (const std::size_t i : below_)
      for (const std::size_t j : tree_.links[i].child_joints)
        if (is_arm_axis(j)) axes_of[links_[i].body].push_back(j);
    for (const std::size_t i : below_) {
      if (tree_.links[i].parent_joint && i != base_) {
        const std::size_t j = *tree_.links[i].parent_joint;
        links_[i].in_hand = links_[tree_.joints[j].parent].in_hand || is_finger_[j];
      }
      const auto found = axes_of.find(i);  // a body's first link comes before its others
      if (found == axes_of.end() || found->second.size() < 2 || links_[i].axes == 0) continue;
      const bool small = std::all_of(found->second.begin(), found->second.end(), [&](std::size_t j) {
        const UrdfJoint& joint = tree_.joints[j];
        return length_of(joint) + links_[joint.child].reach < finger_share * links_[joint.parent].way;
      });
      if (!small) continue;
      for (const std::size_t j : found->second) is_finger_[j] = true;
    }
  }

  [[nodiscard]] UrdfLimb limb_to(std::size_t body) const {
    UrdfLimb limb;
    for (std::size_t i = body; i != base_; i = tree_.joints[*tree_.links[i].parent_joint].parent)
      if (is_axis(*tree_.links[i].parent_joint)) limb.axes.push_back(*tree_.links[i].parent_joint);
    std::reverse(limb.axes.begin(), limb.axes.end());
    choose_tip(body, limb);
    return limb;
  }

  void choose_tip(std::size_t body, UrdfLimb& limb) const {
    std::vector<std::size_t> welded{body}, leaves;
    for (std::size_t k = 0; k < welded.size(); ++k) {
      const std::size_t before = welded.size();
      for (const std::size_t j : tree_.links[welded[k]].child_joints)
        if (!tree_.joints[j].moves()) welded.push_back(tree_.joints[j].child);
      if (welded.size() == before) leaves.push_back(welded[k]);
    }
    limb.tip = leaves[0];
    if (leaves.size() == 1) return;
    std::optional<std::size_t> best;
    double farthest = -1;
    for (const std::size_t i : welded) {
      const auto rank = tool_rank(tree_.links[i].name);
      const double distance = links_[i].X_BL.p.norm();
      const bool better = rank && (!best || *rank < *best);
      if (!better && (rank != best || distance < farthest * (1 + 1e-9))) continue;
      limb.tip = i;
      best = rank;
      farthest = distance;
    }
    limb.why = best ? "a tool frame by its name" : "the farthest from the last joint";
    std::vector<std::string> others;
    for (const std::size_t i : leaves)
      if (i != limb.tip) others.push_back(printable(tree_.links[i].name));
    limb.why += fmt::format("; others there: {}", fmt::join(some_of(others), ", "));
  }

  static constexpr std::size_t none = static_cast<std::size_t>(-1);
  const UrdfTree& tree_;
  std::size_t base_;
  const std::vector<bool>& held_;
  std::vector<Link> links_;
  std::vector<bool> is_finger_;     // joints
  std::vector<std::size_t> below_;  // the base and what hangs from it, parents first
};

/// The limbs as a tree in which joints that follow each other without a branch are one line.
class LimbsText {
 public:
  LimbsText(const UrdfTree& tree, const std::vector<UrdfLimb>& limbs, std::string options)
      : tree_(tree), limbs_(limbs), options_(std::move(options)), mass_(tree.joints.size(), 0) {
    std::vector<bool> in_limb(tree.joints.size(), false);
    for (const UrdfLimb& limb : limbs)
      for (const std::size_t j : limb.axes) in_limb[j] = true;
    constexpr std::size_t none = static_cast<std::size_t>(-1);
    std::vector<std::size_t> carrier(tree.links.size(), none);
    for (const std::size_t i : tree.order) {
      if (const auto j = tree.links[i].parent_joint) carrier[i] = in_limb[*j] ? *j : carrier[tree.joints[*j].parent];
      if (carrier[i] != none && tree.links[i].mass) mass_[carrier[i]] += tree.links[i].mass->mass;
    }
  }

  std::string write() {
    std::vector<std::size_t> all(std::min(limbs_.size(), most_limbs_told));
    for (std::size_t i = 0; i < all.size(); ++i) all[i] = i;
    branch(all, 0, 1);
    if (limbs_.size() > all.size()) text_ += fmt::format("\n    ... and {} more limbs", limbs_.size() - all.size());
    return text_;
  }

 private:
  /// The limbs `group` share their first `done` axes.
  void branch(const std::vector<std::size_t>& group, std::size_t done, std::size_t depth) {
    std::vector<std::pair<std::size_t, std::vector<std::size_t>>> parts;  // by the next axis, in the order of the file
    for (const std::size_t k : group) {
      if (limbs_[k].axes.size() == done) continue;
      const std::size_t next = limbs_[k].axes[done];
      const auto part = std::find_if(parts.begin(), parts.end(), [&](const auto& p) { return p.first == next; });
      if (part == parts.end())
        parts.push_back({next, {k}});
      else
        part->second.push_back(k);
    }
    for (const auto& [axis, members] : parts) {
      const std::vector<std::size_t>& axes = limbs_[members[0]].axes;
      std::size_t end = done + 1;
      const auto shared = [&](std::size_t k) {
        return limbs_[k].axes.size() > end && limbs_[k].axes[end] == axes[end];
      };
      while (end < axes.size() && std::all_of(members.begin(), members.end(), shared)) ++end;
      segment(axes, done, end, depth);
      if (members.size() == 1)
        text_ += fmt::format("\n{}armature show {} --tip {}", std::string(4 + 2 * depth, ' '), options_,
                             shell_word(tree_.links[limbs_[members[0]].tip].name));
      else
        branch(members, end, depth + 1);
    }
  }

  void segment(const std::vector<std::size_t>& axes, std::size_t begin, std::size_t end, std::size_t depth) {
    double mass = 0;
    for (std::size_t k = begin; k < end; ++k) mass += mass_[axes[k]];
    const auto name = [&](std::size_t k) { return printable(tree_.joints[axes[k]].name); };
    std::string names = name(begin);
    if (end - begin == 2) names += ", " + name(end - 1);
    if (end - begin > 2) names += " to " + name(end - 1);
    text_ += fmt::format("\n{}{}: {} {}, {:.4g} kg", std::string(2 + 2 * depth, ' '), names, end - begin,
                         end - begin == 1 ? "joint" : "joints", mass);
  }

  const UrdfTree& tree_;
  const std::vector<UrdfLimb>& limbs_;
  std::string options_;
  std::vector<double> mass_;  // that each axis of a limb carries to the next
  std::string text_;
};

std::string type_name(const UrdfJoint& joint) {
  static const std::array names{"revolute", "continuous", "prismatic",       "fixed",
                                "floating", "planar",     "of no known type"};
  return names[static_cast<std::size_t>(joint.type)];
}

std::string name_or_none(const std::string& name) { return name.empty() ? "(no name)" : printable(name); }

/// Every link with the joint it hangs from, and what of them could not be read.
std::string indented_text(const UrdfTree& tree) {
  std::string text;
  struct Visit {
    std::size_t link, depth;
  };
  std::vector<Visit> open;
  for (auto root = tree.roots.rbegin(); root != tree.roots.rend(); ++root) open.push_back({*root, 0});
  while (!open.empty()) {
    const auto [i, depth] = open.back();
    open.pop_back();
    const UrdfLink& link = tree.links[i];
    std::vector<std::string> faults;
    text += std::string(2 + 2 * std::min<std::size_t>(depth, 40), ' ');
    if (link.parent_joint) {
      const UrdfJoint& joint = tree.joints[*link.parent_joint];
      text += fmt::format("{} ({}{}): ", name_or_none(joint.name), type_name(joint),
                          joint.mimic ? ", mimics " + printable(joint.mimic->joint) : "");
      if (!joint.fault.empty()) faults.push_back(joint.fault);
    }
    text += name_or_none(link.name);
    if (link.mass) text += fmt::format(", {:.6g} kg", link.mass->mass);
    if (!link.fault.empty()) faults.push_back(link.fault);
    text += faults.empty() ? "\n" : fmt::format("  <- {}\n", fmt::join(faults, "; "));
    for (auto j = link.child_joints.rbegin(); j != link.child_joints.rend(); ++j)
      open.push_back({tree.joints[*j].child, depth + 1});
  }
  return text;
}

}  // namespace

bool is_called_finger(const UrdfTree& tree, const UrdfJoint& joint) {
  for (const std::string* name : {&joint.name, &tree.links[joint.child].name})
    for (const char* word : {"finger", "gripper", "knuckle", "thumb", "claw", "jaw", "jaws"})
      if (speaks_of(lower_case(*name), word)) return true;
  return false;
}

std::vector<UrdfLimb> find_limbs(const UrdfTree& tree, std::size_t base, const std::vector<bool>& held) {
  return LimbFinder(tree, base, held).find();
}

std::string limbs_text(const UrdfTree& tree, const std::vector<UrdfLimb>& limbs, const std::string& file,
                       const std::string& base) {
  std::string options = shell_word(file);
  if (!base.empty()) options += " --base " + shell_word(base);
  return LimbsText(tree, limbs, options).write();
}

ArmTree urdf_tree_text(std::string_view text, const std::string& file) {
  UrdfTree tree = sketch_urdf_tree(text, file);
  const auto moving = std::count_if(tree.joints.begin(), tree.joints.end(), [](const auto& j) { return j.is_axis(); });
  std::string out = fmt::format("{}: {} links, {} joints, {} of them with a motion of their own\n",
                                printable(tree.name), tree.links.size(), tree.joints.size(), moving);
  out += indented_text(tree);
  for (const std::string& part : tree.loose) out += fmt::format("  not in the tree  <- {}\n", part);
  if (!tree.faults.empty()) return {out, std::move(tree.faults)};  // no command for a limb would be answered
  for (const std::size_t root : tree.roots) {
    const auto limbs = find_limbs(tree, root, std::vector<bool>(tree.joints.size(), false));
    if (limbs.empty()) continue;
    out += fmt::format("\n  {} from {}:{}\n", limbs.size() == 1 ? "One limb" : fmt::format("{} limbs", limbs.size()),
                       printable(tree.links[root].name),
                       limbs_text(tree, limbs, file, tree.roots.size() > 1 ? tree.links[root].name : ""));
  }
  return {out, {}};
}

}  // namespace armature::formats
