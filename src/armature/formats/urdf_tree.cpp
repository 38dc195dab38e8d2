#include "armature/formats/urdf_tree.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "armature/core/characters.hpp"
#include "armature/core/text.hpp"
#include "armature/core/units.hpp"
#include "armature/formats/internal/urdf_element.hpp"
#include "armature/formats/internal/urdf_numbers.hpp"
#include "armature/formats/internal/urdf_shapes.hpp"
#include "armature/formats/internal/xml.hpp"
#include "armature/model/arm.hpp"
#include "armature/spatial/rotation.hpp"

namespace armature::formats {

namespace {

constexpr double longest_offset = 10;              // [m] a larger one is in millimetres
constexpr double smallest_body = 1e-3;             // [m] a smaller one has its inertia in other units
constexpr double longest_origin = 100;             // [m] no arm has a longer one
constexpr double longest_range = 100;              // [m] of a prismatic joint
constexpr double most_turns = 1000;                // [rad] more stand for a joint without limits
constexpr double endless_range = 1e6;              // [m] likewise
constexpr double largest_angle = 2 * pi * 1.0001;  // [rad] a larger one is in degrees
constexpr double largest_limit = 1e9;              // [N m | rad/s | ...] a larger one stands for none
constexpr double heaviest_link = 1000;             // [kg] a heavier one is in grams
constexpr double quaternion_rounding = 1e-3;       // of its length

constexpr const char* inner_robot = "there is a <robot> inside: put it into a file of its own";

bool finds_robot(const XmlElement& xml) {  // no deeper than the parser goes
  return std::any_of(xml.children.begin(), xml.children.end(),
                     [](const XmlElement& child) { return child.name == "robot" || finds_robot(child); });
}

bool asks_xacro(const XmlElement& xml) {
  const auto asked = [](const XmlAttribute& attribute) { return has_xacro(attribute.value); };
  return std::any_of(xml.attributes.begin(), xml.attributes.end(), asked) ||
         std::any_of(xml.children.begin(), xml.children.end(), asks_xacro);
}

class TreeReader {
 public:
  explicit TreeReader(bool as_given, bool sketch = false) : beside_{.as_given = as_given}, sketch_(sketch) {}

  UrdfTree read(const XmlElement& root) {
    if (root.name != "robot")
      fail(root.place, fmt::format("the root element is <{}>, not <robot>", printable(root.name)),
           root.name == "html"     ? saved_page
           : root.name == "mujoco" ? "this is MuJoCo's format, MJCF: use the URDF it was made from"
           : root.name == "sdf"    ? "this is SDF, Gazebo's format: use the URDF it was made from"
           : finds_robot(root)     ? inner_robot
                                   : "is this file a URDF?");
    UrdfElement robot(root, beside_);
    tree_.place = root.place;
    for (const XmlAttribute& attribute : root.attributes) for_xacro_ = for_xacro_ || attribute.name == "xmlns:xacro";
    if (const XmlAttribute* name = robot.find("name"); name && name->value.find_first_not_of(' ') != std::string::npos)
      tree_.name = robot.name_at("name");
    else
      name_after_file();
    robot.find("version");
    robot.ignore({"material", "transmission", "gazebo", "ros2_control", "sensor", "group", "loop_joint"});
    colours_ = read_urdf_colours(root);
    const auto links = robot.children("link"), joints = robot.children("joint");
    const auto asks = [](const XmlElement* part) { return asks_xacro(*part); };
    beside_.whole_without_xacro = !joints.empty() && std::none_of(links.begin(), links.end(), asks) &&
                                  std::none_of(joints.begin(), joints.end(), asks);
    place_or_leave([&] { robot.finish(); });  // first: a misspelt element is the reason for what would be missing
    for (const XmlElement* link : links) read_link(*link);
    for (const XmlElement* joint : joints) place_or_leave([&] { read_joint(*joint); });
    if (tree_.links.empty())
      fail(root.place, "the robot has no links",
           !robot.children("robot").empty() ? inner_robot
           : robot.children("group").empty() && robot.children("disable_collisions").empty()
               ? "add <link name=\"...\"> elements"
               : "this looks like an SRDF, which goes with a URDF: name that");
    check_tree();
    for (const auto& [finding, place] : beside_.ignored) warn(place, finding, "it is ignored");
    for (const auto& [what, group] : shared_)
      warn(group.place, fmt::format("{}: {}", fmt::join(some_of(group.names), ", "), what.first), what.second);
    return std::move(tree_);
  }

