#include "armature/formats/yaml.hpp"

#include <fmt/format.h>
#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/exceptions.h>
#include <yaml-cpp/parser.h>

#include <algorithm>
#include <cmath>
#include <sstream>
#include <utility>

#include "armature/core/text.hpp"
#include "armature/formats/text_file.hpp"

namespace armature::formats {

namespace {

using Kind = Yaml::Kind;

/// Builds the tree from the parser's events, so that a refused construct costs nothing but the text before it.
class TreeBuilder : public YAML::EventHandler {
 public:
  explicit TreeBuilder(const Lines& lines) : lines_(lines) {}

  Yaml take() { return std::move(root_); }

  void OnDocumentStart(const YAML::Mark&) override {}
  void OnDocumentEnd() override {}
  void OnNull(const YAML::Mark& mark, YAML::anchor_t anchor) override {
    start(Kind::nothing, mark, "", anchor);
    end();
  }
  void OnAlias(const YAML::Mark& mark, YAML::anchor_t) override {
    throw FormatError("aliases (*name) are not read here", "write the value out", place(mark));
  }
  void OnScalar(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                const std::string& text) override {
    start(Kind::text, mark, tag, anchor).text = text;
    end();
  }
  void OnSequenceStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                       YAML::EmitterStyle::value) override {
    start(Kind::list, mark, tag, anchor);
  }
  void OnSequenceEnd() override { end(); }
  void OnMapStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                  YAML::EmitterStyle::value) override {
    start(Kind::map, mark, tag, anchor);
  }
  void OnMapEnd() override { end(); }

 private:
  struct Open {
    Yaml value;
    bool key_read = false;  // of a map: the next event is a value
  };

  [[nodiscard]] Place place(const YAML::Mark& mark) const {
    return lines_.at(static_cast<std::size_t>(std::max(mark.pos, 0)));
  }

  Yaml& start(Kind kind, const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor) {
    if (anchor != 0) throw FormatError("anchors (&name) are not read here", "write the value out", place(mark));
    if (tag.size() > 1)
      throw FormatError(fmt::format("tags are not read here: '{}'", printable(tag)), "leave the tag out", place(mark));
    if ((kind == Kind::list || kind == Kind::map) && open_.size() >= deepest_yaml)
      throw FormatError(fmt::format("more than {} lists and maps inside each other", deepest_yaml),
                        "no file of this kind is that deep; is a bracket left open?", place(mark));
    if (++count_ > most_yaml_values)
      throw FormatError(fmt::format("more than {} values", most_yaml_values), "no file of this kind has that many",
                        place(mark));
    open_.push_back({});
    open_.back().value.kind = kind;
    open_.back().value.place = place(mark);
    return open_.back().value;
  }

  void end() {
    Yaml value = std::move(open_.back().value);
    open_.pop_back();
    if (open_.empty()) {
      root_ = std::move(value);
      return;
    }
    Open& parent = open_.back();
    if (parent.value.kind == Kind::list) {
      parent.value.list.push_back(std::move(value));
    } else if (!parent.key_read) {
      add_key(parent.value.entries, std::move(value));
      parent.key_read = true;
    } else {
      if (value.kind == Kind::nothing) value.place = parent.value.entries.back().place;
      parent.value.entries.back().value = std::move(value);
      parent.key_read = false;
    }
  }

  static void add_key(std::vector<Yaml::Entry>& entries, Yaml key) {
    if (key.kind != Kind::text || key.text.empty())
      throw FormatError("a key must be a word", "write `key: value`; quote a key that holds brackets", key.place);
    for (const Yaml::Entry& entry : entries)
      if (entry.key == key.text)
        throw FormatError(fmt::format("the key '{}' is there twice", printable(key.text)),
                          fmt::format("it is also on line {}; keep one of them", entry.place.line), key.place);
    if (entries.size() >= 256)
      throw FormatError("more than 256 keys in one map", "no file of this kind has that many", key.place);
    entries.push_back({std::move(key.text), std::move(key.place), {}});
  }

  const Lines& lines_;
  std::vector<Open> open_;
  std::size_t count_ = 0;
  Yaml root_;
};

/// YAML's own message for a tab in the indentation leads astray, so it is looked for first.
void refuse_tab_indentation(std::string_view text, const Lines& lines) {
  for (std::size_t start = 0, end = 0; start < text.size(); start = end + 1) {
    end = std::min(text.find('\n', start), text.size());
    const std::size_t first = text.find_first_not_of(' ', start);
    if (first < end && text[first] == '\t' && text.find_first_not_of(" \t\r\n", first) < end)
      throw FormatError("a tab in the indentation", "YAML is indented with spaces", lines.at(first));
  }
}

