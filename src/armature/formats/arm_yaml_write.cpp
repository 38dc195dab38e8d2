#include <fmt/format.h>

#include <cmath>

#include "armature/core/text.hpp"
#include "armature/formats/arm_yaml.hpp"
#include "armature/formats/internal/arm_fields.hpp"

namespace armature::formats {

namespace {

/// "90 deg/s" for pi/2 in rad/s, if some short number of degrees reads back as exactly this number.
std::string in_degrees(double number, const FileUnit& unit) {
  const double degrees = number / deg;
  if (unit.text.substr(0, 3) != "rad" || unit.dimension.metre != 0 || std::abs(degrees) > 1e6) return {};
  const std::string name = " deg" + std::string(unit.text.substr(3));
  for (int decimals = 0; decimals <= 6; ++decimals) {
    const double rounded = parse_double(fmt::format("{:.{}f}", degrees, decimals)).value();
    const std::string text = exact_text(rounded) + name;
    if (parse_quantity(text, unit.dimension) == number) return text;
  }
  return {};
}

/// The shortest text that reads back as exactly this number.
std::string quantity_text(double number, const FileUnit& unit) {
  if (number == 0 && !std::signbit(number)) return "0";
  const std::string in_si =
      unit.text.empty() ? exact_text(number) : fmt::format("{} {}", exact_text(number), unit.text);
  const std::string degrees = in_degrees(number, unit);
  return !degrees.empty() && degrees.size() <= in_si.size() ? degrees : in_si;
}

std::string list_text(const std::vector<double>& numbers, const FileUnit& unit) {
  std::string text;
  for (const double number : numbers) text += (text.empty() ? "" : ", ") + quantity_text(number, unit);
  return "[" + text + "]";
}

std::string vector_text(const Vec3<double>& v, const FileUnit& unit) {
  return fmt::format("[{}, {}, {}]", quantity_text(v[0], unit), quantity_text(v[1], unit), quantity_text(v[2], unit));
}

/// Collects the "key: value" of a map in braces.
class Braces {
 public:
  void add(std::string_view key, std::string_view value) { entries_.push_back(fmt::format("{}: {}", key, value)); }
  void add_text(std::string_view key, std::string_view value) {
    if (!value.empty()) add(key, yaml_text(value));
  }
  void operator()(const char* key, double field, const FileUnit& unit, Presence, const char*) {
    add(key, quantity_text(field, unit));
  }
  void operator()(const char* key, const std::optional<double>& field, const FileUnit& unit, const char*) {
    if (field) add(key, quantity_text(*field, unit));
  }
  void operator()(const char* key, const Vec3<double>& field, const FileUnit& unit, const char*) {
    add(key, vector_text(field, unit));
  }
  template <class E>
  void operator()(const char* key, E field, const std::vector<std::string>& words, const char*) {
    add(key, words.at(static_cast<std::size_t>(field)));
  }
  void operator()(const char* key, const std::string& field, const char*) { add_text(key, field); }
  void operator()(const char* key, std::optional<Flexibility>& field, const char* rigidity, const JointUnits& units,
                  const char*, const char*) {
    if (!field) return;
    Braces numbers;
    list_fields(*field, rigidity, units, numbers);
    add(key, numbers.text());
  }
  void operator()(const char*, const Part&, const char*) {}
  [[nodiscard]] bool empty() const { return entries_.empty(); }
  /// On one line, or on several where it starts at `column` and the line would be too long.
  [[nodiscard]] std::string text(std::size_t column = 0) const {
    std::string out = "{";
    std::size_t used = column + 1;
    for (std::size_t i = 0; i < entries_.size(); ++i) {
      if (i > 0 && used + entries_[i].size() + 3 > 120) {
        out += ",\n" + std::string(column + 1, ' ');
        used = column + 1;
      } else if (i > 0) {
        out += ", ";
        used += 2;
      }
      out += entries_[i];
      used += entries_[i].size();
    }
    return out + "}";
  }

