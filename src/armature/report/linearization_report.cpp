#include "armature/report/linearization_report.hpp"

#include "armature/core/text.hpp"

namespace armature::report {

Report linearization_report(const std::string& title, const std::vector<Mode>& modes, std::vector<Spectrum> responses) {
  Log log;
  LogTable table{"Modes", {"Re [1/s]", "Im [1/s]", "frequency [Hz]", "damping"}, {}};
  FigureSeries poles{"pole", {}, {}, FigureSeries::Style::points};
  for (const Mode& mode : modes) {
    table.rows.push_back({short_text(mode.eigenvalue.real()), short_text(mode.eigenvalue.imag()),
                          short_text(mode.frequency), short_text(mode.damping)});
    for (const double side : {1.0, -1.0}) {
      poles.x.push_back(mode.eigenvalue.real());
      poles.y.push_back(side * mode.eigenvalue.imag());
    }
  }
  if (!modes.empty()) {
    log.figures.push_back({"", "Poles", {"real part", "1/s"}, {"imaginary part", "1/s"}, {poles}});
    log.tables.push_back(std::move(table));
  }
  log.spectra = std::move(responses);
  return {.kind = "linearize", .title = title, .subtitle = "The plant linearized at its initial state", .logs = {log}};
}

}  // namespace armature::report
