#include "armature/control/joint_filters.hpp"

#include <fmt/format.h>

#include <cmath>

namespace armature::control {

namespace {

double filter_frequency(const char* what, double f, double tick) {
  if (!(f > 0 && f < 0.5 / tick))
    throw Error(fmt::format("the filter's {} is {:g} Hz", what, f),
                fmt::format("above zero, and below the Nyquist frequency of the tick, {:g} Hz", 0.5 / tick));
  return 2 * pi * f;
}

}  // namespace

//  s = K (1 - z⁻¹)/(1 + z⁻¹) takes n2 s² + n1 s + n0 to
//  (n2 K² + n1 K + n0) + 2 (n0 - n2 K²) z⁻¹ + (n2 K² - n1 K + n0) z⁻², over (1 + z⁻¹)².
SampledFilter::SampledFilter(const FilterSettings& s, double tick) : tick_(tick) {
  const double w = filter_frequency("frequency", s.frequency, tick), K = w / std::tan(w * tick / 2);
  if (!(s.damping > 0) || !(s.zero_damping >= 0))
    throw Error("the filter's damping is not above zero, or its zero_damping is negative", "for example 0.7 and 0.1");
  if (s.pole != 0 && s.kind != FilterSettings::Kind::lead)
    throw Error("the filter has a pole of its own without being a lead", "kind: lead, or leave it out");
  struct Polynomial {
    double n2, n1, n0;
  };
  Polynomial zeros{1, 2 * s.zero_damping * w, w * w}, poles{1, 2 * s.damping * w, w * w};
  if (s.kind == FilterSettings::Kind::low_pass) zeros = {0, 0, w * w};
  if (s.kind == FilterSettings::Kind::lead) {
    zeros = {0, 1 / w, 1};
    poles = {0, 1 / filter_frequency("pole", s.pole, tick), 1};
  }
  const auto sampled = [K](const Polynomial& p, double& c0, double& c1, double& c2) {
    c0 = p.n2 * K * K + p.n1 * K + p.n0;
    c1 = 2 * (p.n0 - p.n2 * K * K);
    c2 = p.n2 * K * K - p.n1 * K + p.n0;
  };
  double a0 = 1;
  sampled(zeros, b0_, b1_, b2_);
  sampled(poles, a0, a1_, a2_);
  for (double* c : {&b0_, &b1_, &b2_, &a1_, &a2_}) *c /= a0;
}

double SampledFilter::update(double in, bool moves) noexcept {
  const double out = b0_ * in + z1_;
  if (moves && std::isfinite(out)) {
    z1_ = b1_ * in - a1_ * out + z2_;
    z2_ = b2_ * in - a2_ * out;
  }
  return out;
}

std::complex<double> SampledFilter::response(double frequency) const {
  const std::complex<double> back = std::polar(1.0, -2 * pi * frequency * tick_);
  return (b0_ + back * (b1_ + back * b2_)) / (1.0 + back * (a1_ + back * a2_));
}

JointFilters::JointFilters(const Arm& arm, const std::vector<FilterSettings>& settings, double tick) {
  for (std::size_t i = 0; i < settings.size(); ++i) {
    const FilterSettings& s = settings[i];
    if (s.joint < 0 || s.joint > arm.dof())
      throw Error(fmt::format("filters[{}] names joint {}", i, s.joint),
                  fmt::format("joints count from 1 to {}; 0 stands for all of them", arm.dof()));
    try {
      const SampledFilter filter(s, tick);
      for (int joint = 0; joint < arm.dof(); ++joint)
        if (s.joint == 0 || s.joint == joint + 1) stages_.push_back({joint, filter});
    } catch (const Error& error) {
      throw Error(fmt::format("filters[{}]: {}", i, error.finding()), error.hint());
    }
  }
}

void JointFilters::reset() noexcept {
  for (Stage& stage : stages_) stage.filter.reset();
}

void JointFilters::update(VecX<double>& x, double dt) noexcept {
  for (Stage& stage : stages_) x[stage.joint] = stage.filter.update(x[stage.joint], dt > 0);
}

void FilterSettings::fields(Fields& f) {
  f.word("kind", kind, {"notch", "low_pass", "lead"}, "what it does to the joint's feedback");
  f.integer("joint", joint, "number of the joint, from 1; 0: every joint", Range::not_negative);
  f.frequency("frequency", frequency, "frequency of the notch, the low-pass, or the zero of the lead, in Hz",
              Range::positive);
  f.number("damping", damping, dimension::none, "damping ratio of the poles of a notch or a low-pass", Range::positive);
  f.number("zero_damping", zero_damping, dimension::none, "damping ratio of the zeros of a notch", Range::not_negative);
  f.frequency("pole", pole, "pole of a lead, in Hz; below its frequency it is a lag", Range::not_negative);
}

}  // namespace armature::control