 private:
  std::vector<std::string> entries_;
};

std::string placement_text(Placement placement) {
  Braces line;
  list_fields(placement, line);
  return line.text();
}

bool is_identity(const Placement& placement) { return placement.xyz.isZero(0) && placement.rpy.isZero(0); }

Braces shape_text(const Shape& shape) {
  Braces line;
  const Vec3<double>& size = shape.size;
  switch (shape.kind) {
    case Shape::Kind::box:
      line.add("box", vector_text(size, file_unit::m));
      break;
    case Shape::Kind::cylinder:
      line.add("cylinder", fmt::format("{{radius: {}, length: {}}}", quantity_text(size[0], file_unit::m),
                                       quantity_text(size[1], file_unit::m)));
      break;
    case Shape::Kind::sphere:
      line.add("sphere", quantity_text(size[0], file_unit::m));
      break;
    case Shape::Kind::mesh:
      line.add("mesh", yaml_text(shape.mesh));
      if (size != Vec3<double>::Ones()) line.add("scale", vector_text(size, file_unit::number));
      break;
  }
  if (!shape.place.xyz.isZero(0)) line.add("xyz", vector_text(shape.place.xyz, file_unit::m));
  if (!shape.place.rpy.isZero(0)) line.add("rpy", vector_text(shape.place.rpy, file_unit::rad));
  if (shape.colour) {
    const auto& c = *shape.colour;
    line.add("colour",
             fmt::format("[{}, {}, {}, {}]", exact_text(c[0]), exact_text(c[1]), exact_text(c[2]), exact_text(c[3])));
  }
  return line;
}

class ArmWriter {
 public:
  std::string write(ArmDescription arm) {
    struct Visitor : Lines {
      ArmDescription& arm;
      using Lines::operator();
      void operator()(const char* key, const Part&, const char*) { writer.write_part(key, arm); }
    };
    list_fields(arm, Visitor{{*this, 0}, arm});
    return std::move(out_);
  }

 private:
  /// Writes the fields of a list as lines of their own.
  struct Lines {
    ArmWriter& writer;
    std::size_t indent;
    void operator()(const char* key, const std::string& field, const char*) { writer.add_text(indent, key, field); }
    void operator()(const char* key, const std::optional<double>& field, const FileUnit& unit, const char*) {
      if (field) writer.add(indent, key, quantity_text(*field, unit));
    }
    void operator()(const char* key, const std::vector<double>& field, const FileUnit& unit, const char*) {
      if (!field.empty()) writer.add(indent, key, list_text(field, unit));
    }
    void operator()(const char* key, const Vec3<double>& field, const FileUnit& unit, const char*) {
      writer.add(indent, key, vector_text(field, unit));
    }
    template <class E>
    void operator()(const char* key, E field, const std::vector<std::string>& words, const char*) {
      writer.add(indent, key, words.at(static_cast<std::size_t>(field)));
    }
    void operator()(const char* key, const Placement& field, const char*) {
      if (!is_identity(field)) writer.add(indent, key, placement_text(field));
    }
    void operator()(const char* key, const std::vector<Shape>& field, const char*) {
      writer.write_shapes(indent, key, field);
    }
    void operator()(const char*, const Part&, const char*) {}
  };

  void add(std::size_t indent, std::string_view key, std::string_view value) {
    out_ += fmt::format("{}{}: {}\n", std::string(indent, ' '), key, value);
  }
  void add_text(std::size_t indent, std::string_view key, std::string_view text) {
    if (!text.empty()) add(indent, key, yaml_text(text, indent + 2));
  }
  void add_map(std::size_t indent, std::string_view key, const Braces& line) {
    if (!line.empty()) add(indent, key, line.text(indent + key.size() + 2));
  }

