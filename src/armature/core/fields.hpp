// How settings list themselves. Every struct of settings has one fields(Fields&): reading and writing files, `--set`,
// `--help-keys`, documentation tables and bindings all go through it, so a new setting is one line beside the thing it sets.
#pragma once

#include <algorithm>
#include <array>
#include <functional>
#include <initializer_list>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "armature/core/units.hpp"

namespace armature::core {

/// Which numbers make sense.
enum class Range { any, not_negative, positive };

/// Passed in place of `optional` for a key that must be given.
inline constexpr bool required = true;

/// The dimension of a joint's quantity, for joints that turn and joints that slide.
struct JointDimension {
  Dimension turning, sliding;
};
namespace joint_dimension {
inline constexpr JointDimension position{dimension::angle, dimension::length};
inline constexpr JointDimension velocity{dimension::rate, dimension::speed};
inline constexpr JointDimension acceleration{dimension::angular_acceleration, dimension::acceleration};
inline constexpr JointDimension jerk{{0, 0, -3, 0}, {1, 0, -3, 0}};
inline constexpr JointDimension torque{dimension::torque, dimension::force};
inline constexpr JointDimension torque_rate{{2, 1, -3, 0}, {1, 1, -3, 0}};
inline constexpr JointDimension stiffness{dimension::torque, {0, 1, -2, 0}};
inline constexpr JointDimension damping{{2, 1, -1, 0}, {0, 1, -1, 0}};
inline constexpr JointDimension stiffness_rate{{2, 1, -3, 0}, {0, 1, -3, 0}};
inline constexpr JointDimension rate{dimension::rate, dimension::rate};
inline constexpr JointDimension rate_squared{dimension::angular_acceleration, dimension::angular_acceleration};
inline constexpr JointDimension inertia{dimension::inertia, dimension::mass};
}  // namespace joint_dimension

/// The dimension of a quantity of the tool, along an axis and about it.
struct TaskDimension {
  Dimension along, about;
};
namespace task_dimension {
inline constexpr TaskDimension position{dimension::length, dimension::angle};
inline constexpr TaskDimension stiffness{{0, 1, -2, 0}, dimension::torque};
inline constexpr TaskDimension damping{{0, 1, -1, 0}, {2, 1, -1, 0}};
inline constexpr TaskDimension inertia{dimension::mass, dimension::inertia};
inline constexpr TaskDimension wrench{dimension::force, dimension::torque};
inline constexpr TaskDimension wrench_rate{{1, 1, -3, 0}, {2, 1, -3, 0}};
inline constexpr TaskDimension share{dimension::none, dimension::none};
inline constexpr TaskDimension rate{dimension::rate, dimension::rate};                                          // 1/s
inline constexpr TaskDimension rate_squared{dimension::angular_acceleration, dimension::angular_acceleration};  // 1/s²
inline constexpr TaskDimension compliance{{0, -1, 2, 0}, {-2, -1, 2, 0}};                                       // m/N
inline constexpr TaskDimension compliance_rate{{0, -1, 1, 0}, {-2, -1, 1, 0}};  // m/(N s)
}  // namespace task_dimension

/// The coordinates of a task in their order; true for those about an axis.
struct TaskAxes {
  std::string name;
  std::vector<bool> about;
};

/// A list of numbers in any container that has data(), size() and resize(): std::vector<double>, VecX<double>, Vec3<double>.
class Numbers {
 public:
  template <class V>
  requires(!std::is_same_v<V, Numbers> && !std::is_const_v<V>) Numbers(V& list)
      : list_(&list),
        read_([](const void* object, std::size_t) {
          const V& v = *static_cast<const V*>(object);
          return std::vector<double>(v.data(), v.data() + v.size());
        }),
        write_([](void* object, const std::vector<double>& numbers) {
          V& v = *static_cast<V*>(object);
          v.resize(static_cast<decltype(v.size())>(numbers.size()));
          std::copy(numbers.begin(), numbers.end(), v.data());
        }) {}
  /// So many numbers in a row; what is written to it has as many.
  Numbers(double* first, std::size_t count)
      : list_(first),
        count_(count),
        read_([](const void* object, std::size_t n) {
          const auto* x = static_cast<const double*>(object);
          return std::vector<double>(x, x + n);
        }),
        write_([](void* object, const std::vector<double>& numbers) {
          std::copy(numbers.begin(), numbers.end(), static_cast<double*>(object));
        }) {}
  [[nodiscard]] std::vector<double> get() const { return read_(list_, count_); }
  void set(const std::vector<double>& numbers) { write_(list_, numbers); }

