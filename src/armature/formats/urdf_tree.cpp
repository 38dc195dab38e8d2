#include "armature/formats/urdf_tree.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "armature/core/characters.hpp"
#include "armature/core/text.hpp"
#include "armature/core/units.hpp"
#include "armature/formats/xml.hpp"
#include "armature/model/arm.hpp"

namespace armature {

namespace {

constexpr double longest_offset = 10;              // [m] a larger one is in millimetres
constexpr double longest_range = 100;              // [m] of a prismatic joint
constexpr double largest_angle = 2 * pi * 1.0001;  // [rad] a larger one is in degrees
constexpr double heaviest_link = 1000;             // [kg] a heavier one is in grams

constexpr const char* expand_xacro = "expand it first: `xacro robot.urdf.xacro > robot.urdf`";

[[noreturn]] void fail(const Place& place, std::string finding, std::string hint) {
  throw FormatError(std::move(finding), std::move(hint), place);
}

std::vector<double> numbers_of(const XmlAttribute& attribute, std::size_t count) {
  std::vector<double> numbers;
  const std::string& text = attribute.value;
  for (std::size_t i = text.find_first_not_of(' '); i != std::string::npos;) {
    const std::size_t end = std::min(text.find(' ', i), text.size());
    const std::string word = text.substr(i, end - i);
    const auto number = parse_double(word);
    if (!number)
      fail(attribute.place, fmt::format("{}: '{}' is not a finite number", attribute.name, printable(word)),
           word.find(',') != std::string::npos    ? "separate numbers by spaces and write 0.5, not 0,5"
           : word.find("${") != std::string::npos ? expand_xacro
                                                  : "URDF numbers are SI, without a unit");
    numbers.push_back(*number);
    i = text.find_first_not_of(' ', end);
  }
  if (numbers.size() != count)
    fail(attribute.place, fmt::format("{} holds {} numbers, not {}", attribute.name, numbers.size(), count),
         count == 3 ? "write three numbers: x y z" : "write one number");
  return numbers;
}

double number_of(const XmlAttribute& attribute) { return numbers_of(attribute, 1)[0]; }

std::vector<double> magnitudes_of(const XmlAttribute& attribute, std::size_t count) {
  std::vector<double> numbers = numbers_of(attribute, count);
  for (const double number : numbers)
    if (number < 0)
      fail(attribute.place, fmt::format("{} is {}", attribute.name, number), "a magnitude cannot be negative");
  return numbers;
}

double magnitude_of(const XmlAttribute& attribute) { return magnitudes_of(attribute, 1)[0]; }

/// An element while it is read. The attributes and children asked for are those it may have: one that is nearly spelt
/// like them is an error, another is reported once and ignored (URDF is extended freely).
class Element {
 public:
  Element(const XmlElement& element, std::map<std::string, Place>& ignored) : element_(element), ignored_(ignored) {}

  const XmlAttribute* find(const char* name) {
    attributes_.emplace_back(name);
    for (const XmlAttribute& attribute : element_.attributes)
      if (attribute.name == name) return &attribute;
    return nullptr;
  }
  const XmlAttribute& at(const char* name) {
    if (const XmlAttribute* attribute = find(name)) return *attribute;
    for (const XmlAttribute& attribute : element_.attributes)
      judge_slip("attribute " + attribute.name, attribute.name, attributes_, {name}, attribute.place);
    fail(element_.place, fmt::format("<{}> has no attribute {}", element_.name, name),
         fmt::format("add {}=\"...\"", name));
  }
  std::string name_at(const char* name) {
    const XmlAttribute& attribute = at(name);
    if (const std::string flaw = flaw_of_name(attribute.value); !flaw.empty())
      fail(attribute.place, fmt::format("'{}' is not a name: it {}", printable(attribute.value), flaw), name_hint);
    return attribute.value;
  }
  std::vector<const XmlElement*> children(const char* name) {
    children_.emplace_back(name);
    std::vector<const XmlElement*> found;
    for (const XmlElement& child : element_.children)
      if (child.name == name) found.push_back(&child);
    return found;
  }
  const XmlElement* child(const char* name) {
    const auto found = children(name);
    if (found.size() > 1)
      fail(found[1]->place, fmt::format("<{}> has two <{}>", element_.name, name), "keep one of them");
    return found.empty() ? nullptr : found[0];
  }
  const XmlElement& child_at(const char* name) {
    if (const XmlElement* found = child(name)) return *found;
    for (const XmlElement& other : element_.children)
      judge_slip("<" + other.name + ">", other.name, children_, {name}, other.place);
    fail(element_.place, fmt::format("<{}> has no <{}>", element_.name, name), fmt::format("add <{} .../>", name));
  }
  /// Says what is known to be of no concern here.
  void ignore(std::initializer_list<const char*> names) {
    children_.insert(children_.end(), names.begin(), names.end());
  }

