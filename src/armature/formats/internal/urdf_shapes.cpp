#include "armature/formats/internal/urdf_shapes.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "armature/core/characters.hpp"
#include "armature/core/text.hpp"
#include "armature/formats/internal/urdf_numbers.hpp"
#include "armature/formats/text_file.hpp"

namespace armature::formats {

namespace {

const XmlElement* child_called(const XmlElement& xml, std::string_view name) {
  for (const XmlElement& child : xml.children)
    if (child.name == name) return &child;
  return nullptr;
}

const XmlAttribute* attribute_called(const XmlElement& xml, std::string_view name) {
  for (const XmlAttribute& attribute : xml.attributes)
    if (attribute.name == name) return &attribute;
  return nullptr;
}

const XmlAttribute& needed(const XmlElement& xml, std::string_view name) {
  if (const XmlAttribute* found = attribute_called(xml, name)) return *found;
  throw FormatError(fmt::format("<{}> has no attribute {}", xml.name, name), fmt::format("add {}=\"...\"", name),
                    xml.place);
}

/// The path of a mesh, written with slashes. A package without a name is the file's own folder, as some exporters write it.
std::string mesh_path(const XmlAttribute& filename) {
  std::string path = filename.value;
  std::replace(path.begin(), path.end(), '\\', '/');
  if (path.starts_with("package:///")) path = path.substr(std::string_view("package:///").size());
  const std::string found = path;
  const auto leaves = [&](const char* why) {
    throw FormatError(fmt::format("its mesh {}", why),
                      "use a path below the folder above the file's, or package://name/...", filename.place);
  };
  if (path.empty()) leaves("has no name");
  if (has_control_characters(path) || path.find_first_of("\n\r\t") != std::string::npos)
    leaves("has control characters in its name");
  int depth = 1;  // robots keep urdf/ beside meshes/
  for (const char* scheme : {"package://", "model://"})
    if (path.starts_with(scheme)) {
      path = path.substr(std::string(scheme).size());
      depth = 0;
    }
  if (path.find("://") != std::string::npos) leaves("is outside the file's folder");
  if (path.starts_with('/') || (path.size() > 1 && path[1] == ':') || path.starts_with('~'))
    leaves("has an absolute path");
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
  return found;
}

/// The colour that a <material> gives; nothing where it gives none that can be read, which no number depends on.
std::optional<std::array<double, 4>> colour_in(const XmlElement& material) {
  const XmlElement* colour = child_called(material, "color");
  const XmlAttribute* rgba = colour ? attribute_called(*colour, "rgba") : nullptr;
  if (!rgba) return std::nullopt;
  try {
    const std::vector<double> numbers = magnitudes_of(*rgba, 4);
    std::array<double, 4> result{};
    std::transform(numbers.begin(), numbers.end(), result.begin(), [](double x) { return std::min(x, 1.0); });
    return result;
  } catch (const FormatError&) {
    return std::nullopt;
  }
}

void add_colour(const XmlElement& material, UrdfColours& colours) {
  const XmlAttribute* name = attribute_called(material, "name");
  const auto colour = colour_in(material);
  if (name && colour) colours.emplace(name->value, *colour);
}

}  // namespace

UrdfColours read_urdf_colours(const XmlElement& robot) {
  UrdfColours colours;
  for (const XmlElement& part : robot.children) {
    if (part.name == "material") add_colour(part, colours);
    if (part.name != "link") continue;
    for (const XmlElement& visual : part.children)
      if (const XmlElement* material = child_called(visual, "material")) add_colour(*material, colours);
  }
  return colours;
}

std::vector<Shape> read_urdf_shapes(const XmlElement& xml, const UrdfColours& colours) {
  const XmlElement* geometry = child_called(xml, "geometry");
  if (!geometry) return {};
  Shape shape;
  std::vector<Shape> ends;  // of a capsule
  if (const XmlElement* box = child_called(*geometry, "box")) {
    const auto size = magnitudes_of(needed(*box, "size"), 3);
    shape.size = Eigen::Map<const Vec3<double>>(size.data());
  } else if (const XmlElement* cylinder = child_called(*geometry, "cylinder")) {
    shape.kind = Shape::Kind::cylinder;
    shape.size = {magnitude_of(needed(*cylinder, "radius")), magnitude_of(needed(*cylinder, "length")), 0};
  } else if (const XmlElement* capsule = child_called(*geometry, "capsule")) {
    const double radius = magnitude_of(needed(*capsule, "radius")), length = magnitude_of(needed(*capsule, "length"));
    shape.kind = Shape::Kind::cylinder;
    shape.size = {radius, length, 0};
    for (const double z : {-length / 2, length / 2})
      ends.push_back({.kind = Shape::Kind::sphere, .size = {radius, 0, 0}, .place = {.xyz = {0, 0, z}}});
  } else if (const XmlElement* sphere = child_called(*geometry, "sphere")) {
    shape.kind = Shape::Kind::sphere;
    shape.size = {magnitude_of(needed(*sphere, "radius")), 0, 0};
  } else if (const XmlElement* mesh = child_called(*geometry, "mesh")) {
    shape.kind = Shape::Kind::mesh;
    shape.mesh = mesh_path(needed(*mesh, "filename"));
    if (const XmlAttribute* scale = attribute_called(*mesh, "scale")) {
      const auto factors = numbers_of(*scale, 3);  // a negative one mirrors
      shape.size = Eigen::Map<const Vec3<double>>(factors.data());
    }
  } else {
    const std::string what = geometry->children.empty()
                                 ? "<geometry> is empty"
                                 : fmt::format("<{}> is not known here", printable(geometry->children[0].name));
    throw FormatError(what, "known: box, cylinder, sphere, capsule, mesh", geometry->place);
  }
  if (const XmlElement* material = child_called(xml, "material")) {
    shape.colour = colour_in(*material);
    const XmlAttribute* name = attribute_called(*material, "name");
    if (const auto known = name ? colours.find(name->value) : colours.end(); !shape.colour && known != colours.end())
      shape.colour = known->second;
  }
  std::vector<Shape> shapes{shape};
  for (Shape& end : ends) {
    end.colour = shape.colour;
    shapes.push_back(std::move(end));
  }
  return shapes;
}

}  // namespace armature::formats
