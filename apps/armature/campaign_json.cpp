#include "campaign_json.hpp"

namespace armature::app {

namespace {

Json probability_json(const Probability& p) {
  return {
      {"kept", p.kept}, {"runs", p.runs}, {"estimate", p.estimate}, {"interval", {p.interval.low, p.interval.high}}};
}

Json interval_json(const Interval& i) { return {number_or_null(i.low), number_or_null(i.high)}; }

}  // namespace

Json answers_json(const CampaignRuns& runs, const Answers& answers) {
  Json json{{"campaign", runs.campaign().name},
            {"runs", answers.runs},
            {"planned", runs.plan().runs()},
            {"confidence", default_level},
            {"level", answers.level}};
  json["all"] = probability_json(answers.all);
  json["ended_early"] = answers.ended_early;
  json["unbalanced"] = answers.unbalanced;
  json["requirements"] = Json::array();
  for (const RequirementAnswer& a : answers.requirements) {
    Json one{{"metric", a.requirement.metric},       {"bound", a.requirement.text},
             {"bound_si", a.requirement.bound},      {"unit", a.unit},
             {"nominal", number_or_null(a.nominal)}, {"probability", probability_json(a.probability)}};
    one["quantiles"] = Json::array();
    for (const QuantileAnswer& q : a.quantiles)
      one["quantiles"].push_back(
          {{"quantile", q.quantile}, {"value", number_or_null(q.value)}, {"interval", interval_json(q.interval)}});
    one["influences"] = Json::array();
    for (const Influence& i : a.influences) {
      Json influence{{"input", i.input}, {"rank_correlation", i.correlation}, {"interval", interval_json(i.interval)}};
      if (i.indices) {
        influence["first"] = i.indices->first;
        influence["first_interval"] = interval_json(i.indices->first_interval);
        influence["total"] = i.indices->total;
        influence["total_interval"] = interval_json(i.indices->total_interval);
      }
      one["influences"].push_back(std::move(influence));
    }
    one["worst"] = a.worst;
    json["requirements"].push_back(std::move(one));
  }
  return json;
}

}  // namespace armature::app
