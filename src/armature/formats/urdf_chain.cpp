#include <fmt/format.h>

#include <algorithm>

#include "armature/core/text.hpp"
#include "armature/formats/urdf.hpp"
#include "armature/formats/urdf_tree.hpp"
#include "armature/model/arm.hpp"

namespace armature {

namespace {

std::string last_part(const std::string& path) { return path.substr(path.find_last_of("/\\") + 1); }

class ChainPicker {
 public:
  explicit ChainPicker(UrdfTree tree) : tree_(std::move(tree)) {}

  ParsedArm pick(const std::string& file, const std::string& base_name, const std::string& tip_name) {
    parsed_.warnings = std::move(tree_.warnings);
    const std::size_t base = base_name.empty() ? tree_.order[0] : link_number(base_name, "base");
    const std::size_t tip = tip_name.empty() ? only_leaf(base) : link_number(tip_name, "tip");
    const std::vector<std::size_t> joints = path(base, tip);
    warn_of_joints_above(base);
    lump(base, joints);

    ArmDescription& arm = parsed_.description;
    arm.name = tree_.name;
    arm.source = "URDF " + last_part(file);
    parsed_.places["arm"] = parsed_.places[fmt::format("arm '{}'", printable(arm.name))] = tree_.place;
    for (const std::size_t joint : joints) arm.joints.push_back(described(tree_.joints[joint]));
    return std::move(parsed_);
  }

 private:
  [[noreturn]] void fail(const Place& place, std::string finding, std::string hint) const {
    throw FormatError(std::move(finding), std::move(hint), place);
  }
  void warn(const Place& place, const std::string& finding, const std::string& hint) {
    parsed_.warnings.emplace_back(Error(finding, hint, place).what());
  }
  [[nodiscard]] const UrdfLink& link(std::size_t number) const { return tree_.links[number]; }

  [[nodiscard]] std::size_t link_number(const std::string& name, const char* which) const {
    for (std::size_t i = 0; i < tree_.links.size(); ++i)
      if (link(i).name == name) return i;
    fail(tree_.place, fmt::format("the {} '{}' is no link of this robot", which, printable(name)),
         link_hint(tree_, name));
  }

  /// The leaf below `base` that moves, if it is the only one.
  [[nodiscard]] std::size_t only_leaf(std::size_t base) const {
    std::vector<int> moving(tree_.links.size(), -1);  // joints between base and the link; -1: not below base
    std::vector<std::size_t> leaves;
    for (const std::size_t i : tree_.order) {
      if (i == base) moving[i] = 0;
      if (i != base && link(i).parent_joint) {
        const UrdfJoint& joint = tree_.joints[*link(i).parent_joint];
        if (moving[joint.parent] >= 0) moving[i] = moving[joint.parent] + joint.moves();
      }
      if (moving[i] > 0 && link(i).child_joints.empty()) leaves.push_back(i);
    }
    if (leaves.size() == 1) return leaves[0];
    if (leaves.empty())
      fail(link(base).place, fmt::format("no joint moves below link '{}'", printable(link(base).name)),
           "an arm needs a revolute, continuous or prismatic joint");
    std::stable_sort(leaves.begin(), leaves.end(), [&](auto a, auto b) { return moving[a] > moving[b]; });
    std::vector<std::string> names;
    for (std::size_t i = 0; i < std::min<std::size_t>(leaves.size(), 12); ++i)
      names.push_back(printable(link(leaves[i]).name));
    fail(tree_.place, fmt::format("the robot branches into {} tips", leaves.size()),
         fmt::format("pick one with --tip: {}{}", fmt::join(names, ", "), leaves.size() > 12 ? ", ..." : ""));
  }

