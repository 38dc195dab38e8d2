#include <fmt/format.h>

#include <cmath>

#include "armature/core/error.hpp"
#include "armature/core/text.hpp"
#include "armature/formats/table.hpp"
#include "compute.hpp"
#include "json_out.hpp"
#include "output_file.hpp"
#include "text_table.hpp"

namespace armature::app {

namespace {

struct Input {
  const char* option;
  const char* key;
  const std::optional<std::string>& text;
  VecX<double>& values;
  Dimension revolute, prismatic;
};

/// The state on the command line, and the same for the answer.
State state_of(const ComputeOptions& options, const Quantity& quantity, const Arm& arm, Json& echo) {
  State state;
  const std::vector<Input> inputs{
      {"--q", "q", options.q, state.q, dimension::angle, dimension::length},
      {"--v", "v", options.v, state.v, dimension::rate, dimension::speed},
      {"--a", "a", options.a, state.a, dimension::angular_acceleration, dimension::acceleration},
      {"--tau", "tau", options.tau, state.tau, dimension::torque, dimension::force}};
  for (const Input& input : inputs) {
    const bool needed = quantity.inputs.find(input.key[0]) != std::string_view::npos;
    if (needed && !input.text)
      throw Error(fmt::format("{} needs {}", quantity.name, input.option),
                  fmt::format("give one value per joint, e.g. {} {}; or a table with --in", input.option,
                              fmt::join(std::vector<int>(static_cast<std::size_t>(arm.dof()), 0), ",")));
    if (!needed) continue;
    input.values = joint_quantities(input.option, *input.text, arm, input.revolute, input.prismatic);
    echo[input.key] = json_of(input.values);
  }
  return state;
}

Json block_json(const Block& block, const double* numbers) {
  if (block.rows == 0) return *numbers;
  if (block.cols == 0) return std::vector<double>(numbers, numbers + block.rows);
  Json rows = Json::array();
  for (int i = 0; i < block.rows; ++i)
    rows.push_back(std::vector<double>(numbers + i * block.cols, numbers + (i + 1) * block.cols));
  return rows;
}

std::string text_of(const std::vector<Block>& blocks, const double* numbers) {
  std::string text;
  std::vector<std::vector<std::string>> list;  // scalars and vectors: name, label, number, unit
  for (const Block& block : blocks) {
    const std::vector<std::string> columns = block.columns();
    const auto item = [](const std::vector<std::string>& items, std::size_t i) {
      return items.empty() ? std::string() : items[std::min(i, items.size() - 1)];
    };
    if (block.cols == 0) {
      for (std::size_t i = 0; i < block.size(); ++i)
        list.push_back({columns[i], item(block.labels, i), short_text(numbers[i]), item(block.units, i)});
    } else {
      std::vector<std::string> header{block.name};
      std::vector<std::vector<std::string>> rows;
      for (int j = 1; j <= block.cols; ++j) header.push_back(fmt::format("{}", j));
      for (int i = 0; i < block.rows; ++i) {
        rows.push_back({item(block.labels, static_cast<std::size_t>(i))});
        for (int j = 0; j < block.cols; ++j) rows.back().push_back(short_text(numbers[i * block.cols + j]));
      }
      text += text_table(header, rows);
    }
    numbers += block.size();
  }
  return (list.empty() ? "" : text_table({"", "", "", ""}, list).substr(1)) + text;
}

}  // namespace

int compute_one_state(const ComputeOptions& options, const Quantity& quantity, const LoadedArm& loaded) {
  const Arm& arm = loaded.arm;
  const ComputeSettings settings = settings_of(options, quantity, arm);
  Json answer{{"arm", arm.name()}, {"what", quantity.name}};
  const State state = state_of(options, quantity, arm, answer);

  const std::vector<Block> blocks = quantity.blocks(arm, settings);
  const std::vector<std::string> columns = columns_of(blocks);
  std::vector<double> numbers(columns.size());
  quantity.compute(arm, settings, state, numbers);
  refuse_infinite(numbers, columns);

  if (options.out) {
    OutputFile file(*options.out);
    TableWriter table(file.stream(), file.name());
    table.header(columns);
    table.row(numbers);
    table.flush();
    file.commit();
  }
  if (options.json) {
    const double* next = numbers.data();
    for (const Block& block : blocks) {
      answer["result"][block.name] = block_json(block, next);
      next += block.size();
    }
    answer["warnings"] = loaded.warnings;
    print_json(answer);
  } else if (!options.out) {
    fmt::print("{} of {}\n{}", quantity.name, arm.name(), text_of(blocks, numbers.data()));
  }
  return exit_done;
}

}  // namespace armature::app
