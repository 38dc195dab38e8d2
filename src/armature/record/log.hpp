// What a run or an experiment leaves behind: named channels over time, and whatever else a page is drawn from.
#pragma once

#include <array>
#include <complex>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "armature/rooms.hpp"

namespace armature::record {

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
  std::string figure{};           // spectra of the same figure share its axes: "Fig 10"; empty: one of its own
};

/// Text in Markdown, or an equation in LaTeX.
struct LogText {
  enum class Kind { markdown, latex };
  Kind kind = Kind::markdown;
  std::string title, text;
};

/// Channels drawn over time in one plot, under the name of the figure they answer to.
struct TimeFigure {
  std::string name;   // "Fig 14"; may be empty
  std::string title;  // "Torque of joint 1, measured and predicted"
  std::vector<std::string> channels;
  std::string caption{};
};

struct FigureAxis {
  std::string label;  // "speed"
  std::string unit;   // "rad/s"
  bool logarithmic = false;
  std::vector<std::string> categories{};  // names that stand at 1, 2, 3, ... instead of numbers
};

/// One curve. With `low` and `high` an interval about y: bars at points, a band about a line.
struct FigureSeries {
  enum class Style { line, points, both, bars };
  std::string name;
  std::vector<double> x, y;  // NaN: a gap
  Style style = Style::line;
  std::vector<double> low{}, high{};
};

/// y over x, for whatever does not run over the log's time: friction curves, parameters with their intervals, a path in its
/// plane, convergence, residual spectra.
struct Figure {
  std::string name;   // of the figure it answers to: "Fig 14"; may be empty
  std::string title;  // "Friction of joint 1"
  FigureAxis x, y;
  std::vector<FigureSeries> series;
  bool equal_scale = false;  // a metre is as long along both axes
  std::string caption{};
};

/// Numbers in rows and columns, drawn as colours: the correlation of parameters, an inertia matrix.
struct MatrixFigure {
  std::string name, title;
  std::vector<std::string> rows, columns;
  std::vector<double> values;  // row by row; NaN: none
  double low = -1, high = 1;   // ends of the colour scale
  std::string caption{};
};

/// A solid at a frame of the scene.
struct SceneShape {
  enum class Kind { box, cylinder, sphere, mesh };
  Kind kind = Kind::box;
  std::array<double, 3> size{
      1, 1, 1};  // [m] box: edges; cylinder (about z): radius, length; sphere: radius; mesh: factors [-]
  std::array<double, 3> position{};        // of its centre, or the mesh's origin, in the frame [m]
  std::array<double, 4> turn{1, 0, 0, 0};  // quaternion w x y z
  std::array<double, 4> colour{};          // red, green, blue, opacity; all zero: none of its own
  std::string mesh{};                      // among Report::meshes; before they are read: the file as the arm names it,
  std::string folder{};                    // and the folder from which it does
};

/// What is needed to draw a moving arm without knowing the arm: frames, each with the ellipsoid of inertia of its body.
/// Either the seven channels of its pose in the world (x y z qw qx qy qz) are named, or it sits on its parent: at `position`
/// and `turn`, then moved about (or along) its own z by the channel `joint`.
struct SceneFrame {
  std::string name;
  int parent = -1;                           // frame to which a line is drawn; -1: none, the world
  std::array<std::string, 7> channels{};     // of the pose in the world; empty: as the parent carries it
  std::array<double, 3> ellipsoid_centre{};  // [m]
  std::array<double, 3> ellipsoid_axes{};    // half lengths [m]; zero: nothing to draw
  std::array<double, 4> ellipsoid_turn{1, 0, 0, 0};
  std::array<double, 3> position{};        // in the parent's frame [m]
  std::array<double, 4> turn{1, 0, 0, 0};  // quaternion w x y z
  std::string joint{}, reference{};        // channels of the joint's position and of the wanted one; empty: fixed
  bool slides = false;                     // along z; else it turns about it
  std::vector<SceneShape> shapes{};        // what its link looks like; empty: a rod to the next frame
};

/// An arrow at a frame's origin: a contact force.
struct SceneArrow {
  std::string name;
  int frame = 0;
  std::array<std::string, 3> channels;  // of the vector, in world axes
};

/// A wall. Events of the kind "contact" or "collision" are marked where the last frame is at their time.
struct ScenePlane {
  std::string name;
  std::array<double, 3> point{}, normal{0, 0, 1};
};

/// How far a channel may go; plots shade what lies beyond.
struct ChannelLimit {
  std::string channel;
  double value = 0;   // in the channel's unit
  bool upper = true;  // else it is the lowest
};

/// A log is what a run or an experiment leaves behind: channels over time, events, tables, figures and the scene to be drawn.
struct Log {
  Log();  // copying and destroying all this is compiled once, in log.cpp: sixty files would hold it otherwise
  ~Log();
  Log(const Log&);
  Log(Log&&) noexcept;
  Log& operator=(const Log&);
  Log& operator=(Log&&) noexcept;

  std::string title;
  std::vector<std::pair<std::string, std::string>> facts;  // scenario, version, seed, command, ...
  std::vector<double> time;                                // [s], increasing
  std::vector<Channel> channels;
  std::vector<LogEvent> events;
  std::vector<LogTable> tables;
  std::vector<Spectrum> spectra;
  std::vector<LogText> texts;
  std::vector<SceneFrame> scene;
  std::string incomplete;                  // why the log ends early; empty for a complete one
  std::vector<TimeFigure> time_figures{};  // empty: one plot per quantity
  std::vector<Figure> figures{};
  std::vector<MatrixFigure> matrices{};
  std::vector<SceneArrow> arrows{};
  std::vector<ScenePlane> planes{};
  std::vector<ChannelLimit> limits{};

  /// The channel of that name. Throws Error with the nearest name where there is none.
  [[nodiscard]] const Channel& channel(std::string_view name) const;
  [[nodiscard]] Channel& channel(std::string_view name);
  [[nodiscard]] bool has(std::string_view name) const;
  /// Adds an empty channel with room for the log's length; throws Error when the name is taken.
  Channel& add(std::string name, std::string unit);
};

/// The log between two times, both included.
Log cut(const Log& log, double from, double to);

}  // namespace armature::record

namespace armature {
using record::Log;
}  // namespace armature