 private:
  /// What several links or joints have in common is one warning.
  struct Shared {
    Place place;  // of the first
    std::vector<std::string> names;
  };
  void share(const Place& place, const std::string& name, const std::string& finding, const std::string& hint) {
    Shared& group = shared_.try_emplace({finding, hint}, Shared{place, {}}).first->second;
    if (group.names.empty() || group.names.back() != printable(name)) group.names.push_back(printable(name));
  }

  /// Reads a part of a link or joint; in a sketch a fault in it is said of what has it.
  template <class Read>
  void read_part(std::string& fault, const Read& read) {
    if (!sketch_) return read();
    try {
      read();
    } catch (const FormatError& error) {
      tree_.faults.emplace_back(error.what());
      fault += fmt::format("{}line {}: {}", fault.empty() ? "" : "; ", error.place().line, error.finding());
    }
  }
  /// Likewise what has no place in the tree without it.
  template <class Read>
  void place_or_leave(const Read& read) {
    std::string fault;
    read_part(fault, read);
    if (!fault.empty()) tree_.loose.push_back(fault);
  }

  /// A file without <robot name> is called by its own name.
  void name_after_file() {
    std::string name = tree_.place.file.substr(tree_.place.file.find_last_of("/\\") + 1);
    name.resize(std::min(name.find('.'), name.size()));
    tree_.name = flaw_of_name(name).empty() ? name : "robot";
    warn(tree_.place, "<robot> has no name", fmt::format("it is called '{}'", tree_.name));
  }

  void warn(const Place& place, const std::string& finding, const std::string& hint) {
    tree_.warnings.emplace_back(Error(finding, hint, place).what());
  }

  /// Of a number that is hardly what it says.
  void doubt(const Place& place, const std::string& finding, const std::string& hint) {
    if (!beside_.as_given) fail(place, finding, hint + "; or take the file at its word: --as-given");
    warn(place, finding, "it is taken as given");
  }
  /// Likewise of a joint's; `what` it is, for all joints that have it.
  void doubt_of(const std::string& joint, const Place& place, const std::string& finding, const std::string& hint,
                const std::string& what, const std::string& taken) {
    if (!beside_.as_given)
      fail(place, fmt::format("joint '{}': {}", printable(joint), finding),
           hint + "; or take the file at its word: --as-given");
    share(place, joint, what, taken);
  }

  void doubt_length(const Place& place, double length) {
    const std::string finding = fmt::format("xyz {} looks like millimetres", length),
                      hint = fmt::format("lengths are in metres: {}", exact_text(length / 1000));
    if (length > longest_origin && !beside_.as_given) fail(place, finding, hint);  // as given no arm takes it, either
    doubt(place, finding, hint);
  }

  Placement read_origin(const XmlElement* origin) {
    Placement placement;
    if (!origin) return placement;
    UrdfElement element(*origin, beside_);
    if (const XmlAttribute* xyz = element.find("xyz")) {
      const auto numbers = numbers_of(*xyz, 3);
      placement.xyz = Eigen::Map<const Vec3<double>>(numbers.data());
      if (const double largest = placement.xyz.cwiseAbs().maxCoeff(); largest > longest_offset)
        doubt_length(xyz->place, largest);
    }
    if (const XmlAttribute* rpy = element.find("rpy")) {
      const auto numbers = numbers_of(*rpy, 3);
      placement.rpy = Eigen::Map<const Vec3<double>>(numbers.data());
      if (const double largest = placement.rpy.cwiseAbs().maxCoeff();
          largest > largest_angle && !is_whole_in_degrees(largest))
        doubt(rpy->place, fmt::format("rpy {} looks like degrees", largest),
              fmt::format("angles are in radians: {}", exact_text(largest * deg)));
    }
    if (const XmlAttribute* quaternion = element.find("quat_xyzw")) {
      if (element.find("rpy"))
        fail(quaternion->place, "both rpy and quat_xyzw say how it is turned", "remove one of them");
      const auto xyzw = numbers_of(*quaternion, 4);
      const Quaternion wxyz{xyzw[3], xyzw[0], xyzw[1], xyzw[2]};
      if (std::abs(wxyz.norm() - 1) > quaternion_rounding)
        fail(quaternion->place, fmt::format("the quaternion has length {:.6g}", wxyz.norm()),
             "it is x y z w, of length 1");
      placement.rpy = rpy_from_rotation(rotation_from_quaternion(wxyz)).angles;
    }
    element.finish();
    return placement;
  }