std::string kind_name(const Yaml& value) {
  switch (value.kind) {
    case Kind::nothing:
      return "nothing";
    case Kind::list:
      return fmt::format("a list of {}", value.list.size());
    case Kind::map:
      return "a map";
    case Kind::text:
      break;
  }
  return fmt::format("'{}'", printable(value.text));
}

[[noreturn]] void wrong_kind(const Yaml& value, std::string_view what, std::string_view expected, std::string hint) {
  throw FormatError(fmt::format("{} must be {}, not {}", what, expected, kind_name(value)), std::move(hint),
                    value.place);
}

}  // namespace

Yaml parse_yaml(std::string_view text, const std::string& file) {
  check_text(text, file, largest_yaml);
  text = without_byte_order_mark(text);
  const Lines lines(text, file);
  refuse_tab_indentation(text, lines);
  TreeBuilder builder(lines);
  try {
    std::istringstream stream{std::string(text)};
    YAML::Parser parser(stream);
    if (!parser.HandleNextDocument(builder))
      throw FormatError("the file holds nothing but comments", "was it saved?", {file, 1, 1});
    Yaml root = builder.take();
    TreeBuilder rest(lines);
    if (parser.HandleNextDocument(rest))
      throw FormatError("a second document starts after '---' or '...'", "one file, one document", rest.take().place);
    return root;
  } catch (const YAML::Exception& e) {
    throw FormatError(fmt::format("this is not YAML: {}", e.msg),
                      "look at the indentation, the colons, the brackets and the quotes here and one line above",
                      lines.at(static_cast<std::size_t>(std::max(e.mark.pos, 0))));
  }
}

std::string text_of(const Yaml& value, std::string_view what) {
  if (value.kind != Kind::text)
    wrong_kind(value, what, "a text", "write it on one line, in quotes where it holds ': '");
  if (has_control_characters(value.text))
    throw FormatError(fmt::format("{} holds a control character", what), "remove the escape sequence", value.place);
  return value.text;
}

std::string name_of(const Yaml& value, std::string_view what, std::size_t longest) {
  std::string name = text_of(value, what);
  if (const std::string flaw = flaw_of_name(name, longest); !flaw.empty())
    throw FormatError(fmt::format("{} is not a name: it {}", what, flaw), name_hint, value.place);
  return name;
}

double quantity_in(std::string_view text, const FileUnit& unit) {
  const double number = parse_quantity(text, unit.dimension);
  if (unit.largest_bare > 0 && std::abs(number) > unit.largest_bare && parse_double(text))
    throw FormatError(fmt::format("{0} without a unit means {0} {1}", text, unit.text),
                      fmt::format("write `{0}{1}`, or `{0}{2}` if that is meant", text, unit.slip, unit.text));
  return number;
}

double quantity_of(const Yaml& value, std::string_view what, const FileUnit& unit) {
  const std::string wanted = unit.text.empty() ? "a number" : fmt::format("a quantity in {}", unit.text);
  if (value.kind != Kind::text)
    wrong_kind(value, what, wanted, fmt::format("write a number{}", unit.text.empty() ? "" : " and a unit"));
  try {
    const double number = quantity_in(value.text, unit);
    if (unit.text.empty() && value.text.back() != '%' && !parse_double(value.text))
      throw FormatError(fmt::format("'{}' has a unit", printable(value.text)), "this is a plain number");
    return number;
  } catch (const FormatError& e) {
    throw FormatError(fmt::format("{}: {}", what, e.finding()), e.hint(), value.place);
  }
}

std::vector<double> quantities_of(const Yaml& value, std::string_view what, const FileUnit& unit, std::size_t count) {
  if (value.kind != Kind::list || value.list.size() != count)
    wrong_kind(value, what, fmt::format("a list of {} numbers", count),
               count == 3 ? "write [x, y, z]" : fmt::format("write {} numbers between [ and ]", count));
  std::vector<double> numbers;
  for (const Yaml& item : value.list) numbers.push_back(quantity_of(item, what, unit));
  return numbers;
}

const std::vector<Yaml>& list_of(const Yaml& value, std::string_view what) {
  if (value.kind != Kind::list) wrong_kind(value, what, "a list", "start each item with `- `");
  return value.list;
}

std::size_t choice_of(const Yaml& value, std::string_view what, const std::vector<std::string>& words) {
  const std::string word = text_of(value, what);
  const auto found = std::find(words.begin(), words.end(), word);
  if (found == words.end())
    throw FormatError(fmt::format("{} cannot be '{}'", what, printable(word)), suggestion(word, words), value.place);
  return static_cast<std::size_t>(found - words.begin());
}

