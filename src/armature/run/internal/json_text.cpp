#include "armature/run/internal/json_text.hpp"

#include <cmath>
#include <nlohmann/json.hpp>
#include <stdexcept>

namespace armature::run {

namespace {

void refuse_infinite(const Json& value) {
  if (value.is_number_float() && !std::isfinite(value.get<double>()))
    throw std::logic_error("a number in the answer is not finite");
  if (value.is_structured())
    for (const Json& part : value) refuse_infinite(part);
}

}  // namespace

std::string text_of(const Json& answer) {
  refuse_infinite(answer);
  return answer.dump(-1, ' ', false, Json::error_handler_t::replace);
}

}  // namespace armature::run
