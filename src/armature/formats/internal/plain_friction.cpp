#include "armature/formats/internal/plain_friction.hpp"

namespace armature::formats {

namespace {

std::string with_offset(std::string left_out, double offset) {
  if (offset == 0) return left_out;
  return left_out.empty() ? "constant torque" : left_out + " and constant torque";
}

struct PlainVisitor {
  PlainFriction operator()(const NoFriction&) const { return {}; }
  PlainFriction operator()(const CoulombViscous& f) const { return {f, ""}; }
  PlainFriction operator()(const Stribeck& f) const {
    return {{f.coulomb, f.viscous}, with_offset(f.stiction > f.coulomb ? "Stribeck effect" : "", f.offset)};
  }
  PlainFriction operator()(const ThreeSigmoid& f) const {
    return {{f.f[0] + f.f[1] + f.f[2], f.viscous}, with_offset("friction at low speed", f.offset)};
  }
  PlainFriction operator()(const LuGre& f) const { return {{f.coulomb, f.sigma2}, "presliding and Stribeck effect"}; }
  PlainFriction operator()(const AsymmetricFriction& f) const {
    const bool same = f.coulomb_positive == f.coulomb_negative && f.viscous_positive == f.viscous_negative;
    return {{(f.coulomb_positive + f.coulomb_negative) / 2, (f.viscous_positive + f.viscous_negative) / 2},
            with_offset(same ? "" : "difference between the directions of friction", f.offset)};
  }
  PlainFriction operator()(const LoadDependent& f) const {
    return {{f.coulomb, f.viscous}, f.load_coefficient == 0 ? "" : "friction by load"};
  }
};

}  // namespace

PlainFriction plain_friction(const Friction& friction) { return std::visit(PlainVisitor{}, friction); }

}  // namespace armature::formats
