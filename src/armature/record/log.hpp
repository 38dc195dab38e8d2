// What a run or an experiment leaves behind: named channels over time, and whatever else a page is drawn from.
#pragma once

#include <array>
#include <complex>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace armature {

/// A quantity over the log's time: "q1" in "rad". A value that was not recorded is NaN.
struct Channel {
  std::string name;
  std::string unit;
  std::vector<double> values;
};

/// Something that happened at a time: "stick joint 2".
struct LogEvent {
  double time = 0;  // [s]
  std::string kind;
  std::string detail;
};

/// A table of text, first row of `rows` below the `header`.
struct LogTable {
  std::string title;
  std::vector<std::string> header;
  std::vector<std::vector<std::string>> rows;
};

/// A frequency response: output over input at each frequency.
struct Spectrum {
  std::string name;
  std::string input, output, unit;
  std::vector<double> frequency;  // [Hz]
  std::vector<std::complex<double>> response;
  std::vector<double> coherence;  // empty where it was not estimated
};

/// Text in Markdown, or an equation in LaTeX.
struct LogText {
  enum class Kind { markdown, latex };
  Kind kind = Kind::markdown;
  std::string title, text;
};

/// What is needed to draw a moving arm without knowing the arm: for every frame the names of the seven channels of its
/// pose (x y z qw qx qy qz), and a body's ellipsoid of inertia in that frame.
struct SceneFrame {
  std::string name;
  int parent = -1;                           // frame to which a line is drawn; -1: none
  std::array<std::string, 7> channels;       // of the pose in the world
  std::array<double, 3> ellipsoid_centre{};  // [m]
  std::array<double, 3> ellipsoid_axes{};    // half lengths [m]; zero: nothing to draw
  std::array<double, 4> ellipsoid_turn{1, 0, 0, 0};
};

struct Log {
  std::string title;
  std::vector<std::pair<std::string, std::string>> facts;  // scenario, version, seed, command, ...
  std::vector<double> time;                                // [s], increasing
  std::vector<Channel> channels;
  std::vector<LogEvent> events;
  std::vector<LogTable> tables;
  std::vector<Spectrum> spectra;
  std::vector<LogText> texts;
  std::vector<SceneFrame> scene;
  std::string incomplete;  // why the log ends early; empty for a complete one

  /// The channel of that name. Throws Error with the nearest name where there is none.
  [[nodiscard]] const Channel& channel(std::string_view name) const;
  [[nodiscard]] Channel& channel(std::string_view name);
  [[nodiscard]] bool has(std::string_view name) const;
  /// Adds an empty channel with room for the log's length; throws Error when the name is taken.
  Channel& add(std::string name, std::string unit);
};

/// The log between two times, both included.
Log cut(const Log& log, double from, double to);

}  // namespace armature