  void read_link(const XmlElement& xml) {
    UrdfElement element(xml, beside_);
    UrdfLink link;
    link.place = link.mass_place = xml.place;
    read_part(link.fault, [&] {
      link.name = element.name_at("name");
      if (for_xacro_ && has_xacro(link.name))
        fail(xml.place, fmt::format("the name '{}' is for xacro to fill in", printable(link.name)),
             expand_xacro(xml.place.file));
    });
    element.find("type");
    if (!link_numbers_.emplace(link.name, tree_.links.size()).second && !link.name.empty())
      read_part(link.fault, [&] {
        fail(xml.place, fmt::format("two links are called '{}'", printable(link.name)), "names must differ");
      });
    read_part(link.fault, [&] {
      if (const XmlElement* inertial = element.child("inertial"))
        read_inertial(*inertial, link);
      else
        link.lacks = "<inertial>";
    });
    for (const char* kind : {"visual", "collision"})
      for (const XmlElement* shape : element.children(kind)) read_shape(*shape, link);
    element.ignore({"sensor", "gazebo", "contact"});
    read_part(link.fault, [&] { element.finish(); });
    tree_.links.push_back(std::move(link));
  }

  void read_inertial(const XmlElement& xml, UrdfLink& link) {
    UrdfElement element(xml, beside_);
    link.mass_place = xml.place;
    const Pose<double> X_LC = pose_of(read_origin(element.child("origin")));
    const XmlElement* mass = element.child("mass");
    const XmlElement* inertia = element.child("inertia");
    element.finish();  // before anything is said to be missing: it may be misspelt
    MassProperties properties;
    if (mass)
      properties.mass = read_mass(*mass, link.name);
    else
      link.lacks = "<mass>";
    if (inertia)
      properties.tensor = read_tensor(*inertia, link);
    else if (link.lacks.empty())
      link.lacks = "<inertia>";
    if (properties.mass == 0 && properties.tensor.isZero(0)) return;  // only a frame
    if (properties.mass > 0 && inertia) doubt_radius(properties, inertia->place, link.name);
    properties.position = X_LC.p;
    if (X_LC.R != Mat3<double>::Identity())
      properties.tensor = symmetric(X_LC.R * properties.tensor * X_LC.R.transpose());
    link.mass = properties;
  }

  /// Moments of inertia that are those of its mass spread over less than a millimetre, or over more than 20 m.
  void doubt_radius(const MassProperties& body, const Place& place, const std::string& link) {
    const double radius = std::sqrt(body.tensor.trace() / (2 * body.mass));
    if (radius > longest_offset)
      share(place, link, fmt::format("moments of inertia of a body wider than {} m", 2 * longest_offset),
            "they are in kg m^2: are these?");
    if (radius > 0 && radius < smallest_body / 2)
      share(place, link, fmt::format("moments of inertia of a body smaller than {} mm", 1000 * smallest_body),
            "they are in kg m^2: are these?");
  }

  double read_mass(const XmlElement& xml, const std::string& link) {
    UrdfElement element(xml, beside_);
    const double mass = number_of(element.at("value"));
    element.finish();
    if (mass < 0) fail(xml.place, fmt::format("link '{}' has mass {} kg", printable(link), mass), "mass is positive");
    if (mass > heaviest_link)
      share(xml.place, link, fmt::format("a mass beyond {} kg", heaviest_link), "is it in grams? URDF is in kilograms");
    return mass;
  }

