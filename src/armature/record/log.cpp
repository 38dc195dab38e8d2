#include "armature/record/log.hpp"

#include <algorithm>

#include "armature/core/error.hpp"
#include "armature/core/text.hpp"

namespace armature::record {

namespace {

std::vector<std::string> names_of(const std::vector<Channel>& channels) {
  std::vector<std::string> names;
  for (const Channel& channel : channels) names.push_back(channel.name);
  return names;
}

}  // namespace

Log::Log() = default;
Log::~Log() = default;
Log::Log(const Log&) = default;
Log::Log(Log&&) noexcept = default;
Log& Log::operator=(const Log&) = default;
Log& Log::operator=(Log&&) noexcept = default;

const Channel& Log::channel(std::string_view name) const {
  const auto found = std::find_if(channels.begin(), channels.end(), [&](const Channel& c) { return c.name == name; });
  if (found == channels.end())
    throw Error("the log has no channel '" + printable(name) + "'", suggestion(name, names_of(channels)));
  return *found;
}

Channel& Log::channel(std::string_view name) { return const_cast<Channel&>(std::as_const(*this).channel(name)); }

bool Log::has(std::string_view name) const {
  return std::any_of(channels.begin(), channels.end(), [&](const Channel& c) { return c.name == name; });
}

Channel& Log::add(std::string name, std::string unit) {
  if (has(name)) throw Error("the log has two channels called '" + printable(name) + "'", "names must differ");
  channels.push_back({std::move(name), std::move(unit), {}});
  channels.back().values.reserve(time.size());
  return channels.back();
}

Log cut(const Log& log, double from, double to) {
  Log part = log;
  const auto first = std::lower_bound(log.time.begin(), log.time.end(), from) - log.time.begin();
  const auto last = std::upper_bound(log.time.begin(), log.time.end(), to) - log.time.begin();
  const auto keep = [&](std::vector<double>& values) {
    values = last > first ? std::vector<double>(values.begin() + first, values.begin() + last) : std::vector<double>();
  };
  keep(part.time);
  for (Channel& channel : part.channels) keep(channel.values);
  std::erase_if(part.events, [&](const LogEvent& event) { return event.time < from || event.time > to; });
  return part;
}

}  // namespace armature::record
