#include "fit_json.hpp"

namespace armature::app {

void add_estimates(const DriveFit& fit, Json& answer) {
  answer["converged"] = fit.converged;
  answer["condition"] = fit.condition;
  answer["parameters"] = Json::array();
  for (const DriveEstimate& e : fit.parameters) {
    Json p{{"name", e.parameter.name},
           {"unit", e.parameter.unit},
           {"start", e.parameter.value},
           {"value", e.value},
           {"free", e.free}};
    if (e.free) p["determined"] = e.determined;
    if (e.free && e.determined) {
      p["deviation"] = e.deviation();
      p["interval_95"] = {e.low(), e.high()};
    }
    answer["parameters"].push_back(p);
  }
  answer["open"] = Json::array();
  for (const DriveFit::Open& open : fit.open) {
    Json share = Json::object();
    for (const auto& [name, exponent] : open.share) share[name] = exponent;
    answer["open"].push_back({{"spread", open.spread}, {"exponents", share}});
  }
}

}  // namespace armature::app
