// A function as straight-line code: named inputs and outputs and the sums and products between them.
#pragma once

#include <string>
#include <vector>

#include "armature/codegen/network/network.hpp"

namespace armature::codegen {

/// An argument or a result: a vector (cols = 1) or a matrix, stored row by row.
struct Signal {
  std::string name;
  int rows = 1, cols = 1;
  std::string meaning;  // for the comment: "joint torques [N m]"
  [[nodiscard]] int size() const { return rows * cols; }
};

/// Sine and cosine count one each, a sign nothing.
struct Operations {
  int add = 0, mul = 0, div = 0, functions = 0;
  [[nodiscard]] int total() const { return add + mul + div + functions; }
};

struct Program {
  std::string name;  // of the function: inverse_dynamics
  std::vector<Signal> inputs, outputs;
  Network net;  // outputs one after the other; leaves in the order of `arguments`
  struct Argument {
    int input, element;
  };
  std::vector<Argument> arguments;  // which element of which input a leaf of the network is
  std::vector<double> check;        // inputs to check by, where not any will do
};

Operations count(const Network& net);

/// The symbols of an input: "q[0]", "q[1]", ... of the current graph, row by row.
std::vector<Expr> symbols(const Signal& input);

/// `values` are the outputs' elements one after the other, each output row by row, as expressions in symbols(inputs).
/// `kept` are expressions that should be computed once, whatever their use.
Program make_program(std::string name, std::vector<Signal> inputs, std::vector<Signal> outputs,
                     const std::vector<Expr>& values, const std::vector<Expr>& kept = {});

/// Runs the program: `inputs` and the result are the elements one after the other.
std::vector<double> evaluate(const Program& program, const std::vector<double>& inputs);

}  // namespace armature::codegen