  void finish() {
    for (const XmlAttribute& attribute : element_.attributes)
      judge("attribute " + attribute.name, attribute.name, attributes_, attribute.place);
    for (const XmlElement& child : element_.children) judge("<" + child.name + ">", child.name, children_, child.place);
  }
  [[nodiscard]] const Place& place() const { return element_.place; }

 private:
  /// Throws where `name`, which is none of those `known`, is nearly one of those `meant`; true where it is another.
  bool judge_slip(const std::string& what, const std::string& name, const std::vector<std::string>& known,
                  const std::vector<std::string>& meant, const Place& place) const {
    if (std::find(known.begin(), known.end(), name) != known.end()) return false;
    if (name.starts_with("xacro:")) fail(place, fmt::format("{} is a xacro macro", printable(what)), expand_xacro);
    if (name.find(':') != std::string::npos) return false;  // of another namespace
    if (const auto near = nearest_word(name, meant))
      fail(place, fmt::format("unknown {} in <{}>", printable(what), element_.name),
           fmt::format("did you mean {}?", *near));
    return true;
  }
  void judge(const std::string& what, const std::string& name, const std::vector<std::string>& known,
             const Place& place) {
    if (judge_slip(what, name, known, known, place))
      ignored_.emplace(fmt::format("unknown {} in <{}>", printable(what), element_.name), place);
  }

  const XmlElement& element_;
  std::map<std::string, Place>& ignored_;
  std::vector<std::string> attributes_, children_;
};

/// A mesh is never opened here, but whoever draws the arm will: its path must stay in the folder or package of the file.
void check_mesh_path(const XmlAttribute& filename) {
  std::string path = filename.value;
  std::replace(path.begin(), path.end(), '\\', '/');
  const auto leaves = [&](const char* why) {
    fail(filename.place, fmt::format("the mesh '{}' {}", printable(filename.value), why),
         "use a path below the file's folder, or package://name/...");
  };
  for (const char* scheme : {"package://", "model://"})
    if (path.starts_with(scheme)) path = path.substr(std::string(scheme).size());
  if (path.find("://") != std::string::npos) leaves("is outside the file's folder");
  if (path.starts_with('/') || path.substr(1, 1) == ":" || path.starts_with('~')) leaves("has an absolute path");
  int depth = 0;
  for (std::size_t i = 0; i < path.size();) {
    const std::size_t end = std::min(path.find('/', i), path.size());
    const std::string part = path.substr(i, end - i);
    if (part == "..")
      --depth;
    else if (!part.empty() && part != ".")
      ++depth;
    if (depth < 0) leaves("leaves the file's folder");
    i = end + 1;
  }
}

/// A box, a cylinder, a sphere or a mesh: none of it is drawn here, but what is written must be one.
void check_shape(const XmlElement& shape) {
  for (const XmlAttribute& attribute : shape.attributes) {
    if (attribute.name == "filename") check_mesh_path(attribute);
    if (attribute.name == "size") magnitudes_of(attribute, 3);
    if (attribute.name == "radius" || attribute.name == "length") magnitude_of(attribute);
  }
}

class TreeReader {
 public:
  UrdfTree read(const XmlElement& root) {
    if (root.name != "robot")
      fail(root.place, fmt::format("the root element is <{}>, not <robot>", printable(root.name)),
           "is this file a URDF?");
    Element robot(root, ignored_);
    tree_.name = robot.name_at("name");
    tree_.place = root.place;
    robot.find("version");
    robot.ignore({"material", "transmission", "gazebo", "ros2_control", "sensor", "group"});
    const auto links = robot.children("link"), joints = robot.children("joint");
    robot.finish();  // first: a misspelt element is the reason for what would be missing
    for (const XmlElement* link : links) read_link(*link);
    for (const XmlElement* joint : joints) read_joint(*joint);
    if (tree_.links.empty()) fail(root.place, "the robot has no links", "add <link name=\"...\"> elements");
    check_tree();
    for (const auto& [finding, place] : ignored_) warn(place, finding, "it is ignored");
    return std::move(tree_);
  }

