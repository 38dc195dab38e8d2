#include "arm_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "armature/core/units.hpp"
#include "armature/model/flexible.hpp"
#include "armature/model/spring_law.hpp"
#include "text_table.hpp"

namespace armature::app {

namespace {

using Rows = std::vector<std::vector<std::string>>;

/// Angles in degrees, rounded so that 90 deg given in rad reads 90.
std::string degrees(double angle) { return short_text(angle / deg) + "°"; }
std::string position_text(const JointDescription& joint, double value) {
  return joint.type == JointType::prismatic ? short_text(value) + " m" : degrees(value);
}
std::string acceleration_text(const JointDescription& joint, double value) {
  return short_text(value) + (joint.type == JointType::prismatic ? " m/s²" : " rad/s²");
}
std::string effort_text(const JointDescription& joint, double value) {
  return short_text(value) + (joint.type == JointType::prismatic ? " N" : " N m");
}
std::string vector_text(const Vec3<double>& v) {
  return fmt::format("{} {} {}", short_text(v[0]), short_text(v[1]), short_text(v[2]));
}
std::string rpy_text(const Vec3<double>& v) {
  return fmt::format("{} {} {}", degrees(v[0]), degrees(v[1]), degrees(v[2]));
}
const char* type_text(JointType type) {
  return type == JointType::revolute ? "revolute" : type == JointType::prismatic ? "prismatic" : "fixed";
}

std::string joints_table(const ArmDescription& d) {
  Rows rows;
  int moving = 0;
  for (const JointDescription& joint : d.joints) {
    std::vector<std::string> row{joint.type == JointType::fixed ? "" : fmt::format("{}", ++moving), joint.name,
                                 type_text(joint.type)};
    if (const auto* dh = std::get_if<DhRow>(&joint.placement)) {
      const bool turns = joint.type == JointType::revolute, slides = joint.type == JointType::prismatic;
      const auto variable = [&](bool is, const std::string& offset, double value) {
        return is ? fmt::format("q{}", moving) + (value == 0 ? "" : (value > 0 ? "+" : "") + offset) : offset;
      };
      row.insert(row.end(), {variable(turns, degrees(dh->theta), dh->theta), variable(slides, short_text(dh->d), dh->d),
                             short_text(dh->a), degrees(dh->alpha), "", "", ""});
    } else {
      const auto& [origin, axis] = std::get<OriginAxis>(joint.placement);
      row.insert(row.end(), {"", "", "", "", vector_text(origin.xyz), rpy_text(origin.rpy),
                             joint.type == JointType::fixed ? "" : vector_text(axis)});
    }
    rows.push_back(row);
  }
  return text_table({"", "joint", "type", "theta", "d [m]", "a [m]", "alpha", "xyz [m]", "rpy", "axis"}, rows);
}

std::string limits_text(const Arm& arm) {
  Rows rows;
  bool stated = false;
  for (int i = 0; i < arm.dof(); ++i) {
    const JointDescription& joint = arm.joint(i);
    const Limits& l = joint.limits;
    stated = stated || l.lower || l.upper || l.velocity || l.acceleration || l.torque;
    rows.push_back({fmt::format("{}", i + 1), joint.name, l.lower ? position_text(joint, *l.lower) : "",
                    l.upper ? position_text(joint, *l.upper) : "",
                    l.velocity ? position_text(joint, *l.velocity) + "/s" : "",
                    l.acceleration ? acceleration_text(joint, *l.acceleration) : "",
                    l.torque ? effort_text(joint, *l.torque) : ""});
  }
  if (!stated) return "\nLimits: none are stated\n";
  return "\nLimits\n" + text_table({"", "joint", "lower", "upper", "speed", "acceleration", "torque"}, rows);
}

std::string links_table(const ArmDescription& d) {
  Rows rows;
  for (const JointDescription& joint : d.joints) {
    const LinkDescription& link = joint.link;
    const Inertia<double> inertia = link.mass ? inertia_of(*link.mass) : Inertia<double>{};
    std::vector<std::string> row{link.name, short_text(inertia.m)};
    if (inertia.m != 0) {
      for (const double x : Vec3<double>(inertia.h / inertia.m)) row.push_back(short_text(x));
      for (const double moment : judge_body(inertia).principal_moments) row.push_back(short_text(moment));
    }
    row.resize(8);
    rows.push_back(row);
  }
  return text_table({"link", "mass [kg]", "com x [m]", "y", "z", "principal [kg m²]", "", ""}, rows);
}

std::string friction_text(const Friction& friction) {
  struct Law {
    std::string operator()(const NoFriction&) const { return ""; }
    std::string operator()(const CoulombViscous& f) const {
      return fmt::format("Coulomb {}, viscous {}", short_text(f.coulomb), short_text(f.viscous));
    }
    std::string operator()(const Stribeck& f) const {
      return fmt::format("Stribeck: Coulomb {}, static {}, below {} /s, viscous {}", short_text(f.coulomb),
                         short_text(f.stiction), short_text(f.stribeck_velocity), short_text(f.viscous));
    }
    std::string operator()(const ThreeSigmoid& f) const {
      std::string text = "sigmoids";
      for (std::size_t k = 0; k < f.f.size(); ++k)
        if (f.f[k] != 0) text += fmt::format(" {}·tanh({} v)", short_text(f.f[k]), short_text(f.w[k]));
      return text + fmt::format(", viscous {}", short_text(f.viscous));
    }
    std::string operator()(const LuGre& f) const {
      return fmt::format("LuGre: Coulomb {}, static {}, sigma {} {} {}", short_text(f.coulomb), short_text(f.stiction),
                         short_text(f.sigma0), short_text(f.sigma1), short_text(f.sigma2));
    }
    std::string operator()(const AsymmetricFriction& f) const {
      return fmt::format("Coulomb +{} -{}, viscous +{} -{}, offset {}", short_text(f.coulomb_positive),
                         short_text(f.coulomb_negative), short_text(f.viscous_positive), short_text(f.viscous_negative),
                         short_text(f.offset));
    }
    std::string operator()(const LoadDependent& f) const {
      return fmt::format("Coulomb {} + {} of the load, viscous {}{}", short_text(f.coulomb),
                         short_text(f.load_coefficient), short_text(f.viscous),
                         f.offset == 0 ? "" : ", offset " + short_text(f.offset));
    }
  };
  return std::visit(Law{}, friction);
}

/// The units of friction torques or forces, and of their slopes over speed.
const char* friction_units(const JointDescription& joint) {
  return joint.type == JointType::prismatic ? "[N, N s/m]" : "[N m, N m s/rad]";
}

std::string drives_table(const Arm& arm) {
  Rows rows;
  bool alike = true;  // all joints turn, or all slide: the header has the units of friction
  for (int i = 1; i < arm.dof(); ++i) alike = alike && arm.joint(i).type == arm.joint(0).type;
  for (int i = 0; i < arm.dof(); ++i) {
    const JointDescription& joint = arm.joint(i);
    const Drive& d = joint.drive;
    const bool slides = joint.type == JointType::prismatic;
    const auto text = [](const std::optional<double>& value, const char* unit) {
      return value ? short_text(*value) + unit : std::string();
    };
    std::string friction = friction_text(joint.friction);
    if (!friction.empty() && !alike) friction += fmt::format(" {}", friction_units(joint));
    rows.push_back({fmt::format("{}", i + 1), joint.name, friction, text(d.gear_ratio, slides ? " rad/m" : ""),
                    text(d.rotor_inertia, " kg m²"), text(d.torque_constant, " N m/A"),
                    text(d.stiffness, slides ? " N/m" : " N m/rad"), text(d.backlash, slides ? " m" : " rad")});
  }
  const bool any = std::any_of(rows.begin(), rows.end(), [](const auto& row) {
    return std::any_of(row.begin() + 2, row.end(), [](const std::string& cell) { return !cell.empty(); });
  });
  if (!any) return "";
  const std::string friction = alike ? fmt::format("friction {}", friction_units(arm.joint(0))) : "friction";
  return text_table({"", "joint", friction, "gear", "rotor", "torque constant", "stiffness", "backlash"}, rows);
}

/// What holds the joint against its spring, and the same at the ends of its range.
std::string spring_text(const JointDescription& joint) {
  const JointSpring& s = *joint.spring;
  const bool slides = joint.type == JointType::prismatic;
  if (s.stiffness)
    return fmt::format("{} {}, at rest at {} {}", short_text(*s.stiffness), slides ? "N/m" : "N m/rad",
                       short_text(s.rest.value_or(0)), slides ? "m" : "rad");
  if (!s.torque.empty()) return fmt::format("{} = {}", slides ? "force" : "torque", s.torque);
  if (s.sine || s.cosine)
    return fmt::format("torque = {}*sin(q) + {}*cos(q)", short_text(s.sine.value_or(0)),
                       short_text(s.cosine.value_or(0)));
  return fmt::format("a table of {} points, {} to {} {}", s.positions.size(), short_text(s.positions.front()),
                     short_text(s.positions.back()), slides ? "m" : "rad");
}

std::string springs_table(const Arm& arm) {
  Rows rows;
  for (int i = 0; i < arm.dof(); ++i) {
    if (!arm.joint(i).spring) continue;
    const auto& law = arm.springs()[i];
    const Limits& limits = arm.joint(i).limits;
    std::string text = spring_text(arm.joint(i));
    const auto end = [&](const std::optional<double>& q) {
      return q ? short_text(law->torque<double>(*q)) : std::string();
    };
    const bool lines = text.find('\n') != std::string::npos;
    rows.push_back({fmt::format("{}", i + 1), arm.joint(i).name, lines ? "a formula of several lines" : text,
                    end(limits.lower), short_text(law->torque<double>(0)), end(limits.upper)});
  }
  if (rows.empty()) return "";
  return text_table({"", "joint", "what holds it", "at the lower limit", "at zero", "at the upper limit [N m | N]"},
                    rows);
}

/// Motor angles over gear ratios as sums of joint angles: "motor 5 = q5 + 0.3 q4"; empty where each has its own.
std::string couplings_text(const Arm& arm) {
  if (!arm.description().couplings) return "";
  std::string text;
  for (int i = 0; i < arm.dof(); ++i) {
    std::string sum;
    for (int j = 0; j < arm.dof(); ++j) {
      const double factor = arm.couplings()(i, j);
      if (factor == 0) continue;
      sum += sum.empty() ? (factor < 0 ? "-" : "") : (factor < 0 ? " - " : " + ");
      sum += (std::abs(factor) == 1 ? "" : short_text(std::abs(factor)) + " ") + fmt::format("q{}", j + 1);
    }
    text += fmt::format("  motor {} over its gear ratio = {}\n", i + 1, sum);
  }
  return text;
}

/// At the far end of the beam [N/m], or [N m/rad] where it twists.
double end_stiffness(const Beam& beam, const BeamFlexibility& way) {
  return way.name == "twist" ? torsional_stiffness(way.rigidity, beam.length)
                             : bending_stiffness(way.rigidity, beam.length);
}

/// One row for every way in which a link yields.
std::string flexible_table(const ArmDescription& d) {
  Rows rows;
  for (const JointDescription& joint : d.joints) {
    if (!joint.flexible) continue;
    const Beam beam = beam_of(joint, d.convention);
    for (const BeamFlexibility& way : beam.ways) {
      const bool twists = way.name == "twist";
      const double stiffness = end_stiffness(beam, way);
      rows.push_back({joint.link.name, short_text(beam.length) + " m", short_text(beam.mass) + " kg", way.name,
                      short_text(way.rigidity), short_text(stiffness) + (twists ? " N m/rad" : " N/m"),
                      short_text(way.damping * stiffness) + (twists ? " N m s/rad" : " N s/m"),
                      fmt::format("{}", beam.segments)});
    }
  }
  if (rows.empty()) return "";
  return text_table({"link", "beam", "mass", "yields", "EI, GJ [N m²]", "stiffness at its end", "damping", "segments"},
                    rows);
}

Json flexible_json(const ArmDescription& d) {
  Json links = Json::array();
  for (const JointDescription& joint : d.joints) {
    if (!joint.flexible) continue;
    const Beam beam = beam_of(joint, d.convention);
    Json ways = Json::array();
    for (const BeamFlexibility& way : beam.ways)
      ways.push_back({{"name", way.name},
                      {"rigidity", way.rigidity},
                      {"stiffness", end_stiffness(beam, way)},
                      {"damping", way.damping * end_stiffness(beam, way)}});
    links.push_back({{"link", joint.link.name},
                     {"length", beam.length},
                     {"mass", beam.mass},
                     {"segments", beam.segments},
                     {"yields", std::move(ways)}});
  }
  return links;
}

double moving_mass(const Arm& arm) {
  double mass = 0;
  for (const Body& body : arm.bodies()) mass += body.inertia.m;
  return mass;
}

}  // namespace

std::string arm_text(const Arm& arm) {
  const ArmDescription& d = arm.description();
  std::string text;
  const auto line = [&](const char* what, const std::string& value) {
    if (!value.empty()) text += fmt::format("  {:<12}{}\n", what, wrapped(value, 14));
  };
  text += fmt::format("{}{}{}\n", d.name, d.description.empty() ? "" : ": ", d.description);
  line("source", d.source);
  line("unphysical", d.unphysical);
  line("joints", fmt::format("{} moving", arm.dof()));
  line("mass", fmt::format("{} kg in motion", short_text(moving_mass(arm))));
  const auto farthest = reach(arm);
  line("reach", farthest ? fmt::format("{} m from the axis of the first joint", short_text(*farthest))
                         : "not bounded: a sliding joint has no stops");
  line("gravity", vector_text(d.gravity) + " m/s²");
  if (!d.base.xyz.isZero(0) || !d.base.rpy.isZero(0))
    line("base", fmt::format("at {} m, rpy {}", vector_text(d.base.xyz), rpy_text(d.base.rpy)));
  if (!d.tool.xyz.isZero(0) || !d.tool.rpy.isZero(0))
    line("tool",
         fmt::format("at {} m, rpy {} in the last link's frame", vector_text(d.tool.xyz), rpy_text(d.tool.rpy)));
  if (d.payload) {
    const Inertia<double> payload = inertia_of(*d.payload);
    line("payload", fmt::format("{} kg in the tool frame", short_text(payload.m)));
  }
  line("notes", d.notes);
  const bool dh = !d.joints.empty() && std::holds_alternative<DhRow>(d.joints.front().placement);
  text += fmt::format("\n{}\n{}",
                      !dh                                      ? "Joints, each in the frame of the link before"
                      : d.convention == DhConvention::standard ? "Joints, standard DH"
                                                               : "Joints, modified DH",
                      joints_table(d));
  text += limits_text(arm);
  text += "\nLinks, each in its own frame\n" + links_table(d);
  if (const std::string drives = drives_table(arm); !drives.empty()) text += "\nFriction and drives\n" + drives;
  if (const std::string springs = springs_table(arm); !springs.empty()) text += "\nSprings\n" + springs;
  if (const std::string flexible = flexible_table(d); !flexible.empty()) text += "\nFlexible links\n" + flexible;
  if (const std::string couplings = couplings_text(arm); !couplings.empty()) text += "\nCouplings\n" + couplings;
  return text;
}

Json arm_json(const LoadedArm& loaded) {
  const Arm& arm = loaded.arm;
  const ArmDescription& d = arm.description();
  Json answer{{"name", d.name},   {"description", d.description}, {"source", d.source},           {"notes", d.notes},
              {"dof", arm.dof()}, {"mass", moving_mass(arm)},     {"gravity", json_of(d.gravity)}};
  if (!d.unphysical.empty()) answer["unphysical"] = d.unphysical;
  if (const auto farthest = reach(arm)) answer["reach"] = *farthest;
  answer["joints"] = Json::array();
  for (int i = 0; i < arm.dof(); ++i) {
    const JointDescription& joint = arm.joint(i);
    Json entry{{"name", joint.name}, {"type", type_text(joint.type)}, {"link", joint.link.name}};
    const auto add = [&](const char* key, const std::optional<double>& value) {
      if (value) entry[key] = *value;
    };
    add("lower", joint.limits.lower);
    add("upper", joint.limits.upper);
    add("velocity", joint.limits.velocity);
    add("acceleration", joint.limits.acceleration);
    add("torque", joint.limits.torque);
    add("gear_ratio", joint.drive.gear_ratio);
    add("rotor_inertia", joint.drive.rotor_inertia);
    if (const std::string friction = friction_text(joint.friction); !friction.empty()) entry["friction"] = friction;
    if (joint.spring) entry["spring"] = spring_text(joint);
    const Body& body = arm.body(i);
    entry["body"] = {{"mass", body.inertia.m},
                     {"first_moment", json_of(body.inertia.h)},
                     {"inertia_about_origin", json_of(body.inertia.I_Bo)},
                     {"position_in_parent", json_of(body.X_PB0.p)},
                     {"rotation_in_parent", json_of(body.X_PB0.R)}};
    answer["joints"].push_back(entry);
  }
  if (Json flexible = flexible_json(d); !flexible.empty()) answer["flexible_links"] = std::move(flexible);
  answer["frames"] = Json::array();
  for (const Frame& frame : arm.frames()) answer["frames"].push_back(frame.name);
  answer["warnings"] = loaded.warnings;
  return answer;
}

}  // namespace armature::app
