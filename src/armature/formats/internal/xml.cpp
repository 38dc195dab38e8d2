#include "armature/formats/internal/xml.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <optional>

#include "armature/core/text.hpp"
#include "armature/formats/internal/xml_encoding.hpp"
#include "armature/formats/text_file.hpp"

namespace armature::formats {

namespace {

bool starts_name(char c) {
  return std::isalpha(static_cast<unsigned char>(c)) || c == '_' || c == ':' || (c & 0x80) != 0;
}
bool continues_name(char c) {
  return starts_name(c) || std::isdigit(static_cast<unsigned char>(c)) || c == '-' || c == '.';
}
bool is_space(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }

/// [XML 1.0, 2.1]  document ::= misc element misc, read by recursive descent over the text.
class Parser {
 public:
  Parser(std::string_view text, const std::string& file) : text_(text), lines_(text, file) {}

  XmlElement document() {
    skip_misc();
    if (sees("version https://git-lfs"))
      fail(i_, "this is a pointer of Git LFS, not the file itself", "`git lfs pull` fetches it");
    if (at_end() || text_[i_] != '<') fail(i_, "this is not XML", "a URDF begins with <robot name=\"...\">");
    XmlElement root = element(1);
    skip_misc();
    if (!at_end()) fail(i_, "text after the end of the root element", "one file, one root element");
    return root;
  }

 private:
  [[noreturn]] void fail(std::size_t offset, std::string finding, std::string hint) const {
    throw FormatError(std::move(finding), std::move(hint), lines_.at(offset));
  }
  [[nodiscard]] bool at_end() const { return i_ >= text_.size(); }
  [[nodiscard]] bool sees(std::string_view token) const { return text_.substr(i_, token.size()) == token; }
  void skip_space() {
    while (!at_end() && is_space(text_[i_])) ++i_;
  }
  /// Moves behind the next `closing`.
  void skip_past(std::string_view closing, const char* what) {
    const std::size_t end = text_.find(closing, i_);
    if (end == std::string_view::npos)
      fail(i_, fmt::format("{} is not closed", what), fmt::format("end it with {}", closing));
    i_ = end + closing.size();
  }
  void skip_misc() {
    for (skip_space(); !at_end(); skip_space())
      if (!skip_markup()) return;
  }
  /// Skips what is no element; false where an element or text begins.
  bool skip_markup() {
    if (sees("<!--")) {
      i_ += 4;
      skip_past("-->", "the comment");
    } else if (sees("<?"))
      skip_past("?>", "the processing instruction");
    else if (sees("<![CDATA["))
      skip_past("]]>", "the CDATA section");
    else if (sees("<!DOCTYPE html") || sees("<!doctype html"))
      fail(i_, "this is a web page", saved_page);
    else if (sees("<!DOCTYPE") && text_.find('>', i_) < text_.find('[', i_))  // declares nothing
      skip_past(">", "the DOCTYPE");
    else if (sees("<!"))
      fail(i_, "DOCTYPE and other declarations are not read here", "remove the declaration");
    else
      return false;
    return true;
  }

  std::string name(const char* what) {
    const std::size_t start = i_;
    if (at_end() || !starts_name(text_[i_]))
      fail(i_, fmt::format("{} is missing or begins with a wrong character", what), "names begin with a letter");
    while (!at_end() && continues_name(text_[i_])) ++i_;
    return std::string(text_.substr(start, i_ - start));
  }

  XmlElement element(std::size_t depth) {
    const std::size_t start = i_++;
    if (depth > deepest_xml)
      fail(start, fmt::format("more than {} elements inside each other", deepest_xml),
           "no file of this kind is that deep");
    if (++count_ > most_xml_elements)
      fail(start, fmt::format("more than {} elements", most_xml_elements), "no file of this kind has that many");
    XmlElement result;
    result.place = lines_.at(start);
    result.name = name("the name of an element");
    while (attribute(result)) {
    }
    if (sees("/>")) {
      i_ += 2;
      return result;
    }
    if (!sees(">")) fail(i_, fmt::format("<{}> is not closed", printable(result.name)), "end it with > or />");
    ++i_;
    while (!content(result, start, depth)) {
    }
    return result;
  }

