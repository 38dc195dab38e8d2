// The reader of formulas: a small grammar, read from left to right, with limits on what it will swallow.
#include <fmt/core.h>

#include <algorithm>
#include <cctype>
#include <utility>

#include "armature/core/error.hpp"
#include "armature/core/text.hpp"
#include "armature/core/units.hpp"
#include "armature/numerics/formula.hpp"

namespace armature::numerics {
namespace {

constexpr int deepest = 2 * 64;                // brackets within brackets, each a sum and a value
constexpr std::size_t longest_text = 1 << 20;  // [bytes]
constexpr std::size_t longest_word = 40;
constexpr int most_choices = 4;  // ± in one formula: each doubles the work

struct Token {
  enum class Kind { number, name, mark, line_end, end } kind = Kind::end;
  std::string text;
  double number = 0;
  int line = 1, column = 1;
};

class FormulaReader {
 public:
  FormulaReader(std::string_view text, std::string file) : text_(text), file_(std::move(file)) {
    if (text.size() > longest_text)
      throw FormatError(fmt::format("the file has {} bytes; {} are the most that is read", text.size(), longest_text),
                        "split it", {file_, 0, 0});
    next();
  }

  std::vector<Statement> statements() {
    std::vector<Statement> all;
    for (;;) {
      while (token_.kind == Token::Kind::line_end) next();
      if (token_.kind == Token::Kind::end) return all;
      all.push_back(statement());
    }
  }

  FormulaPtr formula_alone() {
    const Token start = token_;
    FormulaPtr f = sum();
    while (token_.kind == Token::Kind::line_end) next();
    if (token_.kind != Token::Kind::end) unexpected("the end");
    check_printed(*f, start);
    return f;
  }

 private:
  explicit FormulaReader(std::string_view printed) : text_(printed), printed_(true) { next(); }

  [[noreturn]] void fail(const std::string& finding, const std::string& hint, const Token& at) const {
    throw FormatError(finding, hint, {file_, at.line, at.column});
  }
  [[noreturn]] void unexpected(const std::string& wanted) const {
    const std::string found = token_.kind == Token::Kind::end        ? "the end of the file"
                              : token_.kind == Token::Kind::line_end ? "the end of the line"
                                                                     : "'" + printable(token_.text) + "'";
    std::string hint = "a statement reads  name = formula";
    if (wanted == "an operator")
      hint = token_.kind == Token::Kind::name || token_.kind == Token::Kind::number || token_.text == "("
                 ? "a product is written with *"
                 : "operators are + - * / ^ and ± (or +-)";
    if (wanted == "')'" || wanted == "']'") hint = "a bracket was opened and not closed";
    if (wanted == "a value") hint = "a number, a name, a function call or a bracket may stand here";
    fail(fmt::format("expected {}, found {}", wanted, found), hint, token_);
  }

  bool at(std::string_view mark) const { return token_.kind == Token::Kind::mark && token_.text == mark; }
  bool take(std::string_view mark) {
    if (!at(mark)) return false;
    next();
    return true;
  }

  // ------------------------------------------------------------------------------------------------------- tokens
  char peek(std::size_t ahead = 0) const { return at_ + ahead < text_.size() ? text_[at_ + ahead] : '\0'; }
  void advance() {
    if (at_ >= text_.size()) return;
    if (text_[at_] == '\n') {
      ++line_;
      column_ = 0;
    }
    if ((static_cast<unsigned char>(text_[at_]) & 0xc0) != 0x80)
      ++column_;  // bytes that continue a letter do not count
    ++at_;
  }

  void next() {
    if (skip_blanks()) return;
    Token t{Token::Kind::end, {}, 0, line_, column_};
    const char c = peek();
    goes_on_ = false;
    if (std::isdigit(static_cast<unsigned char>(c)) || (c == '.' && std::isdigit(static_cast<unsigned char>(peek(1)))))
      read_number(t);
    else if (std::isalpha(static_cast<unsigned char>(c)))
      read_name(t);
    else
      read_mark(t);
    token_ = t;
  }

  // To the next thing that means something. True: the end of the line or of the file came first, and is the token.
  bool skip_blanks() {
    for (;; advance()) {
      if (peek() == '#')
        while (at_ < text_.size() && peek() != '\n') advance();
      const bool end = at_ >= text_.size();
      if (end || (peek() == '\n' && open_ == 0 && !goes_on_)) {
        token_ = {end ? Token::Kind::end : Token::Kind::line_end, {}, 0, line_, column_};
        advance();
        return true;
      }
      if (std::string_view(" \t\r\n").find(peek()) == std::string_view::npos) return false;
    }
  }