  /// Moments that are missing are said to lack; products that are missing are zero, as in every file that knows its axes.
  Mat3<double> read_tensor(const XmlElement& xml, UrdfLink& link) {
    UrdfElement element(xml, beside_);
    std::map<std::string, double> found;
    for (const char* name : {"ixx", "ixy", "ixz", "iyy", "iyz", "izz"}) {
      const XmlAttribute* attribute = element.find(name);
      found[name] = attribute ? number_of(*attribute) : 0;
      const bool moment = name[1] == name[2];
      if (!attribute && moment && link.lacks.empty()) link.lacks = fmt::format("{} in its <inertia>", name);
      if (!attribute && !moment)
        share(xml.place, link.name, "products of inertia are missing", "they are taken as zero");
    }
    element.finish();
    Mat3<double> tensor;
    tensor << found["ixx"], found["ixy"], found["ixz"], found["ixy"], found["iyy"], found["iyz"], found["ixz"],
        found["iyz"], found["izz"];
    return tensor;
  }

  /// Looks change no number of the arm: a fault in them is a warning.
  void read_shape(const XmlElement& xml, UrdfLink& link) {
    const auto called = [&](const char* name) {
      const auto found = std::find_if(xml.children.begin(), xml.children.end(),
                                      [&](const XmlElement& child) { return child.name == name; });
      return found == xml.children.end() ? nullptr : &*found;
    };
    link.shape = link.shape || called("geometry");
    try {
      const Placement origin = read_origin(called("origin"));
      for (Shape& shape : read_urdf_shapes(xml, colours_)) {
        if (shape.kind != Shape::Kind::mesh && shape.size.maxCoeff() > longest_offset && !beside_.as_given) {
          share(xml.place, link.name, fmt::format("a shape is larger than {} m", longest_offset),
                "it is left out: lengths are in metres; --as-given keeps it");
          continue;
        }
        shape.place = {pose_of(origin) * shape.place.xyz, origin.rpy};
        (xml.name == "visual" ? link.shapes.visual : link.shapes.collision).push_back(std::move(shape));
      }
    } catch (const FormatError& error) {
      share(error.place(), link.name, fmt::format("a shape cannot be drawn: {}", error.finding()), error.hint());
    }
  }

  std::size_t read_end(const XmlElement& xml) {
    UrdfElement element(xml, beside_);
    const XmlAttribute& link = element.at("link");
    const std::string name = element.without_blanks(link);
    element.finish();
    const auto found = link_numbers_.find(name);
    if (found != link_numbers_.end()) return found->second;
    fail(link.place, fmt::format("there is no link '{}'", printable(name)),
         link_hint(tree_, name) + "; or add the link, or remove the joint");
  }

  void read_joint(const XmlElement& xml) {
    UrdfElement element(xml, beside_);
    UrdfJoint joint;
    joint.place = joint.limits_place = joint.friction_place = xml.place;
    read_part(joint.fault, [&] {
      joint.name = element.name_at("name");
      if (!joint_names_.insert(joint.name).second)
        fail(xml.place, fmt::format("two joints are called '{}'", printable(joint.name)), "names must differ");
    });
    joint.type = UrdfJointType::unknown;
    read_part(joint.fault, [&] { joint.type = read_type(element.at("type")); });
    joint.parent = read_end(element.child_at("parent"));
    const XmlElement& child = element.child_at("child");
    joint.child = read_end(child);
    if (joint.parent == joint.child)
      fail(child.place, fmt::format("joint '{}' joins a link to itself", printable(joint.name)),
           "parent and child must differ");
    read_part(joint.fault, [&] { joint.origin = read_origin(element.child("origin")); });
    read_part(joint.fault, [&] {
      if (const XmlElement* axis = element.child("axis"); axis && joint.moves())
        joint.axis = read_axis(*axis, joint.name);
    });
    read_part(joint.fault, [&] { read_limits(element.child("limit"), joint); });
    read_part(joint.fault, [&] {
      if (const XmlElement* dynamics = element.child("dynamics"); dynamics && joint.moves())
        read_dynamics(*dynamics, joint);
    });
    read_part(joint.fault, [&] {
      if (const XmlElement* mimic = element.child("mimic"); mimic && joint.moves()) read_mimic(*mimic, joint);
    });
    element.ignore({"calibration", "safety_controller"});
    read_part(joint.fault, [&] { element.finish(); });

    UrdfLink& link = tree_.links[joint.child];
    if (link.parent_joint)
      fail(child.place,
           fmt::format("link '{}' hangs from joint '{}' and from joint '{}'", printable(link.name),
                       printable(tree_.joints[*link.parent_joint].name), printable(joint.name)),
           "a URDF is a tree and holds no closed loop: remove one of the two joints");
    link.parent_joint = tree_.joints.size();
    tree_.links[joint.parent].child_joints.push_back(tree_.joints.size());
    tree_.joints.push_back(std::move(joint));
  }

