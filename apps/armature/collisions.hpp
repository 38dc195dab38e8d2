// Whether links touch each other or the floor, by capsules around the shapes in the arm's file.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "armature/algorithms/clearance.hpp"
#include "armature/record/log.hpp"
#include "command_line.hpp"

namespace armature::app {

struct WatchedArm {
  ClearanceModel model;
  std::vector<std::pair<int, int>> left_out;  // capsules that are near each other at too many postures to say anything
  std::vector<std::string> unwatched;         // their links: "link 'a' and link 'c'"
  std::vector<std::string> unseen;            // links with shapes of which some are meshes that are not at hand
  std::string blind;                          // why nothing is watched; empty: something is
};

/// A capsule around every shape of the links: those of <collision> where a link has any and they are at hand, else those of <visual>.
/// Pairs that are nearer than `least` [m] at many postures are left out.
WatchedArm watched_arm(const Arm& arm, std::optional<double> floor, double least = 0);

/// Sentences about links that the capsules leave out and whose shapes overlap at some of these postures, but not at most of them, as they do
/// where that is how the arm is built.
std::vector<std::string> overlaps_left_out(const WatchedArm& watched, const Arm& arm,
                                           const std::vector<VecX<double>>& postures);

/// Says which links are not watched because their meshes are missing; empty: all are, or none.
std::string unseen_sentence(const WatchedArm& watched);

/// The height that --floor gives [m]; nothing for "none".
std::optional<double> parse_floor(const std::optional<std::string>& text);

/// "link 'a' and link 'b'", "link 'a' and the floor".
std::string names_of(const ClearanceModel& model, const Clearance& c);

/// Notes in the log, as events "collision", when links of the arm begin to overlap, and returns a sentence for each pair.
std::vector<std::string> note_collisions(Log& log, const Arm& arm);

}  // namespace armature::app