  /// The joints from `base` to `tip`.
  [[nodiscard]] std::vector<std::size_t> path(std::size_t base, std::size_t tip) const {
    std::vector<std::size_t> joints;
    for (std::size_t i = tip; i != base; i = tree_.joints[joints.back()].parent) {
      if (!link(i).parent_joint)
        fail(link(tip).place,
             fmt::format("link '{}' does not hang from link '{}'", printable(link(tip).name),
                         printable(link(base).name)),
             "the base must lie between the root and the tip");
      joints.push_back(*link(i).parent_joint);
    }
    if (joints.empty())
      fail(link(tip).place, "base and tip are the same link", "pick two links with a moving joint between them");
    std::reverse(joints.begin(), joints.end());
    for (const std::size_t j : joints) {
      const UrdfJoint& joint = tree_.joints[j];
      if (joint.mimic)
        fail(*joint.mimic, fmt::format("joint '{}' mimics another joint", printable(joint.name)),
             "a joint of the chain needs its own motor: remove <mimic>, or pick another --tip");
      if (joint.type == UrdfJointType::floating || joint.type == UrdfJointType::planar)
        fail(joint.place,
             fmt::format("joint '{}' is {}", printable(joint.name),
                         joint.type == UrdfJointType::planar ? "planar" : "floating"),
             "the joints of a chain are revolute, continuous, prismatic or fixed; pick a --base below it");
    }
    return joints;
  }

  void warn_of_joints_above(std::size_t base) {
    for (std::size_t i = base; link(i).parent_joint; i = tree_.joints[*link(i).parent_joint].parent)
      if (const UrdfJoint& joint = tree_.joints[*link(i).parent_joint]; joint.moves())
        warn(joint.place, fmt::format("joint '{}' above the base is left out", printable(joint.name)),
             "the base stands still");
  }

  /// Adds what hangs off the chain to the link of the chain it hangs from, at the pose it has with all joints at zero.
  void lump(std::size_t base, const std::vector<std::size_t>& joints) {
    constexpr std::size_t nobody = static_cast<std::size_t>(-1);
    struct Branch {
      std::size_t root;
      std::size_t links = 0;
      double mass = 0;
      std::vector<std::string> frozen;  // joints
    };
    std::vector<bool> in_chain(tree_.links.size(), false);
    in_chain[base] = true;
    for (const std::size_t joint : joints) in_chain[tree_.joints[joint].child] = true;

    std::vector<std::size_t> owner(tree_.links.size(), nobody), branch(tree_.links.size(), nobody);
    std::vector<Pose<double>> X_OL(tree_.links.size());  // of each link in its owner's frame
    std::vector<Branch> branches;
    std::vector<Inertia<double>> lumped(tree_.links.size());
    std::vector<bool> moves(tree_.links.size(), false);  // with the chain
    for (const std::size_t i : tree_.order) {
      if (i != base && link(i).parent_joint) {
        const UrdfJoint& joint = tree_.joints[*link(i).parent_joint];
        moves[i] = moves[joint.parent] || (in_chain[i] && joint.moves());
      }
      refuse_inertia_without_mass(tree_.links[i], moves[i]);
      if (in_chain[i]) {
        owner[i] = i;
        continue;
      }
      if (!link(i).parent_joint) continue;
      const UrdfJoint& joint = tree_.joints[*link(i).parent_joint];
      owner[i] = owner[joint.parent];
      if (owner[i] == nobody) continue;
      X_OL[i] = X_OL[joint.parent] * pose_of(joint.origin);
      if (in_chain[joint.parent]) {
        branch[i] = branches.size();
        branches.push_back({i});
      } else {
        branch[i] = branch[joint.parent];
      }
      Branch& twig = branches[branch[i]];
      ++twig.links;
      if (joint.moves()) twig.frozen.push_back(printable(joint.name));
      if (!link(i).mass) continue;
      const Inertia<double> inertia = inertia_of(*link(i).mass);
      judge(i, inertia);
      twig.mass += inertia.m;
      lumped[owner[i]] = lumped[owner[i]] + seen_from(X_OL[i], inertia);
    }
    for (const Branch& twig : branches)
      warn_of_branch(twig.root, owner[twig.root] == base, twig.links, twig.mass, twig.frozen);
    for (const std::size_t joint : joints) {
      UrdfLink& target = tree_.links[tree_.joints[joint].child];
      const Inertia<double>& extra = lumped[tree_.joints[joint].child];
      if (extra.m > 0) target.mass = welded(target.mass, extra);
    }
  }

