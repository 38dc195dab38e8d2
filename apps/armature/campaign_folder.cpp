#include "campaign_folder.hpp"

#include <fmt/format.h>

#include <cerrno>
#include <cstdio>
#include <sstream>
#include <system_error>

#include "armature/core/error.hpp"
#include "armature/core/text.hpp"
#include "armature/core/units.hpp"
#include "armature/formats/text_file.hpp"
#include "report_folder.hpp"

namespace armature::app {

namespace fs = std::filesystem;

namespace {

constexpr const char* identity_file = "campaign.txt";
constexpr const char* range_file = "part.txt";
constexpr std::size_t largest_identity = std::size_t{1} << 30;

/// The first line in which two texts differ, of each.
std::pair<std::string, std::string> first_difference(const std::string& a, const std::string& b) {
  std::istringstream as(a), bs(b);
  std::string x, y;
  while (true) {
    const bool more_a = static_cast<bool>(std::getline(as, x)), more_b = static_cast<bool>(std::getline(bs, y));
    if (!more_a) x = "nothing more";
    if (!more_b) y = "nothing more";
    if (x != y || (!more_a && !more_b)) return {x, y};
  }
}

}  // namespace

Shard parse_shard(const std::string& text) {
  const std::size_t slash = text.find('/');
  const auto part = [&](std::size_t from, std::size_t length) {
    return parse_double(std::string_view(text).substr(from, length)).value_or(0);
  };
  const double k = part(0, slash), n = slash == std::string::npos ? 0 : part(slash + 1, std::string::npos);
  if (!(k >= 1 && k <= n && n <= 1e6 && k == static_cast<int>(k) && n == static_cast<int>(n)))
    throw Error(fmt::format("--shard {}: not a part of a campaign", printable(text)), "the third of eight is 3/8");
  return {static_cast<int>(k), static_cast<int>(n)};
}

fs::path shard_folder(const fs::path& campaign, const Shard& shard) {
  return campaign / fmt::format("shard-{}-of-{}", shard.number, shard.count);
}

void claim_folder(const fs::path& folder, const std::string& identity) {
  std::error_code problem;
  fs::create_directories(folder, problem);
  if (problem)
    throw Error(fmt::format("cannot be made: {}", problem.message()), "another place for -o", {folder.string()});
  const fs::path file = folder / identity_file;
  if (!fs::exists(file)) {
    write_text_file(file.string(), identity);
    return;
  }
  const std::string there = read_text_file(file.string(), largest_identity);
  if (there == identity) return;
  const auto [old, now] = first_difference(there, identity);
  throw Error(fmt::format("the folder holds the runs of another campaign: there '{}', now '{}'", printable(old, 100),
                          printable(now, 100)),
              "another folder for -o, or remove this one", {folder.string()});
}

std::string identity_of_folder(const fs::path& folder) {
  if (!fs::exists(folder / identity_file))
    throw Error("there are no runs of a campaign here", "armature campaign FILE -o DIR --shard K/N makes them",
                {folder.string()});
  return read_text_file((folder / identity_file).string(), largest_identity);
}

void write_range(const fs::path& folder, const RunRange& range) {
  write_text_file((folder / range_file).string(), fmt::format("{} {} {}\n", range.first, range.last, range.all));
}

RunRange read_range(const fs::path& folder) {
  RunRange range;
  std::istringstream text(read_text_file((folder / range_file).string(), 4096));
  if (!(text >> range.first >> range.last >> range.all))
    throw Error("does not say which runs it holds", "make this part again", {(folder / range_file).string()});
  return range;
}

}  // namespace armature::app
