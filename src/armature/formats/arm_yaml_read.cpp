#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <set>

#include "armature/core/text.hpp"
#include "armature/formats/arm_yaml.hpp"
#include "armature/formats/internal/arm_fields.hpp"

namespace armature::formats {

namespace {

Vec3<double> vector_of(const Yaml& value, const std::string& what, const FileUnit& unit) {
  const std::vector<double> numbers = quantities_of(value, what, unit, 3);
  return {numbers[0], numbers[1], numbers[2]};
}

Placement placement_of(const Yaml& value, const std::string& what);
std::vector<Shape> shapes_of(const Yaml& value, const std::string& what);

/// Reads the fields of a list (arm_fields.hpp) from a map; parts are left to their own readers.
class FieldReader {
 public:
  /// `prefix` begins the names of the values in messages: "joint 'elbow', limits, ".
  FieldReader(YamlMap& map, std::string prefix) : map_(map), prefix_(std::move(prefix)) {}

  void operator()(const char* key, double& field, const FileUnit& unit, Presence presence, const char*) {
    if (presence == Presence::required)
      field = quantity_of(map_.at(key), prefix_ + key, unit);
    else if (const Yaml* value = map_.find(key))
      field = quantity_of(*value, prefix_ + key, unit);
  }
  void operator()(const char* key, std::optional<double>& field, const FileUnit& unit, const char*) {
    if (const Yaml* value = map_.find(key)) field = quantity_of(*value, prefix_ + key, unit);
  }
  void operator()(const char* key, Vec3<double>& field, const FileUnit& unit, const char*) {
    if (const Yaml* value = map_.find(key)) field = vector_of(*value, prefix_ + key, unit);
  }
  void operator()(const char* key, std::vector<double>& field, const FileUnit& unit, const char*) {
    if (const Yaml* value = map_.find(key))
      field = quantities_of(*value, prefix_ + key, unit, list_of(*value, prefix_ + key).size());
  }
  template <class E>
  void operator()(const char* key, E& field, const std::vector<std::string>& words, const char*) {
    if (const Yaml* value = map_.find(key)) field = static_cast<E>(choice_of(*value, prefix_ + key, words));
  }
  void operator()(const char* key, std::string& field, const char*) {
    if (const Yaml* value = map_.find(key)) field = text_of(*value, prefix_ + key);
  }
  void operator()(const char* key, Placement& field, const char*) {
    if (const Yaml* value = map_.find(key)) field = placement_of(*value, prefix_ + key);
  }
  void operator()(const char* key, std::vector<Shape>& field, const char*) {
    if (const Yaml* value = map_.find(key)) field = shapes_of(*value, prefix_ + key);
  }
  void operator()(const char* key, std::optional<Flexibility>& field, const char* rigidity, const JointUnits& units,
                  const char*, const char*) {
    const Yaml* value = map_.find(key);
    if (!value) return;
    YamlMap numbers(*value, prefix_ + key);
    list_fields(field.emplace(), rigidity, units, [&](const char* name, const auto&...) { numbers.allow(name); });
    list_fields(*field, rigidity, units, FieldReader(numbers, prefix_ + key + ", "));
    numbers.finish();
  }
  void operator()(const char*, const Part&, const char*) {}

