// armature identify --drive-gains: what a unit of each torque column is worth, from a payload that is known.
#include "identify_gains.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "armature/run/identify_answer.hpp"
#include "json_out.hpp"
#include "text_table.hpp"

namespace armature::app {

int run_drive_gains(const LogOptions& loaded, const std::string& empty, const Arm& with, bool json) {
  LogOptions others = loaded;
  others.logs = {empty};
  const std::unique_ptr<MeasuredLog> carrying = loaded.open(with, false), free = others.open(with, false);
  const std::vector<DriveGain> gains =
      loaded.placed([&] { return drive_gains_by_payload(with, *carrying, *free, loaded.choice()); });
  const auto told = std::count_if(gains.begin(), gains.end(), [](const DriveGain& g) { return g.determined; });
  if (json) {
    print_json(Json::parse(drive_gains_json(with, gains)));
    return told > 0 ? exit_done : exit_no;
  }
  std::vector<std::vector<std::string>> rows;
  std::vector<std::string> scale;
  for (int j = 0; j < with.dof(); ++j) {
    const DriveGain& g = gains[j];
    rows.push_back({with.joint(j).name, g.determined ? short_text(g.gain) : "the payload hardly shows",
                    g.determined ? short_text(g.half_width) : "", short_text(g.load)});
    scale.push_back(g.determined ? fmt::format("{:.6g}", g.gain) : "1");
  }
  fmt::print("{}", text_table({"joint", "torque a unit of the column", "± (95 %)", "payload's torque (RMS)"}, rows));
  if (told > 0)
    fmt::print("\nIn a map (--map), times what it has already{}:\n  torque_scale: [{}]\n",
               told == with.dof() ? "" : "; 1 stands where this payload and these motions tell nothing",
               fmt::join(scale, ", "));
  else
    fmt::print("\nThe payload shows at no joint: a heavier one, or postures in which it pulls.\n");
  return told > 0 ? exit_done : exit_no;
}

}  // namespace armature::app