  /// Reads one piece of what stands between the tags of `parent`; true when that was the end tag.
  bool content(XmlElement& parent, std::size_t start, std::size_t depth) {
    i_ = std::min(text_.find('<', i_), text_.size());
    if (at_end())
      fail(start, fmt::format("<{}> is never closed", printable(parent.name)),
           fmt::format("add </{}>", printable(parent.name)));
    if (sees("</")) {
      const std::size_t end = i_;
      i_ += 2;
      const std::string closing = name("the name of an end tag");
      if (closing != parent.name)
        fail(end,
             fmt::format("</{}> closes <{}>, opened on line {}", printable(closing), printable(parent.name),
                         parent.place.line),
             fmt::format("write </{}>, or close what is in between", printable(parent.name)));
      skip_space();
      if (!sees(">")) fail(i_, fmt::format("</{}> is not closed", printable(closing)), "end it with >");
      ++i_;
      return true;
    }
    if (!skip_markup()) parent.children.push_back(element(depth + 1));
    return false;
  }

  /// Reads one attribute; false where there is none.
  bool attribute(XmlElement& owner) {
    const bool spaced = !at_end() && is_space(text_[i_]);
    skip_space();
    if (at_end() || text_[i_] == '>' || sees("/>")) return false;
    const std::size_t start = i_;
    if (!spaced) fail(start, "an attribute must follow a space", "put a space before it");
    XmlAttribute result;
    result.name = name("the name of an attribute");
    skip_space();
    if (!sees("="))
      fail(i_, fmt::format("the attribute {} has no value", printable(result.name)), "write name=\"value\"");
    ++i_;
    skip_space();
    if (!sees("\"") && !sees("'"))
      fail(i_, fmt::format("the value of {} is not in quotes", printable(result.name)), "write name=\"value\"");
    const char quote = text_[i_++];
    result.place = lines_.at(i_);
    const std::size_t end = text_.find(quote, i_);
    if (end == std::string_view::npos)
      fail(i_ - 1, fmt::format("the value of {} has no closing quote", printable(result.name)), "close the quote");
    result.value = value(end);
    for (const XmlAttribute& other : owner.attributes)
      if (other.name == result.name)
        fail(start, fmt::format("the attribute {} is there twice", printable(result.name)), "keep one of them");
    if (owner.attributes.size() >= 256) fail(start, "more than 256 attributes", "no element has that many");
    owner.attributes.push_back(std::move(result));
    return true;
  }

  /// The value that ends before `end`, entities replaced.
  std::string value(std::size_t end) {
    const std::size_t start = i_;
    std::string out;
    while (i_ < end) {
      const char c = text_[i_];
      if (c == '<') fail(i_, "< inside a value", "is a quote missing? Otherwise write &lt;");
      if (c == '&')
        out += entity(end);
      else {
        out += is_space(c) ? ' ' : c;
        ++i_;
      }
    }
    i_ = end + 1;
    if (has_control_characters(out)) fail(start, "a control character inside a value", "remove it");
    return out;
  }

  std::string entity(std::size_t end) {
    const std::size_t start = i_;
    const std::size_t semicolon = std::min(text_.find(';', i_), end);
    const std::string_view body = text_.substr(i_ + 1, semicolon - i_ - 1);
    i_ = semicolon + 1;
    if (semicolon < end) {
      if (body == "lt") return "<";
      if (body == "gt") return ">";
      if (body == "amp") return "&";
      if (body == "quot") return "\"";
      if (body == "apos") return "'";
      if (const auto code = character_code(body)) return utf8_of(*code);
    }
    fail(start, fmt::format("'&{}' is no known entity", printable(body, 20)),
         "known: &lt; &gt; &amp; &quot; &apos; &#65; &#x41;");
  }

  static std::optional<char32_t> character_code(std::string_view body) {
    const bool hex = body.substr(0, 2) == "#x";
    body.remove_prefix(std::min<std::size_t>(body.size(), hex ? 2 : body.substr(0, 1) == "#" ? 1 : body.size()));
    if (body.empty() || body.size() > 7) return std::nullopt;
    char32_t code = 0;
    for (const char c : body) {
      const bool digit = c >= '0' && c <= '9';
      const int letter = std::tolower(static_cast<unsigned char>(c)) - 'a';
      if (!digit && !(hex && letter >= 0 && letter < 6)) return std::nullopt;
      code = code * (hex ? 16 : 10) + static_cast<char32_t>(digit ? c - '0' : letter + 10);
    }
    const bool surrogate = code >= 0xD800 && code < 0xE000;
    return code == 0 || code > 0x10FFFF || surrogate ? std::nullopt : std::optional(code);
  }

  std::string_view text_;
  Lines lines_;
  std::size_t i_ = 0;
  std::size_t count_ = 0;
};

}  // namespace

XmlElement parse_xml(std::string_view bytes, const std::string& file) {
  if (bytes.size() > largest_xml) check_text(bytes, file, largest_xml);
  const std::string text = xml_in_utf8(bytes);
  check_text(text, file, 2 * largest_xml);
  return Parser(without_byte_order_mark(text), file).document();
}

}  // namespace armature::formats