const Yaml::Entry* Yaml::entry(std::string_view key) const {
  const auto found = std::find_if(entries.begin(), entries.end(), [&](const Entry& e) { return e.key == key; });
  return found == entries.end() ? nullptr : &*found;
}
Yaml::Entry* Yaml::entry(std::string_view key) { return const_cast<Entry*>(std::as_const(*this).entry(key)); }

YamlMap::YamlMap(const Yaml& value, std::string what) : value_(value), what_(std::move(what)) {
  if (value.kind == Kind::text && value.text.find(':') != std::string::npos)
    wrong_kind(value, what_, "a map", "write `key: value` with a space after the colon");
  if (value.kind != Kind::map) wrong_kind(value, what_, "a map", "write `key: value` lines, or {key: value, ...}");
}

void YamlMap::allow(std::string_view key) {
  if (!is_allowed(key)) allowed_.emplace_back(key);
}

const Yaml* YamlMap::find(std::string_view key) {
  allow(key);
  const Yaml::Entry* entry = value_.entry(key);
  return entry ? &entry->value : nullptr;
}

const Yaml& YamlMap::at(std::string_view key) {
  if (const Yaml* value = find(key)) return *value;
  for (const Yaml::Entry& entry : value_.entries)  // missing, or mistyped?
    if (!is_allowed(entry.key) && nearest_word(entry.key, {std::string(key)}))
      throw FormatError(fmt::format("unknown key '{}' in {}", printable(entry.key), what_),
                        fmt::format("did you mean '{}'?", key), entry.place);
  throw FormatError(fmt::format("{} has no '{}'", what_, key), fmt::format("add `{}: ...`", key), value_.place);
}

bool YamlMap::is_allowed(std::string_view key) const {
  return std::find(allowed_.begin(), allowed_.end(), key) != allowed_.end();
}

void YamlMap::finish() const {
  for (const Yaml::Entry& entry : value_.entries)
    if (!is_allowed(entry.key))
      throw FormatError(fmt::format("unknown key '{}' in {}", printable(entry.key), what_),
                        suggestion(entry.key, allowed_), entry.place);
}

namespace {

/// Whether YAML reads `text`, written as it is, back as the same text.
bool plain(std::string_view text) {
  if (text.empty() || text.front() == ' ' || text.back() == ' ') return false;
  if (std::isalpha(static_cast<unsigned char>(text.front())) == 0) return false;
  for (const char c : text) {
    const bool safe = std::isalnum(static_cast<unsigned char>(c)) ||
                      std::string_view(" _-./+()*=^%").find(c) != std::string_view::npos;
    if (!safe) return false;
  }
  for (const std::string_view word : {"null", "Null", "NULL"})
    if (text == word) return false;
  return true;
}

std::string quoted(std::string_view text) {
  std::string out = "\"";
  for (std::size_t i = 0; i < text.size();) {
    const Character c = character_at(text, i);
    if (c.code == '"' || c.code == '\\')
      out += fmt::format("\\{}", text[i]);
    else if (c.code == '\n' || c.code == '\t')
      out += c.code == '\n' ? "\\n" : "\\t";
    else if (c.length > 0 && is_control(c.code))
      out += escape_of(c.code);
    else
      out += text.substr(i, std::max<std::size_t>(c.length, 1));
    i += std::max<std::size_t>(c.length, 1);
  }
  return out + '"';
}

}  // namespace

std::string yaml_text(std::string_view text, std::size_t indent) {
  constexpr std::size_t width = 110;
  if (plain(text) && text.size() <= width) return std::string(text);
  const auto has = [](std::string_view in, std::string_view what) { return in.find(what) != std::string_view::npos; };
  const bool ends_line = !text.empty() && text.back() == '\n';
  const std::string_view body = text.substr(0, text.size() - (ends_line ? 1 : 0));
  const bool one_line = !has(body, "\n");
  const bool block = indent > 0 && !body.empty() && !has_control_characters(body) &&
                     (body.size() > width || !one_line) && !has(body, "\t") && !has(body, " \n") &&
                     !has(" \n", body.substr(0, 1)) && !has(" \n", body.substr(body.size() - 1)) &&
                     !(one_line && has(body, "  "));
  if (!block) return quoted(text);

  std::string out = one_line ? ">" : "|";  // folded: a line break reads as a space; literal: as a line break
  if (!ends_line) out += '-';
  for (std::size_t start = 0; start <= body.size();) {
    std::size_t end = std::min(body.find('\n', start), body.size());
    if (one_line && end - start > width) {
      const std::size_t before = body.rfind(' ', start + width);
      end = before != std::string_view::npos && before > start ? before : std::min(body.find(' ', start), body.size());
    }
    out += '\n';
    if (end > start) out += std::string(indent, ' ') + std::string(body.substr(start, end - start));
    start = end + 1;
  }
  return out;
}

}  // namespace armature::formats
