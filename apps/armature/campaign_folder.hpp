// The folder of a campaign: its runs, what they depend on, and which part of all runs they are.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>
#include "names.hpp"

namespace armature::app {

/// Which of all runs a folder holds.
struct RunRange {
  std::uint64_t first = 0, last = 0, all = 0;
};

/// "3/8": a part of a campaign, from 1. Throws Error where it is none.
struct Shard {
  int number = 1, count = 1;
  [[nodiscard]] RunRange of(std::uint64_t runs) const {
    const auto k = static_cast<std::uint64_t>(number), n = static_cast<std::uint64_t>(count);
    return {runs * (k - 1) / n, runs * k / n, runs};
  }
};
Shard parse_shard(const std::string& text);
std::filesystem::path shard_folder(const std::filesystem::path& campaign, const Shard& shard);

/// Makes the folder, or finds in it runs that depend on the same; throws Error, with what differs, where they do not.
void claim_folder(const std::filesystem::path& folder, const std::string& identity);
/// What the runs of a folder depend on. Throws Error where it holds none.
std::string identity_of_folder(const std::filesystem::path& folder);

/// Which engine made the runs from here on.
struct EngineSpan {
  std::uint64_t first = 0;
  std::string engine;
};
/// Of all runs of a folder, in their order; empty where it does not say.
std::vector<EngineSpan> read_engines(const std::filesystem::path& folder);
void write_engines(const std::filesystem::path& folder, const std::vector<EngineSpan>& spans);
/// Notes who makes the runs from `first` on.
std::vector<EngineSpan> note_engine(const std::filesystem::path& folder, std::uint64_t first, bool some_are_there,
                                    const std::string& engine);
/// "runs 0 to 39 by threads, from 40 on by lockstep: ..." where there are several; else empty.
std::string mixed_engines_text(const std::vector<EngineSpan>& spans);

void write_range(const std::filesystem::path& folder, const RunRange& range);
RunRange read_range(const std::filesystem::path& folder);

}  // namespace armature::app
