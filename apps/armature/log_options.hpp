// What the verbs about measured logs ask for in the same words.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "armature/core/error.hpp"
#include "armature/identification/judgement.hpp"
#include "armature/run/identify_choice.hpp"
#include "command_line.hpp"
#include "setting_options.hpp"

namespace armature::app {

struct LogOptions {
  std::vector<std::string> logs, windows;
  SettingOptions settings;

  /// LOG ... and the settings of the processing.
  void add_to(Verb& verb);
  /// Reads the logs and checks every row. `standing_joints`: a joint that never moves is no fault.
  [[nodiscard]] std::unique_ptr<MeasuredLog> open(const Arm& arm, bool standing_joints) const;
  /// Of the logs, for titles.
  [[nodiscard]] std::string names() const;
  /// The settings of the processing, as they were typed.
  [[nodiscard]] ProcessingChoice choice() const;
  [[nodiscard]] Processing processing(const MeasuredLog& measured) const;
  /// What `make` returns; an error of its own that has no place gets that of the log.
  template <class F>
  auto placed(F make) const {
    try {
      return make();
    } catch (const FormatError&) {
      throw;  // has its place
    } catch (const NotConverged& error) {
      throw NotConverged(error.finding(), error.hint(), {names()});
    } catch (const Error& error) {
      throw Error(error.finding(), error.hint(), {names()});
    }
  }
};

/// Prints which columns of the log were used and what was done to its stamps.
void print_notes(const MeasuredLog& log);

}  // namespace armature::app