 private:
  void warn(const Place& place, const std::string& finding, const std::string& hint) {
    tree_.warnings.emplace_back(Error(finding, hint, place).what());
  }

  Placement read_origin(const XmlElement* origin) {
    Placement placement;
    if (!origin) return placement;
    Element element(*origin, ignored_);
    if (const XmlAttribute* xyz = element.find("xyz")) {
      const auto numbers = numbers_of(*xyz, 3);
      placement.xyz = Eigen::Map<const Vec3<double>>(numbers.data());
      if (const double largest = placement.xyz.cwiseAbs().maxCoeff(); largest > longest_offset)
        fail(xyz->place, fmt::format("xyz {} looks like millimetres", largest),
             fmt::format("lengths are in metres: {}", exact_text(largest / 1000)));
    }
    if (const XmlAttribute* rpy = element.find("rpy")) {
      const auto numbers = numbers_of(*rpy, 3);
      placement.rpy = Eigen::Map<const Vec3<double>>(numbers.data());
      if (const double largest = placement.rpy.cwiseAbs().maxCoeff(); largest > largest_angle)
        fail(rpy->place, fmt::format("rpy {} looks like degrees", largest),
             fmt::format("angles are in radians: {}", exact_text(largest * deg)));
    }
    element.finish();
    return placement;
  }

  void read_link(const XmlElement& xml) {
    Element element(xml, ignored_);
    UrdfLink link;
    link.name = element.name_at("name");
    element.find("type");
    link.place = link.mass_place = xml.place;
    if (!link_numbers_.emplace(link.name, tree_.links.size()).second)
      fail(xml.place, fmt::format("two links are called '{}'", printable(link.name)), "names must differ");
    if (const XmlElement* inertial = element.child("inertial")) {
      link.mass_place = inertial->place;
      link.mass = read_inertial(*inertial, link.name);
    }
    for (const char* kind : {"visual", "collision"})
      for (const XmlElement* shape : element.children(kind)) read_shape(*shape);
    element.ignore({"sensor", "gazebo", "contact"});
    element.finish();
    tree_.links.push_back(std::move(link));
  }

  std::optional<MassProperties> read_inertial(const XmlElement& xml, const std::string& link) {
    Element element(xml, ignored_);
    const Pose<double> X_LC = pose_of(read_origin(element.child("origin")));
    Element mass(element.child_at("mass"), ignored_);
    MassProperties properties;
    properties.mass = number_of(mass.at("value"));
    mass.finish();
    Element inertia(element.child_at("inertia"), ignored_);
    for (const char* name : {"ixx", "ixy", "ixz", "iyy", "iyz", "izz"}) inertia.find(name);
    const auto entry = [&](const char* name) { return number_of(inertia.at(name)); };
    const double xx = entry("ixx"), xy = entry("ixy"), xz = entry("ixz"), yy = entry("iyy"), yz = entry("iyz"),
                 zz = entry("izz");
    inertia.finish();
    element.finish();
    properties.position = X_LC.p;
    properties.tensor << xx, xy, xz, xy, yy, yz, xz, yz, zz;
    const std::string what = fmt::format("link '{}'", printable(link));
    if (properties.mass < 0)
      fail(mass.place(), fmt::format("{} has mass {} kg", what, properties.mass), "mass is positive");
    if (properties.mass == 0 && properties.tensor.isZero(0)) return std::nullopt;  // only a frame
    if (properties.mass > heaviest_link)
      warn(mass.place(), fmt::format("{} has {} kg", what, properties.mass), "is this in grams? URDF is in kilograms");
    if (X_LC.R != Mat3<double>::Identity()) properties.tensor = X_LC.R * properties.tensor * X_LC.R.transpose();
    return properties;
  }

  void read_shape(const XmlElement& xml) {
    Element element(xml, ignored_);
    element.find("name"), element.find("group");
    read_origin(element.child("origin"));
    element.ignore({"material", "verbose", "contact_coefficients"});
    if (const XmlElement* geometry = element.child("geometry")) {
      for (const XmlElement& shape : geometry->children) check_shape(shape);
    }
    element.finish();
  }

  std::size_t read_end(const XmlElement& xml) {
    Element element(xml, ignored_);
    const XmlAttribute& link = element.at("link");
    element.finish();
    const auto found = link_numbers_.find(link.value);
    if (found != link_numbers_.end()) return found->second;
    fail(link.place, fmt::format("there is no link '{}'", printable(link.value)), link_hint(tree_, link.value));
  }

