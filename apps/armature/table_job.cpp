#include "table_job.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "armature/core/error.hpp"
#include "armature/core/text.hpp"
#include "output_file.hpp"
#include "terminal.hpp"

namespace armature::app {

namespace {

namespace fs = std::filesystem;

void refuse_same_file(const std::string& in, const std::string& out) {
  std::error_code ignored;
  if (in != "-" && out != "-" && fs::equivalent(in, out, ignored))
    throw Error("is both --in and --out", "write the results to another file", {out});
}

/// Bytes of a file; 0 where there is no saying.
std::uint64_t size_of(const std::string& path) {
  std::error_code failure;
  const auto size = fs::file_size(path, failure);
  return failure ? 0 : size;
}

void warn_of_unused(const TableReader& table, const std::vector<std::string>& unsurprising) {
  std::vector<std::string> names;
  for (const std::string& name : table.unused_columns())
    if (std::find(unsurprising.begin(), unsurprising.end(), name) == unsurprising.end())
      names.push_back("'" + printable(name) + "'");
  if (names.empty()) return;
  const char* what = names.size() == 1 ? "column" : "columns";
  if (names.size() > 12) {
    names.resize(12);
    names.emplace_back("...");
  }
  warn(fmt::format("{}: not used: {} {}", table.name(), what, fmt::join(names, ", ")));
}

}  // namespace

std::uint64_t run(const TableJob& job) {
  refuse_same_file(job.in, job.out);
  TableReader reader(job.in);
  const std::vector<std::string> inputs = job.inputs(reader);
  reader.select(inputs);
  warn_of_unused(reader, job.unsurprising);

  OutputFile file(job.out);
  TableWriter writer(file.stream(), file.name());
  writer.header(job.outputs);
  std::vector<double> input(inputs.size());
  Progress progress(size_of(job.in));
  while (reader.next(input)) {
    try {
      job.each(reader.rows(), input, reader.place(), writer);
    } catch (const Error& error) {
      if (!error.place().file.empty()) throw;
      throw Error(error.finding(), error.hint(), reader.place());
    }
    progress.update(reader.bytes_read(), reader.rows());
  }
  writer.flush();
  file.commit();
  return reader.rows();
}

}  // namespace armature::app
