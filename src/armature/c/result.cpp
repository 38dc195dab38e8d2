#include "armature/c/boundary.hpp"
#include "armature/c/internal/handles.hpp"
#include "armature/formats/whole_file.hpp"
#include "armature/report/page.hpp"

namespace armature::c {

namespace {

const armature_result::Array* array_of(const armature_result* result, std::size_t index) {
  return result && index < result->arrays.size() ? &result->arrays[index] : nullptr;
}

}  // namespace

void take_arrays(armature_result& result, Log log) {
  result.arrays.push_back({"time", "s", std::move(log.time)});
  for (Channel& channel : log.channels)
    result.arrays.push_back({std::move(channel.name), std::move(channel.unit), std::move(channel.values)});
}

}  // namespace armature::c

using namespace armature::c;

const char* armature_result_json(const armature_result* result) { return result ? result->json.c_str() : nullptr; }

const char* armature_result_text(const armature_result* result) { return result ? result->text.c_str() : nullptr; }

const char* armature_result_name(const armature_result* result, size_t index) {
  const auto* array = array_of(result, index);
  return array ? array->name.c_str() : nullptr;
}

const char* armature_result_unit(const armature_result* result, size_t index) {
  const auto* array = array_of(result, index);
  return array ? array->unit.c_str() : nullptr;
}

const double* armature_result_array(const armature_result* result, size_t index) {
  const auto* array = array_of(result, index);
  return array ? array->numbers.data() : nullptr;
}

size_t armature_result_size(const armature_result* result, size_t index) {
  const auto* array = array_of(result, index);
  return array ? array->numbers.size() : 0;
}

armature_status armature_result_write_page(const armature_result* result, const char* path) {
  return guarded([&] {
    const armature_result& r = needed(result, "result");
    if (r.report.kind.empty())
      throw Error("this result has no page", "those of simulate, identify, validate and excite have one");
    write_whole_file(&needed(path, "path"), page(r.report));
  });
}

void armature_result_free(armature_result* result) { delete result; }
