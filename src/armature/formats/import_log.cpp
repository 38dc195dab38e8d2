#include "armature/formats/import_log.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "armature/core/error.hpp"
#include "armature/core/text.hpp"
#include "armature/formats/table.hpp"

namespace armature::formats {

namespace {

constexpr int peeked_rows = 20;
constexpr double pause = 1;  // at least, between recordings in one file [s]

/// Columns of a table that hold text, and what the first row says in them.
std::map<std::string, std::string> text_columns(const std::string& path) {
  TableReader table(path, {.missing_numbers = true, .may_be_empty = true, .text_cells = true, .recorded = true});
  table.select(table.columns());
  std::vector<double> row(table.columns().size());
  std::vector<bool> numbers(row.size(), false);
  std::map<std::string, std::string> texts;
  for (int k = 0; k < peeked_rows && table.next(row); ++k)
    for (std::size_t i = 0; i < row.size(); ++i) {
      numbers[i] = numbers[i] || std::isfinite(row[i]);
      if (k == 0 && !numbers[i]) texts.emplace(table.columns()[i], table.text_of(i));
    }
  for (std::size_t i = 0; i < row.size(); ++i)
    if (numbers[i]) texts.erase(table.columns()[i]);
  return texts;
}

bool is_table(const std::string& path) {
  const std::string_view name = path.ends_with(".xz") ? std::string_view(path).substr(0, path.size() - 3) : path;
  return !name.ends_with(".npz") && !name.ends_with(".mcap") && !name.ends_with(".db3");
}

/// The joints by name: from columns position_NAME, or from a table's columns name0, name1 and so on (as rostopic writes them).
std::vector<std::string> joint_names(const std::vector<LogColumn>& columns,
                                     const std::map<std::string, std::string>& texts) {
  std::vector<std::string> names;
  constexpr std::string_view stem = "position_";
  for (const LogColumn& c : columns)
    if (c.name.starts_with(stem) && c.name.size() > stem.size() && !c.name.starts_with("position_ref_"))
      names.push_back(c.name.substr(stem.size()));
  if (!names.empty()) return names;
  for (int i = 0;; ++i) {
    const auto at = std::find_if(texts.begin(), texts.end(), [&](const auto& column) {
      return column.first.ends_with("name" + std::to_string(i)) && !column.second.empty();
    });
    if (at == texts.end()) return names;
    names.push_back(at->second);
  }
}

/// Puts the segments one behind the other; times increase also where the clock was set back.
void fill(Log& log, const Resampling& r) {
  double shift = 0;
  int restarts = 0;
  for (const LogSegment& s : r.segments) {
    if (s.restarts != restarts) {
      shift = std::ceil(log.time.back() + pause - s.start);
      restarts = s.restarts;
    }
    for (Eigen::Index k = 0; k < s.values.rows(); ++k) {
      log.time.push_back(s.start + shift + static_cast<double>(k) * r.step);
      for (Eigen::Index c = 0; c < s.values.cols(); ++c) log.channels[c].values.push_back(s.values(k, c));
    }
  }
}

/// Which columns are the joints', by the names of joints that the log has, or else by numbers.
GuessedColumns find_columns(const std::string& path, const std::vector<LogColumn>& columns,
                            const std::vector<LogColumn>& all, std::vector<std::string>& joints) {
  GuessedColumns g = guess_columns(columns, static_cast<int>(joints.size()), joints);
  if (g.position.empty()) {
    joints.clear();
    g = guess_columns(columns, 0);
  }
  if (!g.position.empty()) return g;
  std::vector<std::string> known;
  for (const LogColumn& c : all) known.push_back(c.name);
  throw FormatError(
      "no columns look like the positions of joints",
      fmt::format(
          "names such as q1, position0, joint_1_pos, actual_q_0 are known; the file has {}. A map names others: "
          "`armature identify ARM FILE --map map.yaml`",
          printable(fmt::format("{}", fmt::join(known, ", ")), 300)),
      {path});
}

LogMap map_of(const GuessedColumns& g) {
  LogMap map;
  map.position = g.position;
  map.velocity = g.velocity;
  map.torque = g.torque;
  map.reference = g.reference;
  map.currents = g.currents;
  if (g.motor_positions) map.positions = LogMap::Side::motor;
  if (g.motor_torques) map.torques = LogMap::Side::motor;
  return map;
}

/// Gives the log channels with our names; returns the columns that fill them.
std::vector<std::string> name_channels(const GuessedColumns& g, const std::vector<LogColumn>& columns,
                                       const std::vector<std::string>& joints, Log& log) {
  std::vector<std::string> wanted;
  const auto add = [&](const std::vector<std::string>& names, const std::string& by_number, const std::string& tail,
                       const std::string& by_name) {
    for (std::size_t i = 0; i < names.size(); ++i) {
      const auto column =
          std::find_if(columns.begin(), columns.end(), [&](const LogColumn& c) { return c.name == names[i]; });
      const bool named = i < joints.size();
      log.add(named ? by_name + "_" + joints[i] : by_number + std::to_string(i + 1) + tail, column->unit);
      wanted.push_back(names[i]);
    }
  };
  const std::string motor = g.motor_positions ? "_mot" : "", side = g.motor_positions ? "motor_" : "";
  add(g.position, "q" + motor, "", side + "position");
  add(g.velocity, "v" + motor, "", side + "velocity");
  if (g.currents)
    add(g.torque, "current", "", "current");
  else if (g.motor_torques)
    add(g.torque, "tau_mot", "", "motor_effort");
  else
    add(g.torque, "tau", "", "effort");
  add(g.reference, "q" + motor, "_ref", side + "position_ref");
  return wanted;
}

/// All rows of these columns at regular times.
Resampling read_rows(LogSource& source, const std::vector<std::string>& wanted, int positions,
                     const std::string& path) {
  source.select(wanted);
  std::vector<double> stamps, values, row(wanted.size());
  for (double time = 0; source.next(time, row);) {
    if (values.size() > most_held_numbers)
      throw FormatError(fmt::format("has more than {} numbers", most_held_numbers), "cut the file", source.place());
    stamps.push_back(time);
    values.insert(values.end(), row.begin(), row.end());
  }
  try {
    return resample(stamps,
                    Eigen::Map<const Samples>(values.data(), static_cast<Eigen::Index>(stamps.size()),
                                              static_cast<Eigen::Index>(wanted.size())),
                    positions);
  } catch (const FormatError&) {
    throw;
  } catch (const Error& error) {
    throw FormatError(error.finding(), error.hint(), {path});
  }
}

/// What a user may want to know of what was done.
std::vector<std::string> notes_of(const ImportedLog& imported, const std::map<std::string, std::string>& texts) {
  std::vector<std::string> notes;
  for (const auto& [key, value] : imported.log.facts)
    if (key == "note" || key == time_origin_fact)
      notes.push_back(key == "note" ? value : "Times are counted from the first stamp, " + value);
  if (!texts.empty()) {
    std::vector<std::string> left;
    for (const auto& [name, text] : texts) left.push_back(name);
    notes.push_back("Columns of text are left out: " + columns_text(left));
  }
  if (imported.map.torque.empty()) notes.push_back("No columns look like torques or currents");
  return notes;
}

}  // namespace

ImportedLog import_log(const std::string& path) {
  ImportedLog result;
  std::map<std::string, std::string> texts;
  if (is_table(path)) texts = text_columns(path);
  const std::unique_ptr<LogSource> source = open_log(path, LogSource::Missing::raw);
  std::vector<LogColumn> columns;
  for (const LogColumn& c : source->columns())
    if (texts.count(c.name) == 0) columns.push_back(c);
  result.joints = joint_names(columns, texts);
  const GuessedColumns g = find_columns(path, columns, source->columns(), result.joints);
  result.map = map_of(g);
  const std::vector<std::string> wanted = name_channels(g, columns, result.joints, result.log);
  const Resampling r = read_rows(*source, wanted, static_cast<int>(g.position.size()), path);
  fill(result.log, r);
  result.step = r.step;
  if (const std::string done = describe(r); !done.empty()) result.notes.push_back(done);
  result.log.title = source->title();
  result.log.facts = source->facts();
  for (std::string& note : notes_of(result, texts)) result.notes.push_back(std::move(note));
  return result;
}

}  // namespace armature::formats
