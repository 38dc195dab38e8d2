// Logs from NumPy: what write_npz() writes, and what numpy.savez does.
#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <charconv>
#include <nlohmann/json.hpp>

#include "armature/core/error.hpp"
#include "armature/core/text.hpp"
#include "armature/formats/bytes.hpp"
#include "armature/formats/internal/zip.hpp"
#include "armature/formats/log_source.hpp"
#include "armature/formats/npz.hpp"
#include "armature/formats/table.hpp"

namespace armature::formats {

namespace {

using PlainJson = nlohmann::json;

/// An array as its header describes it, and its bytes.
struct Array {
  std::string type;  // "<f8"
  bool columns_first = false;
  std::vector<std::uint64_t> shape;
  std::string_view data;
};

/// Reads the Python dictionary of a header: {'descr': '<f8', 'fortran_order': False, 'shape': (3,), }
class HeaderReader {
 public:
  HeaderReader(std::string_view text, Array& array) : text_(text), array_(array) {}

  /// False where the text is no such dictionary.
  bool read() {
    bool type = false, order = false, shape = false;
    if (!take("{")) return false;
    while (!take("}")) {
      std::string key;
      if (!string(key) || !take(":")) return false;
      if (key == "descr" && !type)
        type = string(array_.type);
      else if (key == "fortran_order" && !order) {
        array_.columns_first = take("True");
        order = array_.columns_first || take("False");
      } else if (key == "shape" && !shape)
        shape = tuple();
      else
        return false;
      if (!take(",") && !next_is("}")) return false;
    }
    skip_blanks();
    return type && order && shape && text_.empty();
  }

 private:
  void skip_blanks() { text_.remove_prefix(std::min(text_.find_first_not_of(" \n"), text_.size())); }
  bool next_is(std::string_view word) {
    skip_blanks();
    return text_.starts_with(word);
  }
  bool take(std::string_view word) {
    if (!next_is(word)) return false;
    text_.remove_prefix(word.size());
    return true;
  }
  bool string(std::string& to) {
    if (!take("'")) return false;
    const std::size_t end = text_.find('\'');
    if (end == std::string_view::npos) return false;
    to = text_.substr(0, end);
    text_.remove_prefix(end + 1);
    return true;
  }
  bool tuple() {
    if (!take("(")) return false;
    while (!take(")")) {
      skip_blanks();
      std::uint64_t number = 0;
      const auto [end, error] = std::from_chars(text_.data(), text_.data() + text_.size(), number);
      if (error != std::errc()) return false;
      text_.remove_prefix(static_cast<std::size_t>(end - text_.data()));
      array_.shape.push_back(number);
      if (!take(",") && !next_is(")")) return false;
    }
    return true;
  }

  std::string_view text_;
  Array& array_;
};

class NpzReader {
 public:
  NpzReader(std::string_view archive, const std::string& file) : archive_(archive), file_(file) {}

  Log read() {
    const std::vector<ZipMember> members = zip_members(archive_, file_);
    std::uint64_t bytes = 0;
    for (const ZipMember& member : members) bytes += member.size;
    if (bytes / sizeof(double) > most_held_numbers) too_many();
    const bool named =
        std::any_of(members.begin(), members.end(), [](const ZipMember& m) { return m.name == "time.npy"; });
    std::string about;
    bool timed = false;
    for (const ZipMember& member : members) {
      if (!member.name.ends_with(".npy"))
        throw FormatError(fmt::format("holds '{}', which is no array", printable(member.name)),
                          "a log is written by numpy.savez, an array per channel", {file_});
      const std::string name = member.name.substr(0, member.name.size() - 4);
      const std::string content = zip_content(archive_, member, file_);
      const Array array = array_of(content, name);
      if (name == "_log") {
        about = text_of(array);
      } else if (name == (named ? "time" : "t") && !timed) {
        if (array.shape.size() != 1) wrong(name, "is the time and has not one value per sample");
        log_.time = column(array, name, 0, 1);
        timed = true;
      } else {
        add_channels(array, name);
      }
    }
    if (!timed)
      throw FormatError("has no array 'time'", "save the time of each sample [s] too: numpy.savez(file, time=t, q1=q1)",
                        {file_});
    if (!about.empty()) read_about(about);
    return std::move(log_);
  }

 private:
  [[noreturn]] void wrong(const std::string& name, const std::string& finding) const {
    throw FormatError(fmt::format("the array '{}' {}", printable(name), finding),
                      "an array has one number per sample: float64, float32 or integers", {file_});
  }

  [[noreturn]] void too_many() const {
    throw FormatError(fmt::format("has more than {} numbers or {} channels", most_held_numbers, most_table_columns),
                      "that is more than is held in memory: write fewer arrays, or CSV", {file_});
  }

  Array array_of(std::string_view content, const std::string& name) const {
    Array array;
    ByteFields fields(content, fmt::format("the array '{}'", printable(name)), file_);
    if (fields.take(6) != std::string_view("\x93NUMPY", 6)) wrong(name, "is not in NumPy's format");
    const unsigned version = fields.u8();
    fields.take(1);
    if (version < 1 || version > 3) wrong(name, fmt::format("is in version {} of NumPy's format", version));
    const std::string_view header = fields.take(version == 1 ? fields.u16() : fields.u32());
    if (!HeaderReader(header, array).read()) wrong(name, "has a header that cannot be read");
    array.data = fields.rest();
    return array;
  }