 private:
  void* list_;
  std::size_t count_ = 0;
  std::vector<double> (*read_)(const void*, std::size_t);
  void (*write_)(void*, const std::vector<double>&);
};

class Fields;

/// A list of structs of settings, whatever their type.
struct FieldGroups {
  std::size_t size = 0;
  std::function<void(std::size_t, Fields&)> list;  // the fields of one item
  std::function<void(std::size_t)> resize;         // to so many items with their default values
  std::function<void(Fields&)> list_example;       // the fields of an item that is not there
};

/// What goes through the fields of settings: a reader, a writer, or a list for people. Help texts are phrases that continue
/// the key's name.
class Fields {
 public:
  virtual ~Fields() = default;

  virtual void number(const char* key, double& x, Dimension d, const char* help, Range range = Range::any) = 0;
  /// In radians.
  virtual void angle(const char* key, double& x, const char* help, Range range = Range::any) = 0;
  /// In hertz.
  virtual void frequency(const char* key, double& x, const char* help, Range range = Range::any) {
    number(key, x, dimension::rate, help, range);
  }
  /// Of one joint, counted from 1, in the unit of a joint that turns or slides as this one does.
  virtual void of_joint(const char* key, double& x, int /*joint*/, const JointDimension& d, const char* help,
                        Range range = Range::any) {
    number(key, x, d.turning, help, range);
  }
  /// So many numbers; count 0: any number of them.
  virtual void numbers(const char* key, Numbers x, Dimension d, const char* help, std::size_t count = 0,
                       Range range = Range::any) = 0;
  virtual void angles(const char* key, Numbers x, const char* help, std::size_t count = 0) = 0;
  /// One number per joint.
  virtual void joints(const char* key, Numbers x, const JointDimension& d, const char* help, Range range = Range::any,
                      bool must = false) = 0;
  /// One number per task coordinate.
  virtual void task(const char* key, Numbers x, const TaskDimension& d, const TaskAxes& axes, const char* help,
                    Range range = Range::any, bool must = false) = 0;
  using Rows = std::vector<std::vector<double>>;
  /// Lists of one number per joint.
  virtual void joint_rows(const char* key, Rows& x, const JointDimension& d, const char* help) = 0;
  /// One list per joint.
  virtual void rows(const char* key, Rows& x, Dimension d, const char* help) = 0;
  /// Lists of three lengths.
  virtual void points(const char* key, Rows& x, const char* help) = 0;
  virtual void integer(const char* key, int& x, const char* help, Range range = Range::any) = 0;
  virtual void flag(const char* key, bool& x, const char* help) = 0;
  virtual void text(const char* key, std::string& x, const char* help, bool must = false) = 0;

  using Words = std::vector<std::string>;
  /// One of the words.
  void word(const char* key, std::string& x, const Words& words, const char* help) {
    auto chosen = static_cast<std::size_t>(std::find(words.begin(), words.end(), x) - words.begin());
    choice(key, chosen, words, help);
    if (chosen < words.size()) x = words[chosen];
  }
  /// One word per value of an enumeration, in the order of its values.
  template <class E>
  requires std::is_enum_v<E>
  void word(const char* key, E& x, const Words& words, const char* help) {
    auto chosen = static_cast<std::size_t>(x);
    choice(key, chosen, words, help);
    x = static_cast<E>(chosen);
  }

  /// A struct of settings under a key of its own.
  template <class T>
  void group(const char* key, T& x, const char* help) {
    one_group(key, help, [&x](Fields& inner) { x.fields(inner); });
  }
  template <class T>
  void groups(const char* key, std::vector<T>& x, const char* help) {
    many_groups(key, help,
                {x.size(), [&x](std::size_t i, Fields& inner) { x[i].fields(inner); },
                 [&x](std::size_t count) { x.assign(count, T{}); },
                 [](Fields& inner) {
                   T example;
                   example.fields(inner);
                 }});
  }

  /// Whether the keys of every kind are listed, not only those of the kind that is chosen.
  [[nodiscard]] virtual bool every_kind() const { return false; }
  /// The fields that follow belong to this kind; empty: to all.
  virtual void of_kind(std::string_view /*kind*/) {}

 protected:
  virtual void choice(const char* key, std::size_t& chosen, const Words& words, const char* help) = 0;
  virtual void one_group(const char* key, const char* help, const std::function<void(Fields&)>& list) = 0;
  virtual void many_groups(const char* key, const char* help, const FieldGroups& items) = 0;
};

}  // namespace armature::core
