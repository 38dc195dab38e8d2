#include "armature/testing/hostile_names.hpp"

#include <iterator>

#include "armature/core/characters.hpp"
#include "armature/core/random.hpp"

namespace armature::testing {
namespace {

using namespace std::string_literals;

// Whole names first, each tried as it is.
const std::string words[] = {"class",
                             "std",
                             "armature_turns",
                             "n",
                             "T",
                             "struct",
                             "int",
                             "double",
                             "end",
                             "function",
                             "zeros",
                             "gravity",
                             "mass_matrix",
                             "real_root",
                             "def",
                             "None",
                             "lambda",
                             "main",
                             "NAN",
                             "NULL",
                             "M_PI",
                             "timeval",
                             "size_t",
                             "linux",
                             "ARMATURE_TURNS",
                             "_Complex",
                             "__host__",
                             "a__b",
                             "_",
                             "-",
                             ".",
                             "..",
                             "1",
                             "7dof",
                             "null",
                             "true",
                             "~",
                             "1e5",
                             "0x1F",
                             "time",
                             "q1",
                             "u_a",
                             "a [rad]",
                             "a []",
                             "[",
                             "]",
                             "x[1]",
                             "#a",
                             "# a",
                             "=1+1",
                             "%",
                             "--",
                             "-->",
                             "'",
                             "\"",
                             "\"\"",
                             "\\",
                             "a\\",
                             "a?\?/",
                             "%{",
                             "#{",
                             "...",
                             "*",
                             "&a",
                             "!!str",
                             "? a",
                             "- a",
                             "a: b",
                             "a #b",
                             "{a",
                             "[a",
                             "@a",
                             "`a",
                             "|",
                             ">",
                             ",",
                             "a,b",
                             "a;b",
                             "left \"A\"",
                             "\"quoted\"",
                             "</script>",
                             "<!--",
                             "]]>",
                             "&amp;",
                             "&#10;",
                             "\\n",
                             "\\x0a",
                             "\\u000a",
                             "\\N{LATIN SMALL LETTER A}",
                             "\\newline",
                             "^^M",
                             "\\end{align*}",
                             "\\input{/etc/passwd}",
                             "$(id)",
                             "`id`",
                             "%n%s",
                             "{}",
                             "\xC3\xA4rm",
                             "\xE6\xBC\xA2\xE5\xAD\x97",
                             "\xF0\x9F\xA4\x96",
                             "\"\"\"+str(__import__('os').abort())+\"\"\"",
                             "x\nint evil() { return 1; } //",
                             "x\nimport os; os.abort()",
                             "x\r\nerror('evil')",
                             "x\n\\end{document}",
                             "javascript:alert(1)",
                             "",
                             " ",
                             " a",
                             "a ",
                             std::string(100, 'a'),
                             std::string(101, 'a'),
                             std::string(5000, 'b'),
                             "a\0b"s,
                             "\xFF",
                             "a\xC0\x8A",
                             "\xED\xA0\x80",
                             "\xF4\x90\x80\x80",
                             "cut \xE6\xBC",
                             "\x1b[31m",
                             "\xC2\x9B"
                             "31m",
                             "\x7F"};

// What the others are put together from.
const std::string pieces[] = {
    "a", "B", "7", "_", "-", " ", "  ", ".", "arm", "\"", "\"\"\"", "'", "'''", "\\", "\\\\", "\\N{", "\\x", "\\u12",
    "\\U", "/*", "*/", "//", "?\?/", "#", "%", "%{", "%}", "#}", "...", "^^M", "\\end{", "}", "{", "[", "]", "(", ")",
    "-->", "<!--", "--", "]]>", "</", "script>", "<", ">", "&", "&lt;", "&#10;", ",", ";", ":", ": ", " #", "|", "=",
    "@", "$", "`", "~", "*", "?", "!", "\xC3\xA9", "\xE2\x82\xAC", "\xF0\x9F\x98\x80", "\xC2\xA0", "class", "end",
    // not in names
    "\n", "\r", "\t", "\x1b", "\x07", "\x7F", "\xC2\x85", "\xC2\x9B", "\xE2\x80\xA8", "\xE2\x80\xA9", "\xE2\x80\xAE",
    "\xE2\x81\xA6", "\xEF\xBB\xBF", "\xFF", "\xC0\x8A"};
constexpr std::size_t not_in_names = 15;

std::vector<std::string> made(std::size_t count, bool in_order) {
  std::vector<std::string> names;
  const auto wanted = [&](const std::string& name) { return !in_order || flaw_of_name(name).empty(); };
  for (const std::string& name : words)
    if (names.size() < count && wanted(name)) names.push_back(name);
  Random random(20240229);
  while (names.size() < count) {
    std::string name;
    const std::size_t most = std::size(pieces) - (in_order || random.bits() % 2 == 0 ? not_in_names : 0);
    for (std::size_t k = 1 + random.bits() % 9; k > 0; --k) name += pieces[random.bits() % most];
    if (wanted(name)) names.push_back(std::move(name));
  }
  return names;
}

}  // namespace

std::vector<std::string> hostile_names(std::size_t count) { return made(count, false); }
std::vector<std::string> hostile_names_in_order(std::size_t count) { return made(count, true); }

}  // namespace armature::testing
