#include "armature/formats/rosbag_db3.hpp"

#include <fmt/format.h>
#include <sqlite3.h>

#include <algorithm>
#include <memory>
#include <vector>

#include "armature/core/error.hpp"
#include "armature/core/text.hpp"
#include "armature/formats/cdr.hpp"

namespace armature::formats {

namespace {

constexpr std::size_t largest_bag = std::size_t{1} << 30;  // [bytes]
constexpr int longest_cell = 1 << 24;                      // [bytes]
constexpr int instructions = 1000;  // of SQLite's machine between two looks at how many there were
constexpr long most_looks =
    20'000'000;  // a bag of joint states needs 10 instructions per message: this is for traps only

using Database = std::unique_ptr<sqlite3, decltype(&sqlite3_close)>;
using Statement = std::unique_ptr<sqlite3_stmt, decltype(&sqlite3_finalize)>;

class Bag {
 public:
  /// `bytes` must outlive it.
  Bag(std::string& bytes, std::string file) : file_(std::move(file)), database_(nullptr, sqlite3_close) {
    constexpr std::string_view magic("SQLite format 3\0", 16);
    if (bytes.size() < 100 || !bytes.starts_with(magic))
      throw FormatError("is no SQLite database", "a bag of ROS 2 is one (.db3), or .mcap", {file_});
    bytes[18] = bytes[19] = 1;  // a database with a write-ahead log is read as far as it was written back
    sqlite3* opened = nullptr;
    const int answer = sqlite3_open_v2(":memory:", &opened, SQLITE_OPEN_READWRITE, nullptr);
    database_.reset(opened);
    if (answer != SQLITE_OK) throw std::bad_alloc();
    sqlite3_limit(opened, SQLITE_LIMIT_LENGTH, longest_cell);
    sqlite3_limit(opened, SQLITE_LIMIT_ATTACHED, 0);
    sqlite3_db_config(opened, SQLITE_DBCONFIG_DEFENSIVE, 1, nullptr);
    sqlite3_db_config(opened, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, nullptr);
    sqlite3_db_config(opened, SQLITE_DBCONFIG_ENABLE_TRIGGER, 0, nullptr);
    sqlite3_progress_handler(
        opened, instructions, [](void* looks) { return static_cast<int>(++*static_cast<long*>(looks) > most_looks); },
        &looks_);
    check(sqlite3_deserialize(opened, "main", reinterpret_cast<unsigned char*>(bytes.data()),
                              static_cast<sqlite3_int64>(bytes.size()), static_cast<sqlite3_int64>(bytes.size()),
                              SQLITE_DESERIALIZE_READONLY));
  }

  Statement prepared(const char* sql) {
    sqlite3_stmt* statement = nullptr;
    check(sqlite3_prepare_v2(database_.get(), sql, -1, &statement, nullptr));
    return {statement, sqlite3_finalize};
  }
  bool step(const Statement& statement) {
    const int answer = sqlite3_step(statement.get());
    if (answer != SQLITE_ROW && answer != SQLITE_DONE) check(answer);
    return answer == SQLITE_ROW;
  }
  static std::string text(const Statement& statement, int column) {
    const auto* bytes = reinterpret_cast<const char*>(sqlite3_column_text(statement.get(), column));
    return bytes == nullptr ? std::string() : std::string(bytes);
  }
  /// Throws unless it is a plain table: views and virtual tables run code of the file.
  void check_table(const char* name) {
    const Statement s = prepared("SELECT sql FROM sqlite_master WHERE type = 'table' AND name = ?");
    check(sqlite3_bind_text(s.get(), 1, name, -1, SQLITE_STATIC));
    if (!step(s) || !text(s, 0).starts_with("CREATE TABLE"))
      throw FormatError(fmt::format("has no table '{}'", name), "is it a bag of ROS 2?", {file_});
  }

 private:
  void check(int answer) const {
    if (answer == SQLITE_OK) return;
    // "out of memory" too: damaged tables ask for more than any bag needs
    throw FormatError(fmt::format("cannot be read as a bag: {}", printable(sqlite3_errmsg(database_.get()))),
                      "is the file damaged? `sqlite3 FILE .recover` may help", {file_});
  }

  std::string file_;
  Database database_;
  long looks_ = 0;
};

}  // namespace

Log read_db3(ByteSource& source, const std::string& file_name) {
  std::string bytes = read_all(source, largest_bag, file_name);
  Bag bag(bytes, file_name);
  for (const char* table : {"topics", "messages"}) bag.check_table(table);
  std::vector<std::pair<sqlite3_int64, std::string>> topics;
  std::vector<std::string> others;
  const Statement list = bag.prepared("SELECT id, name, type, serialization_format FROM topics LIMIT 1000");
  while (bag.step(list)) {
    const std::string name = Bag::text(list, 1);
    if (Bag::text(list, 2) == joint_state_type && Bag::text(list, 3) == "cdr")
      topics.emplace_back(sqlite3_column_int64(list.get(), 0), name);
    else
      others.push_back(name);
  }
  if (topics.empty())
    throw FormatError(fmt::format("has no topic of type {}", joint_state_type),
                      others.empty()
                          ? "it has no topics at all"
                          : fmt::format("it has {}", printable(fmt::format("{}", fmt::join(others, ", ")), 200)),
                      {file_name});
  const auto named = [&](const auto& topic) { return topic.second == "/joint_states"; };
  auto chosen = std::find_if(topics.begin(), topics.end(), named);
  if (chosen == topics.end()) chosen = topics.begin();
  if (topics.size() > 1 && !named(*chosen))
    throw FormatError(
        fmt::format("has joint states on {} topics, '{}' for one", topics.size(), printable(chosen->second)),
        "record one of them, or /joint_states", {file_name});
  JointStateLog log(file_name);
  const Statement messages =
      bag.prepared("SELECT timestamp, data FROM messages WHERE topic_id = ? ORDER BY timestamp, id");
  sqlite3_bind_int64(messages.get(), 1, chosen->first);
  while (bag.step(messages)) {
    const void* data = sqlite3_column_blob(messages.get(), 1);
    const auto size = static_cast<std::size_t>(sqlite3_column_bytes(messages.get(), 1));
    log.add({static_cast<const char*>(data), data == nullptr ? 0 : size}, sqlite3_column_int64(messages.get(), 0));
  }
  return log.take();
}

}  // namespace armature::formats
