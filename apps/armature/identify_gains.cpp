// armature identify --drive-gains: what a unit of each torque column is worth, from a payload that is known.
#include <fmt/format.h>

#include "armature/identification/drive_gains.hpp"
#include "identify_gains.hpp"
#include "json_out.hpp"
#include "text_table.hpp"

namespace armature::app {

int run_drive_gains(const LogOptions& loaded, const std::string& empty, const Arm& with, bool json) {
  if (!with.description().payload)
    throw Error("the arm's file describes no payload, and --drive-gains needs one that is known",
                "payload: {mass: 5 kg, com: [0, 0, 80 mm]} in the arm's file: what the log was measured with");
  ArmDescription bare = with.description();
  bare.payload.reset();
  const Arm without(bare);
  LogOptions others = loaded;
  others.logs = {empty};
  const std::unique_ptr<MeasuredLog> first = loaded.open(with, false), second = others.open(without, false);
  const MotionSource carrying = first->source(), free = second->source();
  const std::vector<DriveGain> gains = loaded.placed([&] {
    return drive_gains(with, without, carrying, default_processing(loaded.processing(*first), carrying, with.dof()),
                       free, default_processing(others.processing(*second), free, with.dof()));
  });
  Json list = Json::array();
  std::vector<std::vector<std::string>> rows;
  std::string scale;
  bool all = true, any = false;
  for (int j = 0; j < with.dof(); ++j) {
    const DriveGain& g = gains[static_cast<std::size_t>(j)];
    Json entry{{"joint", with.joint(j).name}, {"determined", g.determined}, {"payload_torque_rms", g.load}};
    if (g.determined) {
      entry["gain"] = g.gain;
      entry["interval_95"] = {g.gain - g.half_width, g.gain + g.half_width};
    }
    list.push_back(entry);
    rows.push_back({with.joint(j).name, g.determined ? short_text(g.gain) : "the payload hardly shows",
                    g.determined ? short_text(g.half_width) : "", short_text(g.load)});
    scale += fmt::format("{}{}", j > 0 ? ", " : "", g.determined ? fmt::format("{:.6g}", g.gain) : "1");
    all = all && g.determined;
    any = any || g.determined;
  }
  if (json) {
    print_json(Json{{"arm", with.name()}, {"gains", list}});
    return any ? exit_done : exit_no;
  }
  fmt::print("{}", text_table({"joint", "torque a unit of the column", "± (95 %)", "payload's torque (RMS)"}, rows));
  if (any)
    fmt::print("\nIn a map (--map), times what it has already{}:\n  torque_scale: [{}]\n",
               all ? "" : "; 1 stands where this payload and these motions tell nothing", scale);
  else
    fmt::print("\nThe payload shows at no joint: a heavier one, or postures in which it pulls.\n");
  return any ? exit_done : exit_no;
}

}  // namespace armature::app