 private:
  YamlMap& map_;
  std::string prefix_;
};

/// All keys of the list are allowed before the first is missed, so that a missing one is not confused with its
/// neighbour.
template <class Record, class... Units>
void read_fields(YamlMap& map, Record& record, const Units&... units) {
  list_fields(record, units..., [&](const char* key, const auto&...) { map.allow(key); });
  list_fields(record, units..., FieldReader(map, map.what() + ", "));
}

std::string optional_text(YamlMap& map, const char* key) {
  const Yaml* value = map.find(key);
  return value ? text_of(*value, fmt::format("{}, {}", map.what(), key)) : std::string{};
}

Placement placement_of(const Yaml& value, const std::string& what) {
  YamlMap map(value, what);
  Placement placement;
  read_fields(map, placement);
  map.finish();
  return placement;
}

void read_inertia(const Yaml& value, const std::string& what, MassProperties& mass) {
  YamlMap map(value, what);
  read_fields(map, mass);
  mass.tensor = Mat3<double>(mass.tensor.selfadjointView<Eigen::Upper>());
  map.finish();
}

/// Mass, centre and inertia from the map of a link or payload; nothing where it has none of them.
std::optional<MassProperties> mass_of(YamlMap& map, bool centre_and_inertia_required) {
  const Yaml* com = map.find("com");
  const Yaml* first_moment = map.find("first_moment");
  const Yaml* inertia = map.find("inertia");
  const Yaml* mass = map.find("mass");
  if (!com && !first_moment && !inertia && !mass) return std::nullopt;
  MassProperties properties;
  properties.mass = quantity_of(map.at("mass"), map.what() + ", mass", file_unit::kg);
  if (com && first_moment)
    throw FormatError(map.what() + " has both com and first_moment", "keep one of them", first_moment->place);
  if (first_moment) {
    properties.position_is_first_moment = true;
    properties.position = vector_of(*first_moment, map.what() + ", first_moment", file_unit::kg_m);
  } else if (com || centre_and_inertia_required) {
    properties.position = vector_of(map.at("com"), map.what() + ", com", file_unit::m);
  }
  if (inertia || centre_and_inertia_required) read_inertia(map.at("inertia"), map.what() + ", inertia", properties);
  properties.source = optional_text(map, "source");
  return properties;
}

Limits limits_of(const Yaml& value, const std::string& what, const JointUnits& units) {
  YamlMap map(value, what);
  Limits limits;
  if (const Yaml* position = map.find("position")) {
    const std::string name = what + ", position";
    if (position->kind != Yaml::Kind::list || position->list.size() != 2)
      throw FormatError(name + " must be a pair", "write [lower, upper]; `none` where there is no limit",
                        position->place);
    const auto side = [&](const Yaml& bound) {
      return bound.text == "none" ? std::nullopt : std::optional(quantity_of(bound, name, units.range));
    };
    limits.lower = side(position->list[0]);
    limits.upper = side(position->list[1]);
  }
  read_fields(map, limits, units);
  map.finish();
  return limits;
}

Drive drive_of(const Yaml& value, const std::string& what, const JointUnits& units) {
  YamlMap map(value, what);
  Drive drive;
  read_fields(map, drive, units);
  map.finish();
  return drive;
}

JointSpring spring_of(const Yaml& value, const std::string& what, const JointUnits& units) {
  YamlMap map(value, what);
  JointSpring spring;
  read_fields(map, spring, units);
  map.finish();
  return spring;
}

FlexibleLink flexible_of(const Yaml& value, const std::string& what) {
  YamlMap map(value, what);
  FlexibleLink link;
  read_fields(map, link);
  map.finish();
  return link;
}

template <std::size_t... Index>
Friction law_by_number(std::size_t number, std::index_sequence<Index...>) {
  Friction law;
  ((number == Index ? void(law = std::variant_alternative_t<Index, Friction>{}) : void()), ...);
  return law;
}

void read_friction(const Yaml& value, const std::string& what, const JointUnits& units, JointDescription& joint) {
  constexpr auto laws = std::make_index_sequence<std::variant_size_v<Friction>>{};
  YamlMap map(value, what);
  joint.friction = law_by_number(choice_of(map.at("law"), what + ", law", friction_laws), laws);
  std::visit([&](auto& law) { read_fields(map, law, units); }, joint.friction);
  list_friction(joint, FieldReader(map, what + ", "));
  map.finish();
}

constexpr std::array shape_kinds{"box", "cylinder", "sphere", "mesh"};

Shape shape_of(const Yaml& value, const std::string& what) {
  YamlMap map(value, what);
  Shape shape;
  const Yaml* given = nullptr;
  for (std::size_t k = 0; k < shape_kinds.size(); ++k) {
    const Yaml* found = map.find(shape_kinds[k]);
    if (!found) continue;
    if (given) throw FormatError(what + " is two shapes", "write each after its own `- `", found->place);
    given = found;
    shape.kind = static_cast<Shape::Kind>(k);
  }
  read_fields(map, shape);
  if (const Yaml* colour = map.find("colour")) {
    const auto numbers = quantities_of(*colour, what + ", colour", file_unit::number, 4);
    for (const double number : numbers)
      if (number < 0 || number > 1)
        throw FormatError(what + fmt::format(", colour: {} is not between 0 and 1", number),
                          "write [red, green, blue, opacity]", colour->place);
    shape.colour = {numbers[0], numbers[1], numbers[2], numbers[3]};
  }
  const Yaml* scale = map.find("scale");
  if (scale && shape.kind != Shape::Kind::mesh)
    throw FormatError(what + " has a scale and is no mesh", "remove it", scale->place);
  if (!given) throw FormatError(what + " is no shape", "write box, cylinder, sphere or mesh", value.place);
  map.finish();
  switch (shape.kind) {
    case Shape::Kind::box:
      shape.size = vector_of(*given, what + ", box", file_unit::m);
      break;
    case Shape::Kind::cylinder: {
      YamlMap sizes(*given, what + ", cylinder");
      shape.size = {quantity_of(sizes.at("radius"), what + ", radius", file_unit::m),
                    quantity_of(sizes.at("length"), what + ", length", file_unit::m), 0};
      sizes.finish();
      break;
    }
    case Shape::Kind::sphere:
      shape.size = {quantity_of(*given, what + ", sphere", file_unit::m), 0, 0};
      break;
    case Shape::Kind::mesh:
      shape.mesh = text_of(*given, what + ", mesh");
      if (scale) shape.size = vector_of(*scale, what + ", scale", file_unit::number);
      return shape;
  }
  if (shape.size.minCoeff() < 0) throw FormatError(what + " has a negative size", "sizes are positive", given->place);
  return shape;
}

std::vector<Shape> shapes_of(const Yaml& value, const std::string& what) {
  std::vector<Shape> shapes;
  for (const Yaml& one : list_of(value, what))
    shapes.push_back(shape_of(one, fmt::format("{} {}", what, shapes.size() + 1)));
  return shapes;
}

class ArmReader {
 public:
  ParsedArm read(const Yaml& root) {
    YamlMap map(root, "the arm");
    ArmDescription& arm = parsed_.description;
    list_fields(arm, [&](const char* key, const auto&...) { map.allow(key); });
    const Yaml& name = map.at("arm");
    arm.name = name_of(name, "the arm's name");
    place_ = fmt::format("arm '{}'", printable(arm.name));
    parsed_.places["arm"] = parsed_.places[place_] = name.place;
    if (const Yaml* reason = map.find("unphysical")) arm.unphysical = reason_of(*reason);
    list_fields(arm, FieldReader(map, ""));
    for (const char* key : {"base", "tool"}) find(map, key);
    const Yaml& joints = map.at("joints");
    if (list_of(joints, "joints").empty())
      throw FormatError("the arm has no joints", "list them from base to tool, each after `- `", joints.place);
    for (const Yaml& joint : joints.list) read_joint(joint);
    if (const Yaml* couplings = map.find("couplings")) read_couplings(*couplings);
    if (const Yaml* payload = find(map, "payload")) {
      YamlMap payload_map(*payload, "payload");
      payload_map.at("mass");
      arm.payload = mass_of(payload_map, false);
      payload_map.finish();
    }
    map.finish();
    return std::move(parsed_);
  }

