#include "armature/plant/sensors.hpp"

#include <fmt/format.h>

#include <cmath>

#include "armature/core/error.hpp"

namespace armature::plant {

namespace {

double quantized(double x, double step) { return step > 0 ? step * std::nearbyint(x / step) : x; }

/// What a converter of so many bits makes of x; it saturates at ±range.
double converted(double x, int bits, double range) {
  if (range > 0 && std::abs(x) > range) x = std::copysign(range, x);
  return bits > 0 && range > 0 ? quantized(x, 2 * range / (std::exp2(bits) - 1)) : x;
}

void check_delay(int delay) {
  if (delay < 0 || delay > 1000) throw Error(fmt::format("a delay of {} ticks", delay), "0 to 1000 ticks");
}

}  // namespace

Sensors::Sensors(const Plant& plant, const SensorSettings& settings, double tick)
    : plant_(plant), settings_(settings), tick_(tick), random_(settings.seed) {
  check_delay(settings.delay);
  const auto noise = {settings.encoder_resolution, settings.position_noise, settings.speed_noise,
                      settings.torque_noise,       settings.force_noise,    settings.moment_noise};
  for (const double size : noise)
    if (!(size >= 0) || !std::isfinite(size))
      throw Error("a sensor's resolution or noise is negative", "standard deviations, zero for none");
  const double ranges[] = {settings.speed_range, settings.torque_range, settings.force_range, settings.moment_range};
  bool some = false;
  for (const double range : ranges) {
    if (!(range >= 0) || !std::isfinite(range))
      throw Error("a sensor's range is negative", "full scale, zero for none");
    some = some || range > 0;
  }
  if (settings.bits < 0 || settings.bits > 32 || (settings.bits > 0 && !some))
    throw Error(fmt::format("sensors of {} bits", settings.bits), "1 to 32 bits, over a range that is given");
  waiting_.resize(settings.delay + 1);
}

void shown_at(SensorSettings::Side side, const Plant& plant, const double* x, VecX<double>& q,
              VecX<double>& qd) noexcept {
  const int n = plant.dof(), axes = plant.axes();
  const PlantDescription& d = plant.description();
  const auto show = [&](const Eigen::MatrixXd& weights, const double* y, VecX<double>& shown) {
    if (side == SensorSettings::Side::joint || weights.size() == 0)
      shown = Eigen::Map<const Eigen::VectorXd>(y, n);
    else
      shown = weights.lazyProduct(Eigen::Map<const Eigen::VectorXd>(y, axes));
  };
  show(d.motor_encoders, x, q);
  show(d.motor_tachometers, x + axes, qd);
}

const Reading& Sensors::read(double t, const Eigen::VectorXd& x, const Eigen::VectorXd& u, const Modes& modes) {
  const int n = plant_.dof();
  Reading now;
  const auto noisy = [this](double value, double noise) {
    return noise > 0 ? value + noise * random_.normal() : value;
  };
  const auto sensed = [&](double value, double noise, double range) {
    return converted(noisy(value, noise), settings_.bits, range);
  };
  shown_at(settings_.side, plant_, x.data(), now.q, now.qd);
  for (int i = 0; i < n; ++i) {
    now.q[i] = quantized(noisy(now.q[i], settings_.position_noise), settings_.encoder_resolution);
    now.qd[i] = sensed(now.qd[i], settings_.speed_noise, settings_.speed_range);
  }
  if (settings_.speed == SensorSettings::Speed::difference) {
    if (first_) last_q_ = now.q;
    now.qd = (now.q - last_q_) / tick_;
  }
  last_q_ = now.q;
  now.torque = plant_.drive_torque(x.data(), u.data(), modes);
  for (double& torque : now.torque) torque = sensed(torque, settings_.torque_noise, settings_.torque_range);
  if (!plant_.description().walls.empty() || !plant_.description().wrenches.empty())
    now.wrench = plant_.tool_wrench(t, x.data(), modes);
  for (double& force : now.wrench.head<3>()) force = sensed(force, settings_.force_noise, settings_.force_range);
  for (double& moment : now.wrench.tail<3>()) moment = sensed(moment, settings_.moment_noise, settings_.moment_range);
  if (first_) std::fill(waiting_.begin(), waiting_.end(), now);
  first_ = false;
  waiting_[next_] = std::move(now);
  next_ = (next_ + 1) % waiting_.size();  // the oldest
  return waiting_[settings_.delay == 0 ? 0 : next_];
}

Converter::Converter(int channels, const ConverterSettings& settings) : settings_(settings) {
  check_delay(settings.delay);
  if (settings.bits < 0 || settings.bits > 32 || (settings.bits > 0 && !(settings.range > 0)) || !(settings.range >= 0))
    throw Error(fmt::format("a converter of {} bits over ±{}", settings.bits, settings.range),
                "1 to 32 bits over a positive range, or neither");
  waiting_.assign(settings.delay + 1, Eigen::VectorXd::Zero(channels));
}

const Eigen::VectorXd& Converter::convert(const Eigen::VectorXd& command) {
  Eigen::VectorXd& u = waiting_[next_];
  u = command;
  for (double& value : u) value = converted(value, settings_.bits, settings_.range);
  next_ = (next_ + 1) % waiting_.size();
  return waiting_[next_];
}

void SensorSettings::fields(Fields& f) {
  f.word("side", side, {"joint", "motor"}, "where encoders and tachometers sit: behind elastic gears they differ");
  f.angle("encoder", encoder_resolution, "resolution at the joint; zero: exact", Range::not_negative);
  f.angle("position_noise", position_noise, "standard deviation", Range::not_negative);
  f.word("speed", speed, {"tachometer", "difference"}, "measured, or the backward difference of the positions");
  f.number("speed_noise", speed_noise, dimension::rate, "standard deviation of the tachometer", Range::not_negative);
  f.number("torque_noise", torque_noise, dimension::torque, "standard deviation", Range::not_negative);
  f.number("force_noise", force_noise, dimension::force, "standard deviation", Range::not_negative);
  f.number("moment_noise", moment_noise, dimension::torque, "standard deviation", Range::not_negative);
  f.integer("bits", bits, "of the analogue-to-digital converters of what has a range; zero: exact",
            Range::not_negative);
  f.number("speed_range", speed_range, dimension::rate, "full scale ± of the tachometer; zero: no limit",
           Range::not_negative);
  f.number("torque_range", torque_range, dimension::torque, "full scale ± of the torque sensors", Range::not_negative);
  f.number("force_range", force_range, dimension::force, "full scale ± of the wrench sensor", Range::not_negative);
  f.number("moment_range", moment_range, dimension::torque, "full scale ± of the wrench sensor", Range::not_negative);
  f.integer("delay", delay, "ticks from plant to controller", Range::not_negative);
}

void ConverterSettings::fields(Fields& f) {
  f.integer("bits", bits, "of the digital-to-analogue converter; zero: exact", Range::not_negative);
  f.number("range", range, dimension::none, "full scale ± in the unit of the command; zero: none", Range::not_negative);
  f.integer("delay", delay, "ticks from controller to plant", Range::not_negative);
}

}  // namespace armature::plant
