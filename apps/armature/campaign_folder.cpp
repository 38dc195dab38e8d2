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
constexpr const char* engines_file = "engines.txt";
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

std::vector<EngineSpan> read_engines(const fs::path& folder) {
  std::vector<EngineSpan> spans;
  if (!fs::exists(folder / engines_file)) return spans;
  std::istringstream text(read_text_file((folder / engines_file).string(), std::size_t{1} << 20));
  for (EngineSpan span; text >> span.first >> span.engine;) spans.push_back(span);
  return spans;
}

void write_engines(const fs::path& folder, const std::vector<EngineSpan>& spans) {
  std::string text;
  for (const EngineSpan& span : spans) text += fmt::format("{} {}\n", span.first, span.engine);
  write_text_file((folder / engines_file).string(), text);
}

std::vector<EngineSpan> note_engine(const fs::path& folder, std::uint64_t first, bool some_are_there,
                                    const std::string& engine) {
  std::vector<EngineSpan> spans = read_engines(folder);
  std::erase_if(spans, [&](const EngineSpan& span) { return span.first >= first; });  // it was going to, and made none
  if (spans.empty() && some_are_there) spans.push_back({0, "an-engine-that-is-not-noted"});
  if (spans.empty() || spans.back().engine != engine) spans.push_back({first, engine});
  write_engines(folder, spans);
  return spans;
}

std::string mixed_engines_text(const std::vector<EngineSpan>& spans) {
  if (spans.size() < 2) return "";
  std::string text = "runs from ";
  for (std::size_t k = 0; k < spans.size(); ++k)
    text += fmt::format("{}{} on by {}", k ? ", from " : "", spans[k].first, spans[k].engine);
  return text +
         ": their metrics agree to rounding, not bit for bit\n  hint: with the same --device for all of them they do";
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