 private:
  /// The value of a key of the arm, its place noted.
  const Yaml* find(YamlMap& map, const char* key) {
    const Yaml* value = map.find(key);
    if (value) parsed_.places[fmt::format("{}, {}", place_, key)] = value->place;
    return value;
  }

  static std::string reason_of(const Yaml& value) {
    std::string reason = text_of(value, "unphysical");
    for (const char* word : {"", "true", "false", "yes", "no"})
      if (reason == word)
        throw FormatError("unphysical needs a reason", "say why the numbers are kept: `unphysical: as printed in ...`",
                          value.place);
    return reason;
  }

  void read_joint(const Yaml& value) {
    YamlMap map(value, fmt::format("joint {}", parsed_.description.joints.size() + 1));
    JointDescription joint;
    const Yaml& name = map.at("name");
    joint.name = name_of(name, "the joint's name");
    const std::string what = fmt::format("joint '{}'", printable(joint.name));
    map.rename(what);
    if (!joints_.insert(joint.name).second)
      throw FormatError(fmt::format("two joints are called '{}'", printable(joint.name)), "names must differ",
                        name.place);
    parsed_.places[what] = name.place;
    read_fields(map, joint);
    read_placement(map, what, joint);

    const JointUnits& units = units_of(joint.type);
    const auto moving = [&](const char* key) {
      const Yaml* part = map.find(key);
      if (part && joint.type == JointType::fixed)
        throw FormatError(fmt::format("{} is fixed and has {}", what, key),
                          "remove it, or give the joint a moving type", part->place);
      if (part) parsed_.places[fmt::format("{}, {}", what, key)] = part->place;
      return part;
    };
    if (const Yaml* limits = moving("limits")) joint.limits = limits_of(*limits, what + ", limits", units);
    if (const Yaml* friction = moving("friction")) read_friction(*friction, what + ", friction", units, joint);
    if (const Yaml* drive = moving("drive")) joint.drive = drive_of(*drive, what + ", drive", units);
    if (const Yaml* spring = moving("spring")) joint.spring = spring_of(*spring, what + ", spring", units);
    if (const Yaml* flexible = map.find("flexible")) {
      parsed_.places[what + ", flexible"] = flexible->place;
      joint.flexible = flexible_of(*flexible, what + ", flexible");
    }
    read_link(map.find("link"), name.place, joint);
    map.finish();
    parsed_.description.joints.push_back(std::move(joint));
  }

