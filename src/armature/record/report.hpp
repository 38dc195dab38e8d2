// What one page is drawn from: a heading, verdicts and logs.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "armature/record/log.hpp"

namespace armature::record {

/// One statement, what is said of it elsewhere, what we found, and whether it holds.
struct Claim {
  std::string id;     // "modes"
  std::string says;   // in our words
  std::string paper;  // what the paper gives
  std::string ours;   // what came out here
  bool holds = false;
  std::string remark{};  // why it differs, what was chosen
  bool tried = true;     // false: something is missing; the remark says what
};

/// Triangles of one colour. Points are corners of a grid of 65536 steps along each side of a box.
struct SceneMeshPart {
  std::array<double, 4> colour{};       // all zero: none of its own
  std::array<double, 3> low{}, size{};  // of the box [m, before the shape's factors]
  std::string points,
      triangles;  // base64 of little-endian numbers: three 16-bit ones a point, three 32-bit ones a triangle
};
struct SceneMesh {
  std::string name;
  std::vector<SceneMeshPart> parts;
};

/// A report is what a page shows: one log or several, under one title.
struct Report {
  std::string kind;   // the verb that made it: "simulate", "study", ...
  std::string title;  // "rrr_pd_step"
  std::string subtitle{};
  std::vector<Claim> claims{};
  std::vector<std::pair<std::string, std::string>> facts{};  // version, command, ... for all logs
  std::vector<Log> logs{};
  std::vector<SceneMesh> meshes{};  // that the scenes of the logs name
};

}  // namespace armature::record

namespace armature {
using record::Report;
}  // namespace armature