  void read_joint(const XmlElement& xml) {
    Element element(xml, ignored_);
    UrdfJoint joint;
    joint.name = element.name_at("name");
    joint.place = joint.limits_place = joint.friction_place = xml.place;
    const std::string what = fmt::format("joint '{}'", printable(joint.name));
    if (!joint_names_.insert(joint.name).second)
      fail(xml.place, fmt::format("two joints are called '{}'", printable(joint.name)), "names must differ");
    joint.type = read_type(element.at("type"));
    joint.parent = read_end(element.child_at("parent"));
    const XmlElement& child = element.child_at("child");
    joint.child = read_end(child);
    if (joint.parent == joint.child)
      fail(child.place, what + " joins a link to itself", "parent and child must differ");
    joint.origin = read_origin(element.child("origin"));
    if (const XmlElement* axis = element.child("axis"); axis && joint.moves()) joint.axis = read_axis(*axis, what);
    read_limits(element.child("limit"), what, joint);
    if (const XmlElement* dynamics = element.child("dynamics"); dynamics && joint.moves())
      read_dynamics(*dynamics, joint);
    if (const XmlElement* mimic = element.child("mimic")) joint.mimic = mimic->place;
    element.ignore({"calibration", "safety_controller"});
    element.finish();

    UrdfLink& link = tree_.links[joint.child];
    if (link.parent_joint)
      fail(child.place,
           fmt::format("link '{}' hangs from joint '{}' and from joint '{}'", printable(link.name),
                       printable(tree_.joints[*link.parent_joint].name), printable(joint.name)),
           "a URDF is a tree: closed loops cannot be written in it");
    link.parent_joint = tree_.joints.size();
    tree_.links[joint.parent].child_joints.push_back(tree_.joints.size());
    tree_.joints.push_back(std::move(joint));
  }

  static UrdfJointType read_type(const XmlAttribute& type) {
    const std::vector<std::string> types{"revolute", "continuous", "prismatic", "fixed", "floating", "planar"};
    const auto found = std::find(types.begin(), types.end(), type.value);
    if (found == types.end())
      fail(type.place, fmt::format("unknown joint type '{}'", printable(type.value)), suggestion(type.value, types));
    return static_cast<UrdfJointType>(found - types.begin());
  }

  Vec3<double> read_axis(const XmlElement& xml, const std::string& what) {
    Element element(xml, ignored_);
    const XmlAttribute& xyz = element.at("xyz");
    element.finish();
    const auto numbers = numbers_of(xyz, 3);
    const Vec3<double> axis(numbers[0], numbers[1], numbers[2]);
    const double length = axis.norm();
    if (length < 1e-9) fail(xyz.place, what + " has a zero axis", "give a direction, e.g. 0 0 1");
    if (std::abs(length - 1) > 1e-6)
      fail(xyz.place, fmt::format("the axis of {} has length {:.6g}", what, length),
           fmt::format("an axis is a unit vector: {} {} {}", exact_text(axis[0] / length), exact_text(axis[1] / length),
                       exact_text(axis[2] / length)));
    return axis;
  }

  void read_limits(const XmlElement* xml, const std::string& what, UrdfJoint& joint) {
    const bool bounded = joint.type == UrdfJointType::revolute || joint.type == UrdfJointType::prismatic;
    if (!xml) {
      if (bounded) warn(joint.place, what + " has no <limit>", "it is taken as unlimited; URDF asks for one");
      return;
    }
    Element element(*xml, ignored_);
    joint.limits_place = xml->place;
    const XmlAttribute* lower = element.find("lower");
    const XmlAttribute* upper = element.find("upper");
    Limits limits;
    if (bounded && (lower || upper)) {  // one that is missing is 0 [URDF]
      limits.lower = lower ? bound_of(*lower, joint.type) : 0;
      limits.upper = upper ? bound_of(*upper, joint.type) : 0;
      if (*limits.lower > *limits.upper)
        fail((lower ? lower : upper)->place,
             fmt::format("{}: lower limit {} is above upper limit {}", what, *limits.lower, *limits.upper),
             "swap them");
    } else if (bounded) {
      warn(xml->place, what + " has neither lower nor upper limit", "it is taken as unlimited");
    }
    const auto magnitude = [&](const char* name) -> std::optional<double> {
      const XmlAttribute* attribute = element.find(name);
      const double number = attribute ? magnitude_of(*attribute) : 0;
      if (attribute && number == 0 && joint.moves())
        warn(attribute->place, fmt::format("{}: {} is 0", what, name), "it is taken as unknown");
      return number == 0 ? std::nullopt : std::optional(number);
    };
    limits.torque = magnitude("effort");
    limits.velocity = magnitude("velocity");
    limits.acceleration = magnitude("acceleration");
    element.finish();
    if (joint.type != UrdfJointType::prismatic && limits.velocity && *limits.velocity > 100)
      warn(xml->place, fmt::format("{} has a velocity limit of {} rad/s", what, *limits.velocity),
           "is this in degrees a second?");
    if (joint.moves()) joint.limits = limits;
  }