  void read_mimic(const XmlElement& xml, UrdfJoint& joint) {
    UrdfElement element(xml, beside_);
    UrdfMimic mimic;
    mimic.place = xml.place;
    mimic.joint = element.without_blanks(element.at("joint"));
    if (const XmlAttribute* multiplier = element.find_filled("multiplier")) mimic.multiplier = number_of(*multiplier);
    if (const XmlAttribute* offset = element.find_filled("offset")) mimic.offset = number_of(*offset);
    element.finish();
    joint.mimic = mimic;
  }

  static UrdfJointType read_type(const XmlAttribute& type) {
    const std::vector<std::string> types{"revolute", "continuous", "prismatic", "fixed", "floating", "planar"};
    const auto found = std::find(types.begin(), types.end(), type.value);
    if (found == types.end())
      fail(type.place, fmt::format("unknown joint type '{}'", printable(type.value)), suggestion(type.value, types));
    return static_cast<UrdfJointType>(found - types.begin());
  }

  Vec3<double> read_axis(const XmlElement& xml, const std::string& joint) {
    UrdfElement element(xml, beside_);
    const XmlAttribute& xyz = element.at("xyz");
    element.finish();
    const auto numbers = numbers_of(xyz, 3);
    const Vec3<double> axis(numbers[0], numbers[1], numbers[2]);
    const double length = axis.norm();
    if (length < 1e-9)
      fail(xyz.place, fmt::format("joint '{}' has a zero axis", printable(joint)), "give a direction, e.g. 0 0 1");
    if (std::abs(length - 1) > 1e-3)
      share(xyz.place, joint, fmt::format("its axis has length {:.6g}", length), "its direction is taken");
    return std::abs(length - 1) > 1e-12 ? Vec3<double>(axis / length) : axis;
  }

  void read_limits(const XmlElement* xml, UrdfJoint& joint) {
    const bool bounded = joint.type == UrdfJointType::revolute || joint.type == UrdfJointType::prismatic;
    if (!xml) {
      if (bounded) share(joint.place, joint.name, "no <limit>", "taken as unlimited; URDF asks for one");
      return;
    }
    UrdfElement element(*xml, beside_);
    joint.limits_place = xml->place;
    const XmlAttribute* lower = element.find_filled("lower");
    const XmlAttribute* upper = element.find_filled("upper");
    Limits limits;
    if (bounded && (lower || upper)) {  // one that is missing is 0 [URDF]
      limits.lower = lower ? bound_of(*lower, joint) : 0;
      limits.upper = upper ? bound_of(*upper, joint) : 0;
      const bool crossed = *limits.lower > *limits.upper;
      if (crossed)
        doubt_of(joint.name, (lower ? lower : upper)->place,
                 fmt::format("lower limit {} is above upper limit {}", *limits.lower, *limits.upper), "swap them",
                 "the lower limit is above the upper one", "taken as unlimited");
      const bool both_zero = *limits.lower == 0 && *limits.upper == 0;
      if (crossed || both_zero) {
        limits.lower.reset();
        limits.upper.reset();
      }
      if (both_zero)
        share(xml->place, joint.name, "lower and upper limit are both 0", "taken as unlimited: the joint is to move");
      for (std::optional<double>* bound : {&limits.lower, &limits.upper})
        if (*bound && std::isinf(**bound)) bound->reset();
    } else if (bounded) {
      share(xml->place, joint.name, "neither lower nor upper limit", "taken as unlimited");
    } else if (joint.type == UrdfJointType::continuous && (lower || upper)) {
      warn_of_endless(lower, upper, joint);
    }
    const auto magnitude =
        [&](const char* name) -> std::optional<double> {  // zero, -1 and 1e30 say that it is not known
      const XmlAttribute* attribute = element.find_filled(name);
      const double number = attribute ? number_or_infinity(*attribute) : 0;
      const bool known = number > 0 && number <= largest_limit;
      if (attribute && !known && joint.moves())
        share(attribute->place, joint.name, fmt::format("{} is {}", name, number), "taken as unknown");
      return known ? std::optional(number) : std::nullopt;
    };
    limits.torque = magnitude("effort");
    limits.velocity = magnitude("velocity");
    limits.acceleration = magnitude("acceleration");
    element.finish();
    if (joint.moves() && joint.type != UrdfJointType::prismatic && limits.velocity && *limits.velocity > 100)
      share(xml->place, joint.name, fmt::format("a velocity limit of {} rad/s", *limits.velocity),
            "is this in degrees per second?");
    if (joint.moves()) joint.limits = limits;
  }

