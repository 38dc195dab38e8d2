#include <fmt/format.h>

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "armature/core/text.hpp"
#include "armature/formats/settings_units.hpp"
#include "armature/formats/urdf.hpp"
#include "armature/formats/urdf_limbs.hpp"
#include "armature/model/arm.hpp"
#include "armature/spatial/rotation.hpp"

namespace armature::formats {

namespace {

std::string last_part(const std::string& path) { return path.substr(path.find_last_of("/\\") + 1); }

class ChainPicker {
 public:
  ChainPicker(UrdfTree tree, const std::string& file, const ArmChoice& choice)
      : tree_(std::move(tree)), file_(file), choice_(choice) {}

  ParsedArm pick() {
    parsed_.warnings = std::move(tree_.warnings);
    parsed_.as_given = choice_.as_given;
    hold_joints();
    const std::size_t base = pick_base();
    const std::size_t tip = pick_tip(base);
    const std::vector<std::size_t> joints = path(base, tip);

    ArmDescription& arm = parsed_.description;
    arm.name = tree_.name;
    arm.source = "URDF " + last_part(file_);
    if (choice_.picks_chain() || told_tip_)
      arm.source += fmt::format(", from {} to {}", link(base).name, link(tip).name);
    parsed_.places["arm"] = parsed_.places[fmt::format("arm '{}'", printable(arm.name))] = tree_.place;
    turn_gravity(base);
    lump(base, joints);
    arm.base_shapes = link(base).shapes;
    for (const std::size_t joint : joints) arm.joints.push_back(described(joint));
    judge_masses(joints);
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
  [[nodiscard]] std::string name_of(std::size_t number) const { return printable(link(number).name); }

  [[nodiscard]] std::size_t link_number(const std::string& name, const char* which) const {
    for (std::size_t i = 0; i < tree_.links.size(); ++i)
      if (link(i).name == name) return i;
    fail(tree_.place, fmt::format("the {} '{}' is no link of this robot", which, printable(name)),
         link_hint(tree_, name));
  }

  // ---- joints that are held ----

  /// Positions of the joints where they do not move: those of the choice, what mimics them, and zero.
  void hold_joints() {
    held_.assign(tree_.joints.size(), false);
    position_.assign(tree_.joints.size(), 0);
    std::map<std::string, std::size_t> numbers;
    for (std::size_t j = 0; j < tree_.joints.size(); ++j) numbers.emplace(tree_.joints[j].name, j);
    for (const auto& [name, text] : choice_.lock) {
      const auto found = numbers.find(name);
      if (found == numbers.end()) refuse_lock(name);
      hold(found->second, text);
    }
    follow_leaders(numbers);
  }

  /// Puts joints that mimic where the joints they follow are. `numbers`: of the joints, by name.
  void follow_leaders(const std::map<std::string, std::size_t>& numbers) {
    std::vector<bool> known(tree_.joints.size());
    for (std::size_t j = 0; j < known.size(); ++j) known[j] = !tree_.joints[j].mimic || held_[j];
    std::vector<std::size_t> lost;  // followers of nothing
    for (std::size_t j = 0; j < known.size(); ++j) {
      std::vector<std::size_t> way;  // from a follower to its leader, which may follow another
      std::size_t at = j;
      while (!known[at]) {
        known[at] = true;
        way.push_back(at);
        const auto leader = numbers.find(tree_.joints[at].mimic->joint);
        const bool followed = leader != numbers.end() && std::find(way.begin(), way.end(), leader->second) == way.end();
        if (!followed) lost.push_back(at);
        if (!followed) break;
        at = leader->second;
      }
      double position = position_[at];
      for (auto follower = way.rbegin(); follower != way.rend(); ++follower) {
        const UrdfMimic& mimic = *tree_.joints[*follower].mimic;
        position = position_[*follower] = mimic.multiplier * position + mimic.offset;
        if (!std::isfinite(position))
          fail(mimic.place,
               fmt::format("joint '{}' mimics beyond all numbers", printable(tree_.joints[*follower].name)),
               "check multiplier and offset");
      }
    }
    if (!lost.empty()) warn_of_lost(lost);
  }

  void warn_of_lost(const std::vector<std::size_t>& followers) {
    std::vector<std::string> pairs;
    for (const std::size_t j : followers)
      pairs.push_back(
          fmt::format("'{}' mimics '{}'", printable(tree_.joints[j].name), printable(tree_.joints[j].mimic->joint)));
    warn(tree_.joints[followers[0]].mimic->place,
         fmt::format("a joint is to follow one that is not there, or itself: {}", fmt::join(some_of(pairs), ", ")),
         "it is taken to follow one that stands at zero");
  }

  [[noreturn]] void refuse_lock(const std::string& name) const {
    std::vector<std::string> names;
    for (const UrdfJoint& joint : tree_.joints)
      if (joint.moves()) names.push_back(printable(joint.name));
    fail(tree_.place, fmt::format("there is no joint '{}' to lock", printable(name)),
         nearest_word(name, names) ? suggestion(name, names)
                                   : fmt::format("those that move: {}", fmt::join(some_of(names, 16), ", ")));
  }

  void hold(std::size_t j, const std::string& text) {
    const UrdfJoint& joint = tree_.joints[j];
    const std::string what = fmt::format("lock of joint '{}'", printable(joint.name));
    if (!joint.moves() || joint.type == UrdfJointType::floating || joint.type == UrdfJointType::planar)
      fail(joint.place, fmt::format("{}: it does not turn or slide", what),
           "lock revolute, continuous or prismatic joints");
    try {
      position_[j] = quantity_in(text, unit_of(joint_dimension::position, joint.type == UrdfJointType::prismatic));
    } catch (const FormatError& error) {
      throw FormatError(fmt::format("{}: {}", what, error.finding()), error.hint());
    }
    const Limits& limits = joint.limits;
    if (position_[j] < limits.lower.value_or(position_[j]) || position_[j] > limits.upper.value_or(position_[j]))
      warn(joint.limits_place, fmt::format("{}: {:.6g} is beyond its limits", what, position_[j]), "it is held there");
    held_[j] = true;
  }

  /// The pose of the joint's link in its parent's frame, where the joint is held.
  [[nodiscard]] Pose<double> pose_held(std::size_t j) const {
    const UrdfJoint& joint = tree_.joints[j];
    const Pose<double> origin = pose_of(joint.origin);
    if (position_[j] == 0 || !joint.moves()) return origin;
    if (joint.type == UrdfJointType::prismatic)
      return origin * Pose<double>{Mat3<double>::Identity(), joint.axis * position_[j]};
    return origin * Pose<double>{Eigen::AngleAxisd(position_[j], joint.axis).toRotationMatrix(), Vec3<double>::Zero()};
  }

  // ---- base, tip and the way between them ----

  [[nodiscard]] std::size_t root_of(std::size_t i) const {
    while (link(i).parent_joint) i = tree_.joints[*link(i).parent_joint].parent;
    return i;
  }

  [[nodiscard]] std::size_t pick_base() {
    if (!choice_.base.empty()) return link_number(choice_.base, "base");
    if (!choice_.tip.empty()) return root_of(link_number(choice_.tip, "tip"));
    if (tree_.roots.size() == 1) return tree_.roots[0];
    std::vector<bool> moves(tree_.links.size(), false);  // something below the link
    for (auto i = tree_.order.rbegin(); i != tree_.order.rend(); ++i)
      for (const std::size_t j : link(*i).child_joints)
        if (tree_.joints[j].is_axis() || moves[tree_.joints[j].child]) moves[*i] = true;
    std::vector<std::size_t> moving;
    std::vector<std::string> all, others;
    for (const std::size_t root : tree_.roots) {
      all.push_back(name_of(root));
      if (moves[root])
        moving.push_back(root);
      else
        others.push_back(name_of(root));
    }
    if (moving.size() > 1) {
      std::vector<std::string> names;
      for (const std::size_t root : moving)
        names.push_back(fmt::format("`armature show {} --base {}`", shell_word(file_), shell_word(link(root).name)));
      fail(link(tree_.roots[1]).place, fmt::format("several links have no parent: {}", fmt::join(some_of(all), ", ")),
           fmt::format("join them, or begin at one: {}", fmt::join(some_of(names), ", ")));
    }
    warn(link(tree_.roots[1]).place, fmt::format("several links have no parent: {}", fmt::join(some_of(all), ", ")),
         "what hangs from those that do not move is left out");
    return moving.empty() ? tree_.roots[0] : moving[0];
  }

  [[nodiscard]] std::size_t pick_tip(std::size_t base) {
    if (!choice_.tip.empty()) return link_number(choice_.tip, "tip");
    const std::vector<UrdfLimb> limbs = find_limbs(tree_, base, held_);
    if (limbs.empty())
      fail(link(base).place, fmt::format("no joint moves below link '{}'", name_of(base)),
           "an arm needs a revolute, continuous or prismatic joint");
    if (limbs.size() > 1) {
      const auto longest = std::max_element(limbs.begin(), limbs.end(), [](const UrdfLimb& a, const UrdfLimb& b) {
        return a.axes.size() < b.axes.size();
      });
      fail(tree_.place, fmt::format("the robot has {} limbs", limbs.size()),
           fmt::format("pick one by its tip (in a scenario: `robot: {{file: {}, tip: {}}}`){}", last_part(file_),
                       name_of(longest->tip), limbs_text(tree_, limbs, file_, choice_.base)));
    }
    const UrdfLimb& limb = limbs[0];
    told_tip_ = !limb.why.empty();
    if (told_tip_)
      warn(link(limb.tip).place, fmt::format("the arm ends at link '{}': {}", name_of(limb.tip), limb.why),
           "--tip picks another");
    const UrdfJoint& last = tree_.joints[limb.axes.back()];
    if (limb.axes.size() > 1 && is_called_finger(tree_, last))
      warn(last.place, fmt::format("joint '{}' counts as a joint of the arm", printable(last.name)),
           fmt::format("`--tip {}` leaves it out", shell_word(link(last.parent).name)));
    return limb.tip;
  }

  /// The joints from `base` to `tip`.
  [[nodiscard]] std::vector<std::size_t> path(std::size_t base, std::size_t tip) {
    std::vector<std::size_t> joints;
    for (std::size_t i = tip; i != base; i = tree_.joints[joints.back()].parent) {
      if (!link(i).parent_joint)
        fail(link(tip).place, fmt::format("link '{}' does not hang from link '{}'", name_of(tip), name_of(base)),
             "the base must lie between the root and the tip");
      joints.push_back(*link(i).parent_joint);
    }
    if (joints.empty())
      fail(link(tip).place, "base and tip are the same link", "pick two links with a moving joint between them");
    std::reverse(joints.begin(), joints.end());
    bool moved = false;
    for (const std::size_t j : joints) {
      const UrdfJoint& joint = tree_.joints[j];
      const std::string name = printable(joint.name);
      if (joint.mimic && !held_[j])
        fail(
            joint.mimic->place, fmt::format("joint '{}' mimics another joint", name),
            fmt::format("a joint of the chain needs its own motor: hold it with `--lock {}=0`, remove <mimic>, or pick "
                        "another --tip",
                        shell_word(joint.name)));
      const bool free = joint.type == UrdfJointType::floating || joint.type == UrdfJointType::planar;
      const char* how = joint.type == UrdfJointType::planar ? "planar" : "floating";
      if (free && moved)
        fail(joint.place, fmt::format("joint '{}' is {}", name, how),
             "the joints of a chain are revolute, continuous, prismatic or fixed; pick a --base below it");
      if (free)
        warn(joint.place, fmt::format("joint '{}' is {}", name, how),
             fmt::format("link '{}' stands still where it is at zero", name_of(joint.child)));
      moved = moved || (joint.is_axis() && !held_[j]);
    }
    refuse_too_many(joints);
    if (!moved)
      fail(link(tip).place, fmt::format("no joint moves between link '{}' and link '{}'", name_of(base), name_of(tip)),
           "pick two links with a moving joint between them");
    return joints;
  }

  void refuse_too_many(const std::vector<std::size_t>& joints) const {
    int moving = 0;
    std::size_t last = 0;  // the link that ends the longest chain
    for (const std::size_t j : joints) {
      moving += tree_.joints[j].is_axis() && !held_[j] ? 1 : 0;
      if (moving <= max_joints) last = tree_.joints[j].child;
    }
    if (moving > max_joints)
      fail(tree_.place, fmt::format("arm '{}': has {} moving joints", printable(tree_.name), moving),
           fmt::format("at most {} are supported: end it earlier, `armature show {} --tip {}`, begin it later with "
                       "--base, or hold joints with --lock",
                       max_joints, shell_word(file_), shell_word(link(last).name)));
  }

  /// The root's z axis points up. A base that lies otherwise sees gravity from its own side.
  void turn_gravity(std::size_t base) {
    Pose<double> X_RB;
    std::vector<std::string> above;
    for (std::size_t i = base; link(i).parent_joint; i = tree_.joints[*link(i).parent_joint].parent) {
      const std::size_t j = *link(i).parent_joint;
      X_RB = pose_held(j) * X_RB;
      if (tree_.joints[j].moves()) above.push_back(printable(tree_.joints[j].name));
    }
    if (!above.empty())
      warn(tree_.joints[*link(base).parent_joint].place,
           fmt::format("joints above the base '{}' are left out: {}", name_of(base), fmt::join(some_of(above), ", ")),
           "the base stands still");
    if ((X_RB.R - Mat3<double>::Identity()).norm() < 1e-12) return;
    Vec3<double>& g = parsed_.description.gravity;
    const Vec3<double> turned = X_RB.R.transpose() * g;
    if ((turned - g).norm() < 1e-9) return;
    g = turned;
    warn(link(base).place, fmt::format("the base '{}' is not level", name_of(base)),
         fmt::format("gravity is {:.4g} {:.4g} {:.4g} m/s² in its frame, as the root '{}' stands", g[0], g[1], g[2],
                     name_of(root_of(base))));
  }

  // ---- masses ----

  /// Adds what hangs off the chain to the link of the chain it hangs from, where it lies with its joints held.
  void lump(std::size_t base, const std::vector<std::size_t>& joints) {
    std::vector<bool> in_chain(tree_.links.size(), false), moves(tree_.links.size(), false);
    in_chain[base] = true;
    std::set<std::string> axes;  // of the chain
    for (const std::size_t j : joints) {
      if (tree_.joints[j].is_axis() && !held_[j]) axes.insert(tree_.joints[j].name);
      in_chain[tree_.joints[j].child] = true;
      moves[tree_.joints[j].child] = !axes.empty();
    }

    owner_.assign(tree_.links.size(), nobody);
    std::vector<Pose<double>> X_OL(tree_.links.size());  // of each link in its owner's frame
    std::vector<Inertia<double>> lumped(tree_.links.size());
    std::vector<std::size_t> frozen;  // joints
    std::vector<std::string> impossible;
    Place impossible_place;
    double mass = 0;
    std::vector<bool> carried(tree_.links.size(), false);          // by a joint that is held
    std::vector<std::size_t> follows(tree_.links.size(), nobody);  // a joint that mimics one of the chain
    std::map<std::size_t, double> followed;                        // what such joints carry [kg]
    for (const std::size_t i : tree_.order) {
      if (in_chain[i]) {
        owner_[i] = i;
        continue;
      }
      if (!link(i).parent_joint) continue;
      const std::size_t j = *link(i).parent_joint;
      const UrdfJoint& joint = tree_.joints[j];
      owner_[i] = owner_[joint.parent];
      if (owner_[i] == nobody) continue;
      follows[i] = joint.mimic && !held_[j] && axes.contains(joint.mimic->joint) ? j : follows[joint.parent];
      if (follows[i] != nobody && link(i).mass) followed[follows[i]] += link(i).mass->mass;
      X_OL[i] = X_OL[joint.parent] * pose_held(j);
      lump_shapes(link(i).shapes, X_OL[i], tree_.links[owner_[i]].shapes);
      if (!moves[owner_[i]]) continue;  // stands still
      carried[i] = carried[joint.parent] || joint.moves();
      if (joint.moves()) frozen.push_back(j);
      if (!link(i).mass) continue;
      const Inertia<double> inertia = inertia_of(*link(i).mass);
      if (!link(i).mass->tensor.isZero(0) && !judge_body(inertia).possible()) {
        if (impossible.empty()) impossible_place = link(i).mass_place;
        impossible.push_back(name_of(i));
      }
      if (carried[i]) mass += inertia.m;
      lumped[owner_[i]] = lumped[owner_[i]] + seen_from(X_OL[i], inertia);
      carries_[owner_[i]] = true;
    }
    warn_of_lumped(frozen, mass, impossible, impossible_place);
    for (const auto& [j, weight] : followed)
      if (weight > 0) lack_motion(tree_.joints[j], weight);
    for (const std::size_t joint : joints) {
      const std::size_t i = tree_.joints[joint].child;
      if (carries_[i]) tree_.links[i].mass = welded(link(i).mass, lumped[i]);
    }
  }

  static void lump_shapes(const LinkShapes& from, const Pose<double>& X_OL, LinkShapes& to) {
    const auto add = [&](const std::vector<Shape>& shapes, std::vector<Shape>& all) {
      for (Shape shape : shapes) {
        const Pose<double> X = X_OL * pose_of(shape.place);
        shape.place = {X.p, rpy_from_rotation(X.R).angles};
        all.push_back(std::move(shape));
      }
    };
    add(from.visual, to.visual);
    add(from.collision, to.collision);
  }

  void warn_of_lumped(const std::vector<std::size_t>& frozen, double mass, const std::vector<std::string>& impossible,
                      const Place& impossible_place) {
    std::vector<std::string> names;
    bool at_zero = true;
    for (const std::size_t j : frozen) {
      at_zero = at_zero && position_[j] == 0;
      names.push_back(printable(tree_.joints[j].name) +
                      (position_[j] == 0 ? "" : fmt::format("={:.4g}", position_[j])));
    }
    if (!frozen.empty())
      warn(tree_.joints[frozen[0]].place,
           fmt::format("{} beside the chain {} held{} and rigid with it, {:.4g} kg: {}",
                       frozen.size() == 1 ? "a joint" : fmt::format("{} joints", frozen.size()),
                       frozen.size() == 1 ? "is" : "are", at_zero ? " at zero" : "", mass,
                       fmt::join(some_of(names), ", ")),
           "--lock JOINT=VALUE holds a joint elsewhere, --tip takes its link into the chain");
    if (!impossible.empty())
      warn(impossible_place,
           fmt::format("no body has the inertia of {} beside the chain: {}",
                       impossible.size() == 1 ? "a link" : fmt::format("{} links", impossible.size()),
                       fmt::join(some_of(impossible), ", ")),
           "it is added to the chain as it is");
  }

  /// Links that are rigid with each other and move.
  struct Body {
    std::size_t first;  // link
    Inertia<double> inertia;
    Pose<double> X_BL;  // of the link reached
    std::vector<std::size_t> links;
  };
  [[nodiscard]] std::vector<Body> bodies_of(const std::vector<std::size_t>& joints) const {
    std::vector<Body> bodies;
    std::vector<std::size_t> body_of(tree_.links.size(), nobody);
    for (const std::size_t j : joints) {
      const std::size_t i = tree_.joints[j].child;
      if (tree_.joints[j].is_axis() && !held_[j])
        bodies.push_back({i, {}, {}, {}});
      else if (!bodies.empty())
        bodies.back().X_BL = bodies.back().X_BL * pose_held(j);
      if (bodies.empty()) continue;
      body_of[i] = bodies.size() - 1;
      if (link(i).mass)
        bodies.back().inertia = bodies.back().inertia + seen_from(bodies.back().X_BL, inertia_of(*link(i).mass));
    }
    for (std::size_t i = 0; i < tree_.links.size(); ++i)
      if (owner_[i] != nobody && body_of[owner_[i]] != nobody) bodies[body_of[owner_[i]]].links.push_back(i);
    return bodies;
  }

  /// A rod or a point: the limit of bodies that get thinner.
  static bool is_thin(const Inertia<double>& inertia) {
    const BodyVerdict verdict = judge_body(inertia);
    const Vec3<double>& e = verdict.principal_moments;
    return verdict.mass_positive && !verdict.positive_definite && verdict.triangle_inequality &&
           e[0] >= -1e-9 * e[2] - 1e-12 * inertia.I_Bo.cwiseAbs().maxCoeff();
  }

  /// Bodies that cannot exist: of links that were never weighed, frames, idealized ones. Only the last two are excused.
  void judge_masses(const std::vector<std::size_t>& joints) {
    std::set<std::string> impossible;
    for (const Finding& finding : findings(parsed_.description))
      if (finding.severity == Finding::Severity::error) impossible.insert(finding.place);
    const std::vector<Body> bodies = bodies_of(joints);
    const bool any_mass = std::any_of(bodies.begin(), bodies.end(), [](const Body& b) { return b.inertia.m > 0; });
    std::vector<std::string> excuses, unweighed;
    Place unweighed_place;
    bool excused = true;
    for (const Body& body : bodies) {
      const std::string place = fmt::format("link '{}'", name_of(body.first));
      const bool possible = !impossible.contains(place);
      bool seen = false;
      for (const std::size_t i : body.links) {
        seen = seen || link(i).shape;
        if (link(i).lacks.empty() || (link(i).lacks == "<inertial>" && !link(i).shape)) continue;
        if (possible && unweighed.empty()) unweighed_place = link(i).mass_place;
        if (possible) unweighed.push_back(name_of(i));
        if (!possible) lack(i, link(i).lacks);
      }
      if (possible) continue;
      if (is_thin(body.inertia))
        excuses.push_back(place + " has no thickness");
      else if (!parameters(body.inertia).isZero(0) || seen)
        excused = false;
      else if (any_mass)
        excuses.push_back(place + " moves with a joint of its own and has no mass");
      else
        lack(body.first, link(body.first).lacks.empty() ? "mass" : link(body.first).lacks);
    }
    if (!unweighed.empty())
      warn(unweighed_place,
           fmt::format("{} without a complete <inertial>: {}", unweighed.size() == 1 ? "a link" : "links",
                       fmt::join(some_of(unweighed), ", ")),
           "what is missing is taken as zero; each is rigid with a link that has mass");
    if (excused && !excuses.empty() && parsed_.lacking.empty())
      parsed_.description.unphysical = fmt::format("{}", fmt::join(some_of(excuses), ", "));
  }

  /// What a joint carries that follows one of the arm moves with it, and no chain of rigid bodies does.
  void lack_motion(const UrdfJoint& joint, double mass) {
    parsed_.lacking.push_back(
        {Finding::Severity::error, fmt::format("joint '{}'", printable(joint.name)),
         fmt::format("has no motor: it mimics joint '{}' of the arm and carries {:.4g} kg",
                     printable(joint.mimic->joint), mass),
         fmt::format("kinematics works without; `--lock {}=0` holds it", shell_word(joint.name))});
    parsed_.places.try_emplace(parsed_.lacking.back().place, joint.mimic->place);
  }

  void lack(std::size_t i, const std::string& what) {
    parsed_.lacking.push_back({Finding::Severity::error, fmt::format("link '{}'", name_of(i)), "has no " + what,
                               "kinematics works without; give it mass and inertia"});
    parsed_.places.try_emplace(parsed_.lacking.back().place, link(i).mass_place);
  }

  static MassProperties welded(const std::optional<MassProperties>& own, const Inertia<double>& extra) {
    const Inertia<double> sum = own ? inertia_of(*own) + extra : extra;
    MassProperties result;
    result.mass = sum.m;
    if (sum.m > 0) {
      result.position = sum.h / sum.m;
      result.tensor = symmetric(central_inertia(sum));
    } else {
      result.tensor = symmetric(sum.I_Bo);
      result.tensor_about_origin = true;
    }
    return result;
  }

  JointDescription described(std::size_t j) {
    const UrdfJoint& joint = tree_.joints[j];
    const UrdfLink& child = link(joint.child);
    const bool axis = joint.is_axis() && !held_[j];
    JointDescription result;
    result.name = joint.name;
    result.type = !axis                                    ? JointType::fixed
                  : joint.type == UrdfJointType::prismatic ? JointType::prismatic
                                                           : JointType::revolute;
    OriginAxis placement{joint.origin};
    if (axis) {
      placement.axis = joint.axis;
      result.limits = joint.limits;
      result.friction = joint.friction;
    } else if (joint.moves() && position_[j] != 0) {
      const Pose<double> X = pose_held(j);
      placement.origin = {X.p, rpy_from_rotation(X.R).angles};
    }
    result.placement = placement;
    result.link = {child.name, child.mass, child.shapes};
    const std::string place = fmt::format("joint '{}'", printable(joint.name));
    parsed_.places[place] = joint.place;
    parsed_.places[place + ", limits"] = joint.limits_place;
    parsed_.places[place + ", friction"] = joint.friction_place;
    parsed_.places[fmt::format("link '{}'", printable(child.name))] = child.mass_place;
    return result;
  }

  static constexpr std::size_t nobody = static_cast<std::size_t>(-1);
  UrdfTree tree_;
  const std::string& file_;
  const ArmChoice& choice_;
  ParsedArm parsed_;
  bool told_tip_ = false;
  std::vector<bool> held_;               // joints that the choice locks
  std::vector<double> position_;         // of every joint where it does not move [rad | m]
  std::vector<std::size_t> owner_;       // of each link: the link of the chain it is rigid with
  std::map<std::size_t, bool> carries_;  // links of the chain: something was lumped into it
};

}  // namespace

ParsedArm parse_urdf(std::string_view text, const std::string& file, const ArmChoice& choice) {
  return ChainPicker(read_urdf_tree(text, file, choice.as_given), file, choice).pick();
}

}  // namespace armature::formats
