#include "armature/formats/internal/xml.hpp"

#include <tinyxml2.h>

#include "armature/core/random.hpp"
#include "armature/testing/doctest.hpp"

using namespace armature::formats;

namespace {

/// Elements, attributes and values, one per line.
std::string listing(const XmlElement& element, int depth = 0) {
  std::string text = std::string(static_cast<std::size_t>(depth), ' ') + element.name + "\n";
  for (const XmlAttribute& attribute : element.attributes)
    text += std::string(static_cast<std::size_t>(depth), ' ') + "@" + attribute.name + "=" + attribute.value + "\n";
  for (const XmlElement& child : element.children) text += listing(child, depth + 1);
  return text;
}
std::string listing(const tinyxml2::XMLElement& element, int depth = 0) {
  std::string text = std::string(static_cast<std::size_t>(depth), ' ') + element.Name() + "\n";
  for (const auto* a = element.FirstAttribute(); a; a = a->Next())
    text += std::string(static_cast<std::size_t>(depth), ' ') + "@" + a->Name() + "=" + a->Value() + "\n";
  for (const auto* child = element.FirstChildElement(); child; child = child->NextSiblingElement())
    text += listing(*child, depth + 1);
  return text;
}

std::string random_name(Random& random) {
  const std::vector<std::string> names{"link", "joint", "a", "x:y", "_b-2", "mass.kg", "µm"};
  return names[random.bits() % names.size()];
}
std::string random_space(Random& random) { return std::vector<std::string>{" ", "  ", "\n", "\t "}[random.bits() % 4]; }

std::string random_element(Random& random, int depth) {
  const std::string name = random_name(random);
  std::string text = "<" + name;
  for (auto n = random.bits() % 4; n > 0; --n) {
    const std::string quote = random.uniform() < 0.5 ? "\"" : "'";
    const std::vector<std::string> values{
        "", "1.5", "a b", "&lt;x&gt;", "&amp;&quot;", "&#65;&#xe9;", "µ", ">", quote == "'" ? "\"" : "'"};
    text += random_space(random) + "k" + std::to_string(n) + (random.uniform() < 0.3 ? " = " : "=") + quote +
            values[random.bits() % values.size()] + quote;
  }
  if (random.uniform() < 0.3) return text + (random.uniform() < 0.5 ? " />" : "/>");
  text += ">";
  for (auto n = depth > 4 ? 0 : random.bits() % 4; n > 0; --n) {
    const std::vector<std::string> between{"", "text", "<!-- <a> & -->", "<![CDATA[<b>]]>",
                                           "\n"};  // tinyxml2 takes no <?pi?> here
    text += between[random.bits() % between.size()] + random_element(random, depth + 1);
  }
  return text + "</" + name + (random.uniform() < 0.2 ? " >" : ">");
}

}  // namespace

TEST_CASE("every element and every value of an XML text knows its place") {
  const XmlElement root =
      parse_xml("<?xml version=\"1.0\"?>\n<!-- µ -->\n<a x='1'\n   y = \"2\">\n <b/><c z=\"&lt;\"/>\n</a>\n", "t.xml");
  CHECK(to_string(root.place) == "t.xml:3:1");
  CHECK(to_string(root.attributes.at(0).place) == "t.xml:3:7");
  CHECK(to_string(root.attributes.at(1).place) == "t.xml:4:9");
  CHECK(to_string(root.children.at(1).place) == "t.xml:5:6");
  CHECK(root.children[1].attributes[0].value == "<");
}

TEST_CASE("tinyxml2 reads the same tree out of the same text") {
  Random random(1);
  for (int i = 0; i < 2000; ++i) {
    const std::string text = "<?xml version=\"1.0\"?>" + random_element(random, 0) + "\n";
    CAPTURE(text);
    tinyxml2::XMLDocument document;
    REQUIRE(document.Parse(text.data(), text.size()) == tinyxml2::XML_SUCCESS);
    REQUIRE(listing(parse_xml(text, "t")) == listing(*document.RootElement()));
  }
}