  /// A joint of type continuous turns without end [URDF], whatever limits stand there; zeros and whole turns say nothing else.
  void warn_of_endless(const XmlAttribute* lower, const XmlAttribute* upper, const UrdfJoint& joint) {
    const double low = lower ? number_or_infinity(*lower) : 0, high = upper ? number_or_infinity(*upper) : 0;
    constexpr double half_turn = 0.999 * pi;
    if ((low == 0 && high == 0) || (low < -half_turn && high > half_turn)) return;
    share((lower ? lower : upper)->place, joint.name, "position limits of a continuous joint",
          "they are left out: it turns without end; write type=\"revolute\" where it does not");
  }

  /// Infinite where it stands for none.
  double bound_of(const XmlAttribute& attribute, const UrdfJoint& joint) {
    const double bound = number_or_infinity(attribute), size = std::abs(bound);
    const bool turns = joint.type == UrdfJointType::revolute;
    if (size > (turns ? most_turns : endless_range)) {
      if (std::isfinite(size))
        share(attribute.place, joint.name, turns ? "a position limit beyond 1000 rad" : "a position limit beyond 1e6 m",
              "taken as unlimited");
      return std::copysign(INFINITY, bound);
    }
    if (turns && size > 2 * largest_angle && !is_whole_in_degrees(size))
      doubt_of(joint.name, attribute.place, fmt::format("{} {} looks like degrees", attribute.name, bound),
               fmt::format("angles are in radians: {}", exact_text(bound * deg)), "position limits look like degrees",
               "taken as given, in radians");
    if (!turns && size > longest_offset && size <= longest_range)
      share(attribute.place, joint.name, fmt::format("a position limit beyond {} m", longest_offset),
            "is it in millimetres?");
    if (!turns && size > longest_range)
      doubt_of(joint.name, attribute.place, fmt::format("{} {} looks like millimetres", attribute.name, bound),
               fmt::format("lengths are in metres: {}", exact_text(bound / 1000)),
               "position limits look like millimetres", "taken as given, in metres");
    return bound;
  }

  /// A wrist that turns by 2700 deg: no number that is in degrees is a whole one when it is taken for radians.
  static bool is_whole_in_degrees(double radians) {
    const double degrees = radians / deg;
    return std::abs(degrees - std::round(degrees)) < 1e-3;
  }

  void read_dynamics(const XmlElement& xml, UrdfJoint& joint) {
    UrdfElement element(xml, beside_);
    joint.friction_place = xml.place;
    CoulombViscous friction;
    const auto magnitude = [&](const char* name) {
      const XmlAttribute* attribute = element.find_filled(name);
      const double number = attribute ? number_of(*attribute) : 0;
      if (number < 0)
        doubt_of(joint.name, attribute->place, fmt::format("{} is {}", name, number), "a magnitude cannot be negative",
                 fmt::format("{} is negative", name), "taken as zero");
      return std::max(0.0, number);
    };
    friction.coulomb = magnitude("friction");
    friction.viscous = magnitude("damping");
    element.finish();
    if (!(friction == CoulombViscous{})) joint.friction = friction;
  }

