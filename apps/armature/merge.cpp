// armature merge: the parts of a campaign become one.
#include <fmt/format.h>

#include <filesystem>
#include <set>

#include "armature/campaign/store.hpp"
#include "armature/core/error.hpp"
#include "campaign_folder.hpp"
#include "json_out.hpp"
#include "terminal.hpp"
#include "unfinished.hpp"
#include "verbs.hpp"

namespace armature::app {

namespace {

namespace fs = std::filesystem;

/// How many parts there are to be: those that the folder's names say.
int division_in(const fs::path& folder) {
  std::set<int> counts;
  if (fs::is_directory(folder))
    for (const fs::directory_entry& entry : fs::directory_iterator(folder)) {
      const std::string name = entry.path().filename().string();
      int k = 0, n = 0;
      if (std::sscanf(name.c_str(), "shard-%d-of-%d", &k, &n) == 2) counts.insert(n);
    }
  if (counts.empty())
    throw Error("there are no parts of a campaign here",
                "armature campaign FILE -o DIR --shard 1/8 makes the first of eight", {folder.string()});
  if (counts.size() > 1)
    throw Error(fmt::format("there are parts of {} divisions: {}", counts.size(), fmt::join(counts, ", ")),
                "remove those that do not belong here", {folder.string()});
  return *counts.begin();
}

std::vector<std::string> columns_in(const std::string& identity) {
  const std::string mark = "\ncolumns ";
  const std::size_t from = identity.find(mark) + mark.size();
  std::string line = identity.substr(from, identity.find('\n', from) - from);
  std::vector<std::string> columns;
  for (std::size_t start = 0; start < line.size();) {
    const std::size_t comma = std::min(line.find(", ", start), line.size());
    columns.push_back(line.substr(start, comma - start));
    start = comma + 2;
  }
  return columns;
}

int merge(const std::string& name, bool json) {
  const fs::path folder(name);
  const int parts = division_in(folder);
  const std::string identity = identity_of_folder(shard_folder(folder, {1, parts}));
  claim_folder(folder, identity);
  const std::vector<std::string> columns = columns_in(identity);
  const fs::path made = folder / (std::string(runs_file) + ".part");
  fs::remove(made);
  const Unfinished unfinished(made.string());
  std::uint64_t next = 0;
  std::vector<EngineSpan> engines;
  {
    RunStore all(made.string(), columns);
    for (int k = 1; k <= parts; ++k) {
      const fs::path part = shard_folder(folder, {k, parts});
      if (identity_of_folder(part) != identity)
        throw Error("this part belongs to another campaign", "make it again", {part.string()});
      const RunRange range = read_range(part);
      const RunStore runs((part / runs_file).string(), columns);
      if (range.first != next || runs.rows() < range.last - range.first)
        throw Error(fmt::format("this part has {} of its {} runs", runs.rows(), range.last - range.first),
                    fmt::format("finish it: armature campaign FILE -o {} --shard {}/{}", name, k, parts),
                    {part.string()});
      std::vector<double> block;
      runs.scan(range.last - range.first, [&](std::uint64_t, std::span<const double> row) {
        block.insert(block.end(), row.begin(), row.end());
        if (block.size() > 1'000'000) {
          all.append(block);
          block.clear();
        }
      });
      all.append(block);
      next = range.last;
      for (const EngineSpan& span : read_engines(part))
        if (engines.empty() || engines.back().engine != span.engine) engines.push_back(span);
    }
  }
  fs::rename(made, folder / runs_file);
  write_engines(folder, engines);
  if (const std::string mixed = mixed_engines_text(engines); !mixed.empty()) warn(mixed);
  if (json) {
    print_json(Json{{"runs", next}, {"parts", parts}, {"file", (folder / runs_file).string()}});
    return exit_done;
  }
  fmt::print("  {} runs of {} parts: {}\n", next, parts, (folder / runs_file).string());
  fmt::print("  armature campaign FILE -o {} says what they mean\n", name);
  return exit_done;
}

}  // namespace

void add_merge(CommandLine& line) {
  static std::string folder;
  static bool json = false;
  line.verb("merge", "put the parts of a campaign together, byte for byte as if it had run in one piece")
      .argument("DIR", folder, "the folder given to `armature campaign ... -o DIR --shard K/N`")
      .flag("--json", json, "machine-readable output (JSON)")
      .example("armature merge out/payload", "out/payload/shard-1-of-8 and so on become out/payload/runs.npy")
      .action([] { return merge(folder, json); });
}

}  // namespace armature::app