TEST_CASE("text that is no XML is refused where it goes wrong") {
  const auto complaint = [](const std::string& text) {
    try {
      parse_xml(text, "t");
    } catch (const FormatError& e) {
      CHECK_FALSE(e.hint().empty());
      return e.what() + std::string();
    }
    return std::string("accepted");
  };
  CHECK(complaint("robot").starts_with("t:1:1: this is not XML"));
  CHECK(complaint("<a>\n<b>\n</a>").starts_with("t:3:1: </a> closes <b>, opened on line 2"));
  CHECK(complaint("<a>\n<b/>").starts_with("t:1:1: <a> is never closed"));
  CHECK(complaint("<a").starts_with("t:1:3: <a> is not closed"));
  CHECK(complaint("<a/><b/>").starts_with("t:1:5: text after the end"));
  CHECK(complaint("<a x=1/>").starts_with("t:1:6: the value of x is not in quotes"));
  CHECK(complaint("<a x/>").starts_with("t:1:5: the attribute x has no value"));
  CHECK(complaint("<a x='1/>").starts_with("t:1:6: the value of x has no closing quote"));
  CHECK(complaint("<a x='1' x='2'/>").starts_with("t:1:10: the attribute x is there twice"));
  CHECK(complaint("<a x='1'y='2'/>").starts_with("t:1:9: an attribute must follow a space"));
  CHECK(complaint("<a x='<'/>").starts_with("t:1:7: < inside a value"));
  CHECK(complaint("<a x='&lol;'/>").starts_with("t:1:7: '&lol' is no known entity"));
  for (const char* code :
       {"&#0;", "&#xD800;", "&#x110000;", "&#99999999;", "&#;", "&#x;", "&#xg;", "&", "&#27;", "&lt"})
    CHECK(complaint(std::string("<a x='") + code + "'/>").starts_with("t:1:7: "));
  CHECK(complaint("<!DOCTYPE a [<!ENTITY b 'c'>]>\n<a/>").starts_with("t:1:1: DOCTYPE"));
  CHECK(complaint("<!DOCTYPE a SYSTEM 'a.dtd' ><!ELEMENT b>\n<a/>").starts_with("t:1:29: DOCTYPE"));
  CHECK(complaint("<!DOCTYPE a").starts_with("t:1:1: "));
  CHECK(complaint("<!doctype html>\n<html/>").starts_with("t:1:1: this is a web page\n  hint: was the file saved"));
  CHECK(complaint("version https://git-lfs.github.com/spec/v1\n").starts_with("t:1:1: this is a pointer of Git LFS"));
  CHECK(complaint("<a><!-- x </a>").starts_with("t:1:8: the comment is not closed"));
  CHECK(complaint("<a><![CDATA[ x </a>").starts_with("t:1:4: the CDATA section is not closed"));
  CHECK(complaint("<1/>").starts_with("t:1:2: the name of an element"));
}

TEST_CASE("size, depth and number of elements are bounded, and no text takes long") {
  std::string deep;
  for (int i = 0; i < 500'000; ++i) deep += "<a>";
  CHECK_THROWS_WITH_AS(parse_xml(deep, "t"), doctest::Contains("more than 64 elements inside each other"), FormatError);
  std::string wide = "<a>";
  for (int i = 0; i < 200'000; ++i) wide += "<b/>";
  CHECK_THROWS_WITH_AS(parse_xml(wide + "</a>", "t"), doctest::Contains("more than 100000 elements"), FormatError);
  CHECK_THROWS_WITH_AS(parse_xml("<a>" + std::string(largest_xml, ' ') + "</a>", "t"),
                       doctest::Contains("is larger than 4194304 bytes"), FormatError);
  std::string attributes = "<a";
  for (int i = 0; i < 300'000; ++i) attributes += " k" + std::to_string(i) + "=''";
  CHECK_THROWS_WITH_AS(parse_xml(attributes + "/>", "t"), doctest::Contains("more than 256 attributes"), FormatError);
}

TEST_CASE("XML in other encodings and with the line ends of other systems is the same text") {
  const std::string declared = "<?xml version='1.0' encoding='ISO-8859-1'?>";
  const std::string latin = declared +
                            "<r n='Gr\xF6\xDF"
                            "e \x80'/>",
                    utf8 = "<r n='Größe €'/>";
  CHECK(parse_xml(latin, "a").attributes[0].value == "Größe €");
  for (const bool big_endian : {false, true})
    for (const bool marked : {false, true}) {
      std::string wide = !marked ? "" : big_endian ? "\xFE\xFF" : "\xFF\xFE";
      const auto put = [&](int unit) {
        const char high = static_cast<char>(unit >> 8), low = static_cast<char>(unit & 0xFF);
        wide += big_endian ? std::string{high, low} : std::string{low, high};
      };
      for (const int unit : std::vector<int>{'<', 'r', ' ', 'n', '=', '"', 0xF6, 0x20AC, 0xD83D, 0xDE00, '"', '/', '>'})
        put(unit);
      CHECK(parse_xml(wide, "a").attributes[0].value == "ö€😀");
    }
  CHECK(parse_xml("<!-- Gr\xF6\xDF"
                  "e -->" +
                      utf8,
                  "a")
            .attributes[0]
            .value == "Größe €");  // nobody reads a comment
  CHECK_THROWS_WITH_AS(parse_xml("<!-- a --><r n='Gr\xF6'/>", "a"), doctest::Contains("a:1:19: byte 0xf6 is not UTF-8"),
                       FormatError);
  CHECK_THROWS_AS(parse_xml(std::string("\xFF\xFE<\0r\0/\0>\0\0\xD8", 12), "a"), FormatError);  // half a character
  CHECK(parse_xml("<r\r n='1'\r/>\r", "a").attributes[0].place.line == 2);
}
