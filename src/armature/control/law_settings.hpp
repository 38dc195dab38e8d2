// A law as settings: of any kind, with the keys of that kind, made into a controller for an arm.
//
// A kind of law is one struct of settings with fields(Fields&) and one line ARMATURE_LAW in the law's source file; the build
// collects those lines (cmake/laws.cmake), and scenarios, help and documentation know the kind from then on.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "armature/control/controller.hpp"
#include "armature/core/error.hpp"
#include "armature/core/fields.hpp"
#include "armature/model/arm.hpp"

namespace armature::control {

/// What a law is made for.
struct LawContext {
  static constexpr double default_tick = 1e-3;              // [s]
  const Arm& arm;                                           // that the law believes in
  double tick = default_tick;                               // of the loop [s]
  std::string key = "controller";                           // of the settings, as messages name it
  std::function<Place(const std::string& key)> place = {};  // of a setting in its file; empty: there is no file

  /// The same for the i-th law inside this one.
  [[nodiscard]] LawContext inside(std::size_t i) const;
  /// Throws FormatError at the place of a setting of the law.
  [[noreturn]] void refuse(const std::string& setting, const std::string& finding, const std::string& hint) const;
};

/// The settings of one law of any kind, a value. As a term of another law it has a name and may be switched off.
class LawSettings {
 public:
  /// The kind that a scenario has when it names none: joint_pd.
  LawSettings();
  /// Default settings of a kind. Throws Error where there is no such kind.
  explicit LawSettings(std::string_view kind);
  /// Given settings, of a struct that a line ARMATURE_LAW names.
  template <class S>
  requires requires(S s, Fields& f) { s.fields(f); }
  explicit LawSettings(std::string_view kind, S settings) : LawSettings(kind) { as<S>() = std::move(settings); }

  std::string name;  // of a term, for switches and for the log; empty: its kind
  bool on = true;    // a term that is off waits for a switch

  [[nodiscard]] std::string_view kind() const;
  [[nodiscard]] std::string term_name() const { return name.empty() ? std::string(kind()) : name; }
  /// The settings of the kind. Throws std::bad_cast where S belongs to another kind.
  template <class S>
  S& as() {
    return dynamic_cast<Held<S>&>(*held_).settings;
  }
  /// Laws inside this one.
  [[nodiscard]] const std::vector<LawSettings>& terms() const;
  /// This law and all inside it, each before those inside it.
  [[nodiscard]] std::vector<LawSettings*> every_law();
  /// Whether the law counts samples, so that it cannot act between them.
  [[nodiscard]] bool sampled() const;
  /// Whether it, or a law inside it, has filters: its feedback is more than gains.
  [[nodiscard]] bool filtered() const;

  void fields(Fields& f);
  /// The law. An error without a place gets that of the law's settings.
  [[nodiscard]] AnyController make(const LawContext& context) const;

  struct Base {
    virtual ~Base() = default;
    [[nodiscard]] virtual std::unique_ptr<Base> copy() const = 0;
    virtual void fields(Fields& f) = 0;
    [[nodiscard]] virtual const std::vector<LawSettings>* terms() const = 0;
    [[nodiscard]] virtual bool sampled() const = 0;
    [[nodiscard]] virtual bool filtered() const = 0;
  };
  template <class S>
  struct Held;

  LawSettings(const LawSettings& other);
  LawSettings(LawSettings&&) noexcept = default;
  LawSettings& operator=(const LawSettings& other);
  LawSettings& operator=(LawSettings&&) noexcept = default;
  ~LawSettings() = default;

 private:
  const struct LawKind* kind_;
  std::unique_ptr<Base> held_;
};

/// A kind of law: its word in files, its default settings, and how a law is made of settings.
struct LawKind {
  std::string_view name;
  std::unique_ptr<LawSettings::Base> (*fresh)();
  AnyController (*make)(const LawSettings::Base& settings, const LawContext& context);
};

/// All kinds, in alphabetical order (written by cmake/laws.cmake).
std::vector<const LawKind*> law_kinds();

/// The key `terms` of a law that is made of others.
void list_inner_law(Fields& f, std::vector<LawSettings>& terms);
/// The one law in `terms`. Throws FormatError where there is none, or more than one.
AnyController inner_law(const std::vector<LawSettings>& terms, std::string_view kind, const LawContext& in);

template <class S>
struct LawSettings::Held : Base {
  S settings;
  [[nodiscard]] std::unique_ptr<Base> copy() const override { return std::make_unique<Held>(*this); }
  void fields(Fields& f) override { settings.fields(f); }
  [[nodiscard]] const std::vector<LawSettings>* terms() const override {
    if constexpr (requires { requires std::is_same_v<decltype(S::terms), std::vector<LawSettings>>; })
      return &settings.terms;
    else
      return nullptr;
  }
  [[nodiscard]] bool sampled() const override {
    if constexpr (requires { S::sampled; })
      return S::sampled;
    else
      return filtered();
  }
  [[nodiscard]] bool filtered() const override {
    if constexpr (requires { settings.filters; })
      return !settings.filters.empty();
    else
      return false;
  }
};

/// Settings S of the law C, which is constructed from the believed arm, the settings and, where it asks for it, the loop's tick.
/// Without C the settings make the law themselves: make(const LawContext&) const.
template <class S, class C = void>
constexpr LawKind law_kind(std::string_view name) {
  return {name, [] { return std::unique_ptr<LawSettings::Base>(new LawSettings::Held<S>()); },
          [](const LawSettings::Base& held, const LawContext& in) {
            const S& settings = static_cast<const LawSettings::Held<S>&>(held).settings;
            if constexpr (std::is_void_v<C>)
              return settings.make(in);
            else if constexpr (std::is_constructible_v<C, const Arm&, const S&, double>)
              return AnyController(C(in.arm, settings, in.tick));
            else
              return AnyController(C(in.arm, settings));
          }};
}

/// At file scope in namespace armature::control: `kind` is the word in files; then the settings, which have fields(Fields&), and the
/// class of the law, as law_kind() takes them.
#define ARMATURE_LAW(kind, ...)    \
  extern const LawKind law_##kind; \
  const LawKind law_##kind = law_kind<__VA_ARGS__>(#kind);

}  // namespace armature::control