  /// A key of the arm that is not written by its type alone.
  void write_part(std::string_view key, const ArmDescription& arm) {
    if (key == "arm") {
      add(0, key, yaml_text(arm.name));
    } else if (key == "unphysical") {
      add_text(0, key, arm.unphysical);
    } else if (key == "joints") {
      out_ += "joints:\n";
      for (const JointDescription& joint : arm.joints) write_joint(joint);
    } else if (key == "couplings" && arm.couplings) {
      out_ += "couplings:\n  matrix:\n";
      for (const auto& row : arm.couplings->rowwise()) {
        std::string numbers;
        for (const double number : row) numbers += (numbers.empty() ? "" : ", ") + exact_text(number);
        out_ += fmt::format("    - [{}]\n", numbers);
      }
      add_text(2, "source", arm.couplings_source);
    } else if (key == "payload" && arm.payload) {
      out_ += "payload:\n";
      write_mass(2, *arm.payload);
    }
  }

  void write_joint(JointDescription joint) {
    out_ += fmt::format("  - name: {}\n", yaml_text(joint.name));
    const JointUnits& units = units_of(joint.type);
    list_fields(joint, Lines{*this, 4});
    if (auto* row = std::get_if<DhRow>(&joint.placement)) {
      Braces line;
      list_fields(*row, line);
      add_map(4, "dh", line);
    } else {
      const auto& [origin, axis] = std::get<OriginAxis>(joint.placement);
      add(4, "origin", placement_text(origin));
      if (joint.type != JointType::fixed || axis != Vec3<double>::UnitZ())
        add(4, "axis", vector_text(axis, file_unit::number));
    }
    out_ += "    link:\n";
    add(6, "name", yaml_text(joint.link.name));
    if (joint.link.mass) write_mass(6, *joint.link.mass);
    list_fields(joint.link, Lines{*this, 6});
    if (joint.flexible) write_flexible(*joint.flexible);
    if (joint.type == JointType::fixed) return;  // no limits, friction or drive

    Braces limits;
    if (joint.limits.lower || joint.limits.upper) {
      const auto side = [&](const std::optional<double>& bound) {
        return bound ? quantity_text(*bound, units.range) : "none";
      };
      limits.add("position", fmt::format("[{}, {}]", side(joint.limits.lower), side(joint.limits.upper)));
    }
    list_fields(joint.limits, units, limits);
    add_map(4, "limits", limits);

    if (joint.friction.index() != 0 || !joint.friction_source.empty()) {
      Braces friction;
      friction.add("law", friction_laws[joint.friction.index()]);
      std::visit([&](auto& law) { list_fields(law, units, friction); }, joint.friction);
      list_friction(joint, friction);
      add_map(4, "friction", friction);
    }
    Braces drive;
    list_fields(joint.drive, units, drive);
    add_map(4, "drive", drive);
    if (joint.spring) {
      out_ += "    spring:\n";
      list_fields(*joint.spring, units, Lines{*this, 6});
    }
  }

  void write_flexible(FlexibleLink link) {
    Braces line;
    list_fields(link, line);
    add_map(4, "flexible", line);
  }

  void write_shapes(std::size_t indent, const char* key, const std::vector<Shape>& shapes) {
    if (!shapes.empty()) out_ += fmt::format("{}{}:\n", std::string(indent, ' '), key);
    for (const Shape& shape : shapes)
      out_ += fmt::format("{}- {}\n", std::string(indent + 2, ' '), shape_text(shape).text(indent + 4));
  }

  void write_mass(std::size_t indent, MassProperties mass) {
    add(indent, "mass", quantity_text(mass.mass, file_unit::kg));
    if (mass.position_is_first_moment)
      add(indent, "first_moment", vector_text(mass.position, file_unit::kg_m));
    else
      add(indent, "com", vector_text(mass.position, file_unit::m));
    Braces inertia;
    list_fields(mass, inertia);
    add_map(indent, "inertia", inertia);
    add_text(indent, "source", mass.source);
  }

  std::string out_;
};

}  // namespace

std::string write_arm_yaml(const ArmDescription& description) { return ArmWriter().write(description); }

}  // namespace armature::formats
