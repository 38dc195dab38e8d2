#include "armature/testing/law_by_kind.hpp"

namespace armature::testing {

namespace {

/// Sets joint gains and leaves all other settings as they are.
class GainSetter final : public Fields {
 public:
  explicit GainSetter(const JointGains& gains) : gains_(gains) {}

  void joints(const char* key, Numbers x, const JointDimension& d, const char*, Range, bool must) override {
    const VecX<double> values = gains_(key, d, must);
    if (values.size() > 0) x.set({values.begin(), values.end()});
  }
  void task(const char*, Numbers, const TaskDimension&, const TaskAxes&, const char*, Range, bool) override {
    for_joints_alone = false;
  }
  void number(const char*, double&, Dimension, const char*, Range) override {}
  void angle(const char*, double&, const char*, Range) override {}
  void numbers(const char*, Numbers, Dimension, const char*, std::size_t, Range) override {}
  void angles(const char*, Numbers, const char*, std::size_t) override {}
  void joint_rows(const char*, Rows&, const JointDimension&, const char*) override { for_joints_alone = false; }
  void rows(const char*, Rows&, Dimension, const char*) override {}
  void points(const char*, Rows&, const char*) override {}
  void integer(const char*, int&, const char*, Range) override {}
  void flag(const char*, bool&, const char*) override {}
  void text(const char*, std::string&, const char*, bool) override {}

  bool for_joints_alone = true;

 private:
  void choice(const char*, std::size_t&, const Words&, const char*) override {}
  void one_group(const char*, const char*, const std::function<void(Fields&)>&) override {}
  void many_groups(const char* key, const char*, const FieldGroups&) override {
    if (std::string_view(key) != "filters") for_joints_alone = false;
  }

  const JointGains& gains_;
};

}  // namespace

AnyController law_by_kind(const Arm& arm, std::string_view kind, const JointGains& gains) {
  LawSettings settings(kind);
  GainSetter setter(gains);
  settings.fields(setter);
  return settings.make({.arm = arm});
}

AnyController law_by_kind(const Arm& arm, std::string_view kind, const std::map<std::string, double>& gains) {
  return law_by_kind(arm, kind, [&](const std::string& key, const JointDimension&, bool) -> VecX<double> {
    const auto found = gains.find(key);
    return found == gains.end() ? VecX<double>() : VecX<double>(VecX<double>::Constant(arm.dof(), found->second));
  });
}

bool is_joint_law(std::string_view kind) {
  LawSettings settings(kind);
  const JointGains nothing = [](const std::string&, const JointDimension&, bool) { return VecX<double>(); };
  GainSetter look(nothing);
  settings.fields(look);
  return look.for_joints_alone;
}

}  // namespace armature::testing