  /// Bytes of one number of that type; 0: no number.
  static std::size_t size_of(const std::string& type) {
    for (const std::string_view known : {"<f8", "<f4", "<i8", "<i4", "<i2", "|i1", "<u8", "<u4", "<u2", "|u1", "|b1"})
      if (type == known) return static_cast<std::size_t>(type[2] - '0');
    return 0;
  }

  static double number_at(const Array& array, std::size_t index) {
    const std::size_t size = size_of(array.type);
    std::uint64_t bits = 0;
    for (std::size_t i = 0; i < size; ++i)
      bits |= std::uint64_t{static_cast<unsigned char>(array.data[index * size + i])} << (8 * i);
    if (array.type == "<f8") return std::bit_cast<double>(bits);
    if (array.type == "<f4") return double{std::bit_cast<float>(static_cast<std::uint32_t>(bits))};
    if (array.type[1] == 'i')  // with the sign of its own width
      return static_cast<double>(static_cast<std::int64_t>(bits << (64 - 8 * size)) >> (64 - 8 * size));
    return static_cast<double>(bits);
  }

  /// Column `c` of `width` of an array of n numbers, or of n rows.
  std::vector<double> column(const Array& array, const std::string& name, std::uint64_t c, std::uint64_t width) {
    const std::size_t size = size_of(array.type);
    if (size == 0) wrong(name, fmt::format("holds '{}', which are no numbers", printable(array.type)));
    const std::uint64_t rows = array.shape[0], numbers = array.data.size() / size;
    if (array.data.size() % size != 0 || numbers % width != 0 || numbers / width != rows)
      wrong(name, "has another length than its header says");
    held_ += rows;
    if (held_ > most_held_numbers || log_.channels.size() > most_table_columns) too_many();
    std::vector<double> values(static_cast<std::size_t>(rows));
    for (std::size_t k = 0; k < values.size(); ++k)
      values[k] = number_at(array, static_cast<std::size_t>(array.columns_first ? c * rows + k : k * width + c));
    return values;
  }

  void add_channels(const Array& array, const std::string& name) {
    if (array.shape.size() != 1 && array.shape.size() != 2)
      wrong(name, fmt::format("has {} dimensions", array.shape.size()));
    if (array.shape.size() == 1) {
      log_.channels.push_back({name, "", column(array, name, 0, 1)});
      return;
    }
    const std::uint64_t width = array.shape[1];
    if (width == 0 || width > 1000) wrong(name, fmt::format("has {} columns", width));
    for (std::uint64_t c = 0; c < width; ++c)
      log_.channels.push_back({fmt::format("{}{}", name, c + 1), "", column(array, name, c, width)});
  }

  [[nodiscard]] std::string text_of(const Array& array) const {
    if (!array.type.starts_with("|S") || !array.shape.empty()) wrong("_log", "is no text");
    return std::string(array.data.substr(0, array.data.find_last_not_of('\0') + 1));
  }

  /// What _log says: units, the order of the channels, title, facts and events.
  void read_about(const std::string& text) {
    try {
      const PlainJson about = PlainJson::parse(text);
      log_.title = about.at("title").get<std::string>();
      log_.incomplete = about.at("incomplete").get<std::string>();
      for (const PlainJson& fact : about.at("facts"))
        log_.facts.emplace_back(fact.at(0).get<std::string>(), fact.at(1).get<std::string>());
      for (const PlainJson& event : about.at("events"))
        log_.events.push_back({event.at("time").get<double>(), event.at("kind").get<std::string>(),
                               event.at("detail").get<std::string>()});
      std::size_t place = 0;
      for (const PlainJson& channel : about.at("channels")) {
        const auto name = channel.at("name").get<std::string>();
        const auto found =
            std::find_if(log_.channels.begin() + static_cast<std::ptrdiff_t>(std::min(place, log_.channels.size())),
                         log_.channels.end(), [&](const Channel& c) { return c.name == name; });
        if (found == log_.channels.end())
          throw FormatError(fmt::format("'_log' speaks of a channel '{}', of which there is no array", printable(name)),
                            "write all arrays of the log", {file_});
        found->unit = channel.at("unit").get<std::string>();
        std::rotate(log_.channels.begin() + static_cast<std::ptrdiff_t>(place++), found, found + 1);
      }
    } catch (const PlainJson::exception&) {
      throw FormatError("what '_log' says cannot be read", "leave the array out, or write it as armature does",
                        {file_});
    }
  }

  std::string_view archive_;
  const std::string& file_;
  Log log_;
  std::uint64_t held_ = 0;  // numbers
};

}  // namespace

Log read_npz(ByteSource& source, const std::string& file_name) {
  const std::string archive = read_all(source, 8 * most_held_numbers + (std::size_t{64} << 20), file_name);
  return NpzReader(archive, file_name).read();
}

}  // namespace armature::formats
