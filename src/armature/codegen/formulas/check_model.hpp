// Somebody's closed-form model against the library's, entry by entry, and which line of it is wrong.
#pragma once

#include "armature/model/arm.hpp"
#include "armature/numerics/formula.hpp"

namespace armature::codegen {

struct ModelCheck {
  /// Something the file says that can be compared.
  struct Entry {
    std::string name;   // "M12", "tau1 = r1 p", "q3"
    double right = 0;   // part of the random states in which it is [0, 1]
    std::string state;  // that shows it to be different: "q2 = 0.31, qd1 = -1.2"
    double expected = 0, found = 0;
    [[nodiscard]] bool equal() const { return right == 1; }
  };
  /// A line that is wrong.
  struct Blame {
    std::vector<std::string> names;
    int line = 0;
    std::string formula;               // as it stands
    std::string repair;                // the one edit that repairs it, in words; empty: there is none
    std::string repaired;              // the formula then
    bool too_long = false;             // the search for a repair would have taken too long
    std::vector<std::string> or_else;  // lines that would explain the same
    std::vector<std::string> spoils;   // entries that are different because of it
  };
  std::vector<Entry> entries;  // as the file has them
  std::vector<Blame> blames;   // by line
  std::vector<std::string> notes;
  [[nodiscard]] bool equal() const;
};

/// Compares M12, C11, g1, tau1, H14, x, y, z, J31, q1 (inverse kinematics), s1, c23 where the file defines them, names that it
/// explains with `means`, and the torques r p where it defines a regressor r1_1 ... and parameters p1 ... (Coriolis
/// matrices by Christoffel symbols; regressors and parameters alone by what they span). The arm gives the structure;
/// its numbers are drawn at random. An entry that another one is written in terms of is taken as it should be, so that an error is
/// found once, where it stands. Throws FormatError for names that mean nothing and for definitions that go round in circles.
ModelCheck check_model(const Arm& arm, const std::vector<Statement>& statements, const std::string& file);

}  // namespace armature::codegen
