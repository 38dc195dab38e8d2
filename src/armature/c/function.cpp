#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <memory>

#include "armature/c/boundary.hpp"
#include "armature/c/internal/handles.hpp"
#include "armature/c/internal/settings.hpp"
#include "armature/compute/compute_choice.hpp"
#include "armature/run/movable.hpp"

namespace armature::c {

namespace {

/// Names as a program writes them, with underscores.
const std::vector<std::string>& quantity_names() {
  static const std::vector<std::string> all = [] {
    std::vector<std::string> names;
    for (const Quantity& quantity : quantities()) {
      std::string& name = names.emplace_back(quantity.name);
      std::replace(name.begin(), name.end(), '-', '_');
    }
    return names;
  }();
  return all;
}

const std::vector<std::string>& quantity_texts() {
  static const std::vector<std::string> all = [] {
    std::vector<std::string> texts;
    for (const Quantity& quantity : quantities()) texts.emplace_back(quantity.about);
    return texts;
  }();
  return all;
}

void refuse_count(const armature_function& function, std::size_t input_count) {
  if (input_count != function.inputs.size())
    throw Error(
        fmt::format("{} takes {} inputs, not {}", function.batch.quantity().name, function.inputs.size(), input_count),
        "armature_function_inputs() names them");
}

bool is_single(std::int32_t type) {
  if (type != ARMATURE_DOUBLE && type != ARMATURE_FLOAT)
    throw Error(fmt::format("an array is of type {}", type), "ARMATURE_DOUBLE or ARMATURE_FLOAT");
  return type == ARMATURE_FLOAT;
}

const Block* block_of(const armature_function* function, std::size_t part) {
  return function && part < function->batch.blocks().size() ? &function->batch.blocks()[part] : nullptr;
}

}  // namespace

}  // namespace armature::c

using namespace armature::c;

const char* armature_quantity(size_t index) { return listed(quantity_names, index); }

const char* armature_quantity_about(size_t index) { return listed(quantity_texts, index); }

armature_status armature_function_new(const armature_arm* arm, const char* quantity, const char* const* settings,
                                      size_t count, armature_function** function) {
  return guarded([&] {
    armature_function*& out = needed(function, "function");
    const armature_arm& handle = needed(arm, "arm");
    const Quantity& asked = quantity_called(&needed(quantity, "quantity"));
    ComputeChoice choice;
    read_pairs(setting_pairs(settings, count), [&](Fields& f) { choice.fields(f); });
    const ArmUse use = quantity_use(asked.name);
    refuse_useless(handle.arm, handle.as_given && use == ArmUse::torques ? ArmUse::kinematics : use);
    auto made = std::make_unique<armature_function>(armature_function{
        Batch(handle.arm, asked, settings_for(choice, asked, handle.arm)), std::string(asked.inputs)});
    out = made.release();
  });
}

void armature_function_free(armature_function* function) { delete function; }

const char* armature_function_inputs(const armature_function* function) {
  return function ? function->inputs.c_str() : nullptr;
}

size_t armature_function_width(const armature_function* function) { return function ? function->batch.width() : 0; }

const char* armature_function_part(const armature_function* function, size_t part) {
  const Block* block = block_of(function, part);
  return block ? block->name.c_str() : nullptr;
}

size_t armature_function_rows(const armature_function* function, size_t part) {
  const Block* block = block_of(function, part);
  return block ? static_cast<size_t>(block->rows) : 0;
}

size_t armature_function_columns(const armature_function* function, size_t part) {
  const Block* block = block_of(function, part);
  return block ? static_cast<size_t>(block->cols) : 0;
}

armature_status armature_function_state(const armature_function* function, const double* const* inputs,
                                        size_t input_count, double* result) {
  return guarded([&] {
    refuse_count(needed(function, "function"), input_count);
    needed(inputs, "inputs");
    needed(result, "result");
    for (size_t i = 0; i < input_count; ++i) needed(inputs[i], "inputs[i]");
    function->batch.compute(std::span(inputs, input_count), result);
  });
}

armature_status armature_function_states(const armature_function* function, size_t states, const armature_input* inputs,
                                         size_t input_count, const armature_output* result, int threads) {
  return guarded([&] {
    refuse_count(needed(function, "function"), input_count);
    needed(inputs, "inputs");
    needed(result, "result");
    if (threads < 0 || threads > 1024)
      throw Error(fmt::format("{} threads", threads), "0 to 1024; 0: as many as are worth it");
    std::array<StridedInput, 4> in;
    for (size_t i = 0; i < input_count; ++i) {
      in[i] = {inputs[i].data, is_single(inputs[i].type), inputs[i].state_step, inputs[i].number_step};
      if (states > 0) needed(static_cast<const char*>(inputs[i].data), "inputs[i].data");
    }
    const StridedOutput out{result->data, is_single(result->type), result->state_step, result->number_step};
    if (states > 0) needed(static_cast<char*>(result->data), "result->data");
    function->batch.compute(states, std::span(in.data(), input_count), out, threads);
  });
}