  void read_name(Token& t) {
    t.kind = Token::Kind::name;
    while (std::isalnum(static_cast<unsigned char>(peek())) || peek() == '_') {
      t.text += peek();
      advance();
      if (t.text.size() > longest_word)
        fail("a name is longer than 40 letters", "names are short: zeta6, M12, r3_4", t);
    }
  }

  void read_mark(Token& t) {
    t.kind = Token::Kind::mark;
    const char c = peek();
    if (text_.substr(at_, 2) == "\xC2\xB1" || text_.substr(at_, 2) == "+-") {  // ± in UTF-8
      t.text = "±";
      advance();
    } else if (std::string_view("+-*/^=()[],").find(c) != std::string_view::npos) {
      t.text = c;
    } else {
      fail(fmt::format("the character '{}' means nothing here", printable(text_.substr(at_, utf8_length(c)))),
           "letters, digits, + - * / ^ = ( ) [ ] , ± and # for comments", t);
    }
    advance();
    if (t.text == "(" || t.text == "[") ++open_;
    if ((t.text == ")" || t.text == "]") && open_ > 0) --open_;
    goes_on_ = t.text != ")" && t.text != "]";
  }

  static std::size_t utf8_length(char c) {
    const auto u = static_cast<unsigned char>(c);
    return u < 0x80 ? 1 : u < 0xe0 ? 2 : u < 0xf0 ? 3 : 4;
  }

  void read_number(Token& t) {
    t.kind = Token::Kind::number;
    const std::size_t start = at_;
    const auto digits = [&] {
      while (std::isdigit(static_cast<unsigned char>(peek()))) advance();
    };
    digits();
    if (peek() == '.') {
      advance();
      digits();
    }
    if ((peek() == 'e' || peek() == 'E') &&
        (std::isdigit(static_cast<unsigned char>(peek(1))) ||
         ((peek(1) == '-' || peek(1) == '+') && std::isdigit(static_cast<unsigned char>(peek(2)))))) {
      advance();
      advance();
      digits();
    }
    t.text = text_.substr(start, at_ - start);
    const auto value = parse_double(t.text);
    if (!value) fail(fmt::format("'{}' is no number", printable(t.text)), "as in 0.5 or 1e-3", t);
    t.number = *value;
    if (std::isalpha(static_cast<unsigned char>(peek())))
      fail(fmt::format("'{}' is followed by a letter", printable(t.text)), "a product is written with *: 2*q1",
           {Token::Kind::mark, {}, 0, line_, column_});
  }

  // ------------------------------------------------------------------------------------------------------ grammar
  Statement statement() {
    Statement s;
    s.line = token_.line;
    s.column = token_.column;
    if (token_.kind != Token::Kind::name) unexpected("a name");
    if (token_.text == "given" || token_.text == "means") {
      s.kind = token_.text == "given" ? Statement::Kind::given : Statement::Kind::means;
      next();
      if (token_.kind != Token::Kind::name) unexpected("a name");
    }
    for (;;) {
      const Token name = token_;
      if (arguments_of(name.text) > 0)
        fail(fmt::format("'{}' is a function and cannot be defined", name.text), "choose another name", name);
      s.names.push_back(name.text);
      next();
      if (!take("=")) unexpected("'='");
      // M12 = M21 = ...: a name and another '=' follow
      const FormulaReader saved = *this;
      if (token_.kind == Token::Kind::name) {
        next();
        const bool chain = at("=");
        *this = saved;
        if (chain) continue;
      }
      break;
    }
    const Token start = token_;
    s.formula = sum();
    if (at("=")) fail("a second '=' after a formula", "chains are of names: M12 = M21 = formula", token_);
    if (token_.kind != Token::Kind::line_end && token_.kind != Token::Kind::end) unexpected("an operator");
    if (choices_in(*s.formula) > most_choices)
      fail(fmt::format("more than {} choices of sign in one formula", most_choices), "give parts of it names",
           {Token::Kind::mark, {}, 0, s.line, s.column});
    check_printed(*s.formula, start);
    return s;
  }

  /// Signs and exponents are printed as brackets, so a formula may be too deep for its printed form: that is refused here.
  void check_printed(const Formula& f, const Token& start) const {
    if (4 * depth_reached_ <= deepest || printed_) return;  // printing makes it no more than four times as deep
    const std::string again = armature::numerics::text(f);
    FormulaReader reader(again);
    try {
      reader.formula_alone();
    } catch (const FormatError&) {
      fail(fmt::format("signs, exponents and brackets are nested more than {} deep", deepest / 2),
           "give inner parts names of their own", start);
    }
  }