  static double bound_of(const XmlAttribute& attribute, UrdfJointType type) {
    const double bound = number_of(attribute), size = std::abs(bound);
    if (type == UrdfJointType::revolute && size > 2 * largest_angle && size <= 1000)  // beyond: a stand-in for "none"
      fail(attribute.place, fmt::format("{} {} looks like degrees", attribute.name, bound),
           fmt::format("angles are in radians: {}", exact_text(bound * deg)));
    if (type == UrdfJointType::prismatic && size > longest_range)
      fail(attribute.place, fmt::format("{} {} looks like millimetres", attribute.name, bound),
           fmt::format("lengths are in metres: {}", exact_text(bound / 1000)));
    return bound;
  }

  void read_dynamics(const XmlElement& xml, UrdfJoint& joint) {
    Element element(xml, ignored_);
    joint.friction_place = xml.place;
    CoulombViscous friction;
    if (const XmlAttribute* coulomb = element.find("friction")) friction.coulomb = magnitude_of(*coulomb);
    if (const XmlAttribute* viscous = element.find("damping")) friction.viscous = magnitude_of(*viscous);
    element.finish();
    if (!(friction == CoulombViscous{})) joint.friction = friction;
  }

  /// One root, and every link within its reach.
  void check_tree() {
    std::vector<std::size_t> roots;
    for (std::size_t i = 0; i < tree_.links.size(); ++i)
      if (!tree_.links[i].parent_joint) roots.push_back(i);
    if (roots.size() > 1)
      fail(tree_.links[roots[1]].place, fmt::format("several links have no parent: {}", names_of(roots)),
           "join them: a robot has one root link");
    if (!roots.empty()) tree_.order.push_back(roots[0]);
    for (std::size_t i = 0; i < tree_.order.size(); ++i)
      for (const std::size_t joint : tree_.links[tree_.order[i]].child_joints)
        tree_.order.push_back(tree_.joints[joint].child);
    if (tree_.order.size() == tree_.links.size()) return;
    std::vector<bool> reached(tree_.links.size(), false);
    for (const std::size_t link : tree_.order) reached[link] = true;
    std::size_t link = static_cast<std::size_t>(std::find(reached.begin(), reached.end(), false) - reached.begin());
    std::vector<std::size_t> loop;  // parents of an unreached link are unreached, so they end in a loop
    while (!reached[link]) {
      reached[link] = true;
      loop.push_back(link);
      link = tree_.joints[*tree_.links[link].parent_joint].parent;
    }
    loop.erase(loop.begin(), std::find(loop.begin(), loop.end(), link));
    fail(tree_.links[link].place, fmt::format("the joints close a loop through {}", names_of(loop)),
         "a URDF is a tree: remove the joint that closes the loop");
  }

  [[nodiscard]] std::string names_of(const std::vector<std::size_t>& links) const {
    std::vector<std::string> names;
    for (std::size_t i = 0; i < std::min<std::size_t>(links.size(), 8); ++i)
      names.push_back(printable(tree_.links[links[i]].name));
    if (links.size() > 8) names.emplace_back("...");
    return fmt::format("{}", fmt::join(names, ", "));
  }

  UrdfTree tree_;
  std::map<std::string, std::size_t> link_numbers_;
  std::set<std::string> joint_names_;
  std::map<std::string, Place> ignored_;
};

}  // namespace

std::string link_hint(const UrdfTree& tree, const std::string& name) {
  std::vector<std::string> names;
  for (const UrdfLink& link : tree.links) names.push_back(printable(link.name));
  if (!nearest_word(name, names) && names.size() > 12) {
    names.resize(12);
    names.emplace_back("...");
  }
  return suggestion(name, names);
}

UrdfTree read_urdf_tree(std::string_view text, const std::string& file) {
  return TreeReader().read(parse_xml(text, file));
}

}  // namespace armature