  /// Some simulators' files say "stands still" by a mass of 0; what moves needs one.
  void refuse_inertia_without_mass(UrdfLink& link, bool moves) const {
    if (!link.mass || link.mass->mass > 0) return;
    if (moves)
      fail(link.mass_place, fmt::format("link '{}' has inertia but no mass", printable(link.name)),
           "give it mass, or remove <inertial>");
    link.mass.reset();
  }

  /// A lumped link is judged alone: in the sum its faults would hide.
  void judge(std::size_t i, const Inertia<double>& inertia) {
    if (link(i).mass->tensor.isZero(0)) return;  // a point mass
    if (!judge_body(inertia).possible())
      warn(link(i).mass_place, fmt::format("no body has the inertia of link '{}'", printable(link(i).name)),
           "it is lumped into the chain as it is; correct it");
  }

  void warn_of_branch(std::size_t root, bool at_base, std::size_t links, double mass,
                      const std::vector<std::string>& frozen) {
    if (frozen.empty() && (mass == 0 || at_base)) return;  // frames only, or part of what stands still
    const UrdfLink& first = link(root);
    const std::string parent = printable(link(tree_.joints[*first.parent_joint].parent).name);
    std::string finding = fmt::format("the branch at link '{}' ({} {}, {:.6g} kg) ", printable(first.name), links,
                                      links == 1 ? "link" : "links", mass);
    finding += at_base ? fmt::format("stands still with the base '{}'", parent)
                       : fmt::format("is lumped into link '{}' as fixed inertia", parent);
    if (!frozen.empty()) {
      finding += fmt::format(
          "; held at zero: {}",
          fmt::join(frozen.begin(), frozen.begin() + std::min<std::ptrdiff_t>(8, std::ssize(frozen)), ", "));
      if (frozen.size() > 8) finding += ", ...";
    }
    warn(first.place, finding, "choose another chain with --base and --tip");
  }

  static MassProperties welded(const std::optional<MassProperties>& own, const Inertia<double>& extra) {
    const Inertia<double> sum = own ? inertia_of(*own) + extra : extra;
    MassProperties result;
    result.mass = sum.m;
    result.position = sum.h / sum.m;
    result.tensor = central_inertia(sum);
    return result;
  }

  JointDescription described(const UrdfJoint& joint) {
    const UrdfLink& child = link(joint.child);
    JointDescription result;
    result.name = joint.name;
    result.type = joint.type == UrdfJointType::fixed       ? JointType::fixed
                  : joint.type == UrdfJointType::prismatic ? JointType::prismatic
                                                           : JointType::revolute;
    OriginAxis placement{joint.origin};
    if (joint.moves()) placement.axis = joint.axis;
    result.placement = placement;
    result.limits = joint.limits;
    result.friction = joint.friction;
    result.link = {child.name, child.mass};
    const std::string place = fmt::format("joint '{}'", printable(joint.name));
    parsed_.places[place] = joint.place;
    parsed_.places[place + ", limits"] = joint.limits_place;
    parsed_.places[place + ", friction"] = joint.friction_place;
    parsed_.places[fmt::format("link '{}'", printable(child.name))] = child.mass_place;
    return result;
  }

  UrdfTree tree_;
  ParsedArm parsed_;
};

}  // namespace

ParsedArm parse_urdf(std::string_view text, const std::string& file, const std::string& base, const std::string& tip) {
  return ChainPicker(read_urdf_tree(text, file)).pick(file, base, tip);
}

}  // namespace armature