  /// Every link within reach of a root; a sketch cuts a loop open.
  void check_tree() {
    std::vector<bool> reached(tree_.links.size(), false);
    for (std::size_t i = 0; i < tree_.links.size(); ++i)
      if (!tree_.links[i].parent_joint) tree_.roots.push_back(i);
    tree_.order = tree_.roots;
    for (std::size_t first = 0, done = 0;; tree_.order.push_back(tree_.roots.back())) {
      for (; done < tree_.order.size(); ++done) {
        reached[tree_.order[done]] = true;
        for (const std::size_t joint : tree_.links[tree_.order[done]].child_joints)
          tree_.order.push_back(tree_.joints[joint].child);
      }
      if (done == tree_.links.size()) return;
      while (reached[first]) ++first;
      place_or_leave([&] { cut_loop_above(first); });
    }
  }

  /// Parents of a link that no root reaches are reached by none, so they end in a loop.
  void cut_loop_above(std::size_t link) {
    std::set<std::size_t> passed;
    std::vector<std::size_t> loop;
    for (; passed.insert(link).second; link = tree_.joints[*tree_.links[link].parent_joint].parent)
      loop.push_back(link);
    loop.erase(loop.begin(), std::find(loop.begin(), loop.end(), link));
    const std::size_t cut = *tree_.links[link].parent_joint;
    auto& joints = tree_.links[tree_.joints[cut].parent].child_joints;
    joints.erase(std::find(joints.begin(), joints.end(), cut));
    tree_.links[link].parent_joint.reset();
    tree_.roots.push_back(link);
    fail(tree_.links[link].place, fmt::format("the joints close a loop through {}", names_of(loop)),
         "a URDF is a tree: remove the joint that closes the loop");
  }

  [[nodiscard]] std::string names_of(const std::vector<std::size_t>& links) const {
    std::vector<std::string> names;
    for (const std::size_t link : links) names.push_back(printable(tree_.links[link].name));
    return fmt::format("{}", fmt::join(some_of(names), ", "));
  }

  UrdfBeside beside_;
  bool sketch_;
  UrdfTree tree_;
  UrdfColours colours_;
  bool for_xacro_ = false;  // the file says it is, or was
  std::map<std::string, std::size_t> link_numbers_;
  std::set<std::string> joint_names_;
  std::map<std::pair<std::string, std::string>, Shared> shared_;  // by finding and hint
};

}  // namespace

std::vector<std::string> some_of(std::vector<std::string> names, std::size_t most) {
  if (names.size() <= most) return names;
  const std::size_t more = names.size() - most;
  names.resize(most);
  names.push_back(fmt::format("... ({} more)", more));
  return names;
}

std::string expand_xacro(const std::string& file) {
  std::string expanded = file.ends_with(".xacro") ? file.substr(0, file.size() - 6) : file;
  if (expanded.ends_with(".urdf")) expanded.resize(expanded.size() - 5);
  expanded += expanded + ".urdf" == file ? "_expanded.urdf" : ".urdf";
  return fmt::format("expand it first: `xacro {} > {}`", shell_word(file), shell_word(expanded));
}

Mat3<double> symmetric(const Mat3<double>& tensor) { return 0.5 * (tensor + tensor.transpose()); }

std::string shell_word(const std::string& text) {
  const char* plain = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-+=:,./@%";
  if (!text.empty() && text.find_first_not_of(plain) == std::string::npos) return text;
  std::string quoted = "'";
  for (const char c : text) quoted += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return quoted + "'";
}

std::string link_hint(const UrdfTree& tree, const std::string& name) {
  std::vector<std::string> names;
  for (const UrdfLink& link : tree.links) names.push_back(printable(link.name));
  if (!nearest_word(name, names) && names.size() > 12) {
    names.resize(12);
    names.emplace_back("...");
  }
  return suggestion(name, names);
}

UrdfTree read_urdf_tree(std::string_view text, const std::string& file, bool as_given) {
  return TreeReader(as_given).read(parse_xml(text, file));
}

UrdfTree sketch_urdf_tree(std::string_view text, const std::string& file) {
  return TreeReader(true, true).read(parse_xml(text, file));
}

}  // namespace armature::formats