  struct Deeper {
    explicit Deeper(FormulaReader& r) : reader(r) {
      reader.depth_reached_ = std::max(reader.depth_reached_, reader.depth_ + 1);
      if (++reader.depth_ > deepest)
        reader.fail(fmt::format("brackets are nested more than {} deep", deepest / 2),
                    "give inner parts names of their own", reader.token_);
    }
    ~Deeper() { --reader.depth_; }
    Deeper(const Deeper&) = delete;
    Deeper& operator=(const Deeper&) = delete;
    FormulaReader& reader;
  };

  FormulaPtr placed(FormulaPtr f, const Token& at) const {
    auto copy = std::make_shared<Formula>(*f);
    copy->line = at.line;
    copy->column = at.column;
    return copy;
  }

  FormulaPtr sum() {
    const Deeper deeper(*this);
    const Token start = token_;
    std::vector<FormulaPtr> terms;
    std::vector<Formula::Sign> signs;
    const auto sign = [&] {
      if (take("-")) return Formula::Sign::minus;
      if (take("±")) return Formula::Sign::either;
      take("+");
      return Formula::Sign::plus;
    };
    do {
      signs.push_back(sign());
      terms.push_back(product());
    } while (at("+") || at("-") || at("±"));
    return placed(Formula::sum(std::move(terms), std::move(signs)), start);
  }

  FormulaPtr product() {
    const Token start = token_;
    std::vector<FormulaPtr> factors{power()};
    for (;;) {
      if (take("*")) {
        factors.push_back(power());
      } else if (take("/")) {
        FormulaPtr above = Formula::product(std::move(factors));
        factors = {placed(Formula::quotient(std::move(above), power()), start)};
      } else {
        return placed(Formula::product(std::move(factors)), start);
      }
    }
  }

  FormulaPtr power() {
    const Deeper deeper(*this);
    const Token start = token_;
    if (at("-") || at("±")) {
      const bool minus = at("-");
      next();
      FormulaPtr inner = power();
      return placed(minus ? Formula::negative(std::move(inner)) : Formula::plus_minus(std::move(inner)), start);
    }
    FormulaPtr base = value();
    if (!take("^")) return base;
    return placed(Formula::power(std::move(base), power()), start);
  }

  FormulaPtr value() {
    const Token start = token_;
    if (token_.kind == Token::Kind::number) {
      next();
      return placed(Formula::of(start.number), start);
    }
    if (at("(") || at("[")) {
      const std::string close = at("(") ? ")" : "]";
      next();
      FormulaPtr inner = sum();
      if (!take(close)) unexpected("'" + close + "'");
      return inner;
    }
    if (token_.kind != Token::Kind::name) unexpected("a value");
    next();
    if (!at("(")) {
      if (arguments_of(start.text) > 0)
        fail(fmt::format("the function '{}' has no argument", start.text), fmt::format("as in {}(q1)", start.text),
             start);
      return placed(Formula::of(start.text), start);
    }
    const int wanted = arguments_of(start.text);
    if (wanted == 0)
      fail(fmt::format("'{}' is no function", printable(start.text)),
           "a product is written with *; " + suggestion(start.text, known_functions()), start);
    next();
    std::vector<FormulaPtr> arguments{sum()};
    while (take(",")) arguments.push_back(sum());
    if (static_cast<int>(arguments.size()) != wanted)
      fail(fmt::format("'{}' takes {} argument{}, {} given", start.text, wanted, wanted == 1 ? "" : "s",
                       arguments.size()),
           wanted == 2 ? "atan2(y, x)" : fmt::format("{}(x)", start.text), start);
    if (!take(")")) unexpected("')'");
    return placed(Formula::call(start.text, std::move(arguments)), start);
  }

  std::string_view text_;
  std::string file_;
  std::size_t at_ = 0;
  int line_ = 1, column_ = 1;
  int open_ = 0;          // brackets
  bool goes_on_ = false;  // the line ended in an operator
  int depth_ = 0, depth_reached_ = 0;
  bool printed_ = false;  // the text is our own
  Token token_;
};

}  // namespace

std::vector<Statement> read_statements(std::string_view text, const std::string& file) {
  return FormulaReader(text, file).statements();
}
FormulaPtr read_formula(std::string_view text, const std::string& file) {
  return FormulaReader(text, file).formula_alone();
}

}  // namespace armature::numerics