  static void read_placement(YamlMap& map, const std::string& what, JointDescription& joint) {
    const Yaml* dh = map.find("dh");
    const Yaml* origin = map.find("origin");
    const Yaml* axis = map.find("axis");
    if (dh && (origin || axis))
      throw FormatError(what + " has both a DH row and an origin or axis", "keep `dh`, or `origin` and `axis`",
                        (origin ? origin : axis)->place);
    if (dh) {
      DhRow row;
      YamlMap rows(*dh, what + ", dh");
      read_fields(rows, row);
      rows.finish();
      joint.placement = row;
      return;
    }
    if (!origin)
      throw FormatError(what + " has no place", "add `dh: {theta, d, a, alpha}`, or `origin: {xyz, rpy}` and `axis`",
                        map.place());
    OriginAxis placement;
    placement.origin = placement_of(*origin, what + ", origin");
    if (axis || joint.type != JointType::fixed)
      placement.axis = vector_of(map.at("axis"), what + ", axis", file_unit::number);
    joint.placement = placement;
  }

  void read_link(const Yaml* value, const Place& joint_place, JointDescription& joint) {
    joint.link.name = joint.name + "_link";
    Place place = value ? value->place : joint_place;
    if (value) {
      YamlMap map(*value, fmt::format("the link of joint '{}'", printable(joint.name)));
      if (const Yaml* name = map.find("name")) {
        joint.link.name = name_of(*name, "the link's name");
        place = name->place;
      }
      map.rename(fmt::format("link '{}'", printable(joint.link.name)));
      joint.link.mass = mass_of(map, true);
      list_fields(joint.link, FieldReader(map, map.what() + ", "));
      map.finish();
    }
    if (!links_.insert(joint.link.name).second)
      throw FormatError(fmt::format("two links are called '{}'", printable(joint.link.name)), "names must differ",
                        place);
    parsed_.places[fmt::format("link '{}'", printable(joint.link.name))] = place;
  }

  void read_couplings(const Yaml& value) {
    parsed_.places["couplings"] = value.place;
    YamlMap map(value, "couplings");
    const Yaml& matrix = map.at("matrix");
    const std::size_t n = list_of(matrix, "couplings, matrix").size();
    if (n == 0 || n > max_joints)
      throw FormatError(fmt::format("the matrix of couplings has {} rows", n), "one row per moving joint",
                        matrix.place);
    Eigen::MatrixXd C(n, n);
    for (std::size_t i = 0; i < n; ++i) {
      const auto row =
          quantities_of(matrix.list[i], fmt::format("row {} of the couplings", i + 1), file_unit::number, n);
      for (std::size_t j = 0; j < n; ++j) C(static_cast<int>(i), static_cast<int>(j)) = row[j];
    }
    parsed_.description.couplings = C;
    parsed_.description.couplings_source = optional_text(map, "source");
    map.finish();
  }

  ParsedArm parsed_;
  std::string place_;
  std::set<std::string> joints_, links_;
};

}  // namespace

ParsedArm read_arm_yaml(const Yaml& tree) { return ArmReader().read(tree); }

ParsedArm read_arm_yaml(std::string_view text, const std::string& file) {
  return read_arm_yaml(parse_yaml(text, file));
}

ArmDescription parse_arm_yaml(std::string_view text, const std::string& file) {
  return read_arm_yaml(text, file).description;
}

}  // namespace armature::formats
