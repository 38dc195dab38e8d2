#include "armature/codegen/equations/symbolic_model.hpp"

#include <fmt/core.h>

#include <map>
#include <optional>
#include <utility>

#include "armature/codegen/equations/internal/symbolic_arm.hpp"

namespace armature::codegen {
namespace {

constexpr double most_terms = 8e6;  // some five seconds; the arms of six joints here need a quarter of it

using Vector = Vec3<TrigPoly>;

TrigPoly dot(const Vector& a, const Vector& b) { return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]; }

// Mass on a revolute joint's axis moves with both links: the link's mass, first moment along z and as much second moment along z as
// makes Iyy vanish go to the parent. A prismatic joint does not turn: the link's whole tensor goes to the parent [Gautier1990].
void regroup(SymbolicArm& arm) {
  for (std::size_t i = arm.bodies.size(); i-- > 0;) {
    SymbolicBody& body = arm.bodies[i];
    Inertia<TrigPoly>& own = body.inertia;
    Inertia<TrigPoly> moved;
    if (body.revolute) {
      moved.m = std::exchange(own.m, TrigPoly());
      moved.h[2] = std::exchange(own.h[2], TrigPoly());
      const TrigPoly Iyy = own.I_Bo(1, 1);
      moved.I_Bo(0, 0) = moved.I_Bo(1, 1) = Iyy;
      own.I_Bo(0, 0) -= Iyy;
      own.I_Bo(1, 1) = TrigPoly();
    } else {
      moved.I_Bo = std::exchange(own.I_Bo, Mat3<TrigPoly>::Zero().eval());
    }
    if (i > 0) arm.bodies[i - 1].inertia = arm.bodies[i - 1].inertia + seen_from(body.X_PB0, moved);
  }
}

// The links' inertia in the joints' frames.
void use_joint_frames(SymbolicArm& arm) {
  for (SymbolicBody& body : arm.bodies) body.inertia = seen_from(body.X_BL, body.inertia);
}

// An origin may lie anywhere on its joint's axis: beside the previous one, so that offsets along the axis enter the parameters and
// not the equations.
void slide_origins(SymbolicArm& arm) {
  for (std::size_t i = 0; i < arm.bodies.size(); ++i) {
    SymbolicBody& body = arm.bodies[i];
    if (!body.revolute) continue;
    const Vector z = body.X_PB0.R.col(2);
    const TrigPoly along = dot(z, body.X_PB0.p);
    if (along.zero()) continue;
    for (int k = 0; k < 3; ++k) body.X_PB0.p[k] -= z[k] * along;
    body.X_BL.p[2] += along;
    (i + 1 < arm.bodies.size() ? arm.bodies[i + 1].X_PB0 : arm.X_BT).p[2] += along;
  }
}

// Puts a fresh symbol in place of every parameter that is not zero.
std::vector<SymbolicModel::BaseParameter> name_parameters(SymbolicArm& arm) {
  std::vector<SymbolicModel::BaseParameter> all;
  const auto name = [&](TrigPoly& parameter) {
    if (parameter.zero()) return;
    const int symbol = arm.add("p");
    all.push_back({"", symbol, std::exchange(parameter, TrigPoly::symbol(symbol))});
  };
  for (SymbolicBody& body : arm.bodies) {
    Mat3<TrigPoly>& I = body.inertia.I_Bo;
    for (const auto& [i, j] : {std::pair{0, 0}, {0, 1}, {0, 2}, {1, 2}, {2, 2}}) {
      name(I(i, j));
      I(j, i) = I(i, j);
    }
    for (int k = 0; k < 3; ++k) name(body.inertia.h[k]);
    name(body.inertia.m);
  }
  return all;
}

struct Dynamics {
  SymbolicMatrix M, C, g;
};

//   2T = Σ  m v·v + 2 v·(w × h) + w·I w,  v and w linear in qd                         (1)
//   U  = -Σ  m gravity·p + gravity·R h                                                 (2)
//   C_ij = Σ_k ½ (dM_ij/dq_k + dM_ik/dq_j - dM_jk/dq_i) qd_k                           (3)
Dynamics dynamics_of(const SymbolicArm& arm, const std::vector<int>& speeds) {
  const int n = static_cast<int>(arm.bodies.size());
  Dynamics d{SymbolicMatrix::Constant(n, n, TrigPoly()), SymbolicMatrix::Constant(n, n, TrigPoly()),
             SymbolicMatrix::Constant(n, 1, TrigPoly())};
  const auto by_joint = [&](const TrigPoly& f, int k) {
    return arm.bodies[k].revolute ? f.derivative_by_angle(k) : f.derivative_by_symbol(arm.position(k));
  };
  struct Column {
    Vector v, w;  // of the body's origin and of the body per joint speed, in the body's axes
  };
  std::vector<Column> columns;
  Pose<TrigPoly> X_WB;
  for (int i = 0; i < n; ++i) {
    const SymbolicBody& body = arm.bodies[i];
    const Pose<TrigPoly> X = arm.X_PB(i);
    const Mat3<TrigPoly> Rt = X.R.transpose();
    for (Column& c : columns) {
      const Vector at_origin = c.v + cross(c.w, X.p);
      c.v = Rt * at_origin;
      c.w = Vector(Rt * c.w);
    }
    Column own{Vector::Zero(), Vector::Zero()};
    (body.revolute ? own.w : own.v)[2] = TrigPoly(1);
    columns.push_back(own);
    X_WB = X_WB * X;

    const auto& [m, h, I] = body.inertia;
    for (int j = 0; j <= i; ++j) {  // (1)
      const Column& a = columns[j];
      const Vector momentum = a.v * m + cross(a.w, h), spin = Vector(I * a.w) + cross(h, a.v);
      for (int k = j; k <= i; ++k) {
        const Column& b = columns[k];
        d.M(j, k) += dot(b.v, momentum) + dot(b.w, spin);
      }
    }
    const TrigPoly U = -(m * dot(arm.gravity, X_WB.p) + dot(arm.gravity, Vector(X_WB.R * h)));  // (2)
    for (int k = 0; k <= i; ++k) d.g(k, 0) += by_joint(U, k);
  }
  for (int j = 0; j < n; ++j)
    for (int k = 0; k < j; ++k) d.M(j, k) = d.M(k, j);
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < n; ++j)
      for (int k = 0; k < n; ++k) {  // (3)
        const TrigPoly christoffel = by_joint(d.M(i, j), k) + by_joint(d.M(i, k), j) - by_joint(d.M(j, k), i);
        d.C(i, j) += christoffel * TrigPoly::symbol(speeds[k]) * TrigPoly(0.5);
      }
  return d;
}

// A column of the regressor, to be combined with others: rows one after the other.
using ColumnOfRows = std::vector<TrigPoly>;

ColumnOfRows operator-(ColumnOfRows a, const ColumnOfRows& b) {
  for (std::size_t i = 0; i < a.size(); ++i) a[i] -= b[i];
  return a;
}
ColumnOfRows operator*(const ColumnOfRows& a, const TrigPoly& by) {
  ColumnOfRows c;
  for (const TrigPoly& x : a) c.push_back(x * by);
  return c;
}
bool vanishes(const ColumnOfRows& a) {
  for (const TrigPoly& x : a)
    if (!x.zero()) return false;
  return true;
}

// What stands before one product of sines, cosines, speeds and accelerations: a polynomial in the lengths.
struct PivotPlace {
  std::size_t row;
  TrigPoly::Monomial motion;
};
struct Splitter {
  std::vector<bool> moves;  // which symbols belong to the motion
  TrigPoly::Monomial motion(const TrigPoly::Monomial& m) const {
    TrigPoly::Monomial rest{{}, m.angle, m.sine};
    for (const auto& p : m.symbols)
      if (moves[p.symbol]) rest.symbols.push_back(p);
    return rest;
  }
  TrigPoly at(const ColumnOfRows& column, const PivotPlace& place) const {
    TrigPoly lengths;
    for (const auto& [m, c] : column[place.row].terms())
      if (motion(m) == place.motion) lengths.add(without_motion(m), c);
    return lengths;
  }
  // A place where a plain number stands, if there is one.
  std::optional<PivotPlace> pivot(const ColumnOfRows& column) const {
    for (std::size_t row = 0; row < column.size(); ++row) {
      std::map<TrigPoly::Monomial, TrigPoly> lengths;
      for (const auto& [m, c] : column[row].terms()) lengths[motion(m)].add(without_motion(m), c);
      for (const auto& [m, factor] : lengths)
        if (factor.constant() && !factor.zero()) return PivotPlace{row, m};
    }
    return {};
  }
  TrigPoly::Monomial without_motion(const TrigPoly::Monomial& m) const {
    TrigPoly::Monomial rest;
    for (const auto& p : m.symbols)
      if (!moves[p.symbol]) rest.symbols.push_back(p);
    return rest;
  }
};

// Which columns are combinations of earlier ones: column = Σ coefficient_k column_k, by elimination with numbers as pivots.
struct Elimination {
  std::vector<std::size_t> kept;
  std::vector<std::vector<std::pair<std::size_t, TrigPoly>>>
      combination;  // of a column: kept columns with coefficients
};
Elimination eliminate(const std::vector<ColumnOfRows>& columns, const Splitter& split) {
  struct Reduced {
    ColumnOfRows column;
    std::optional<PivotPlace> pivot;
    std::vector<TrigPoly> of;  // in terms of the columns given
  };
  std::vector<Reduced> reduced;
  Elimination result;
  for (std::size_t j = 0; j < columns.size(); ++j) {
    Reduced r{columns[j], {}, std::vector<TrigPoly>(columns.size())};
    r.of[j] = TrigPoly(1);
    for (const Reduced& e : reduced) {
      if (!e.pivot) continue;
      const TrigPoly factor = split.at(r.column, *e.pivot) / split.at(e.column, *e.pivot);
      if (factor.zero()) continue;
      r.column = r.column - e.column * factor;
      for (std::size_t k = 0; k < columns.size(); ++k) r.of[k] -= e.of[k] * factor;
    }
    result.combination.emplace_back();
    if (vanishes(r.column)) {
      for (std::size_t k = 0; k < j; ++k)
        if (!r.of[k].zero()) result.combination[j].emplace_back(k, -r.of[k]);
      continue;
    }
    r.pivot = split.pivot(r.column);
    result.kept.push_back(j);
    reduced.push_back(std::move(r));
  }
  return result;
}

// The torques per base parameter.
std::vector<ColumnOfRows> torque_columns(const SymbolicModel& model, const std::vector<int>& speeds,
                                         const std::vector<int>& accelerations) {
  std::vector<TrigPoly> tau;
  for (int i = 0; i < model.dof; ++i) {
    tau.push_back(model.g(i, 0));
    for (int j = 0; j < model.dof; ++j)
      tau.back() += model.M(i, j) * TrigPoly::symbol(accelerations[j]) + model.C(i, j) * TrigPoly::symbol(speeds[j]);
  }
  std::vector<ColumnOfRows> columns;
  for (const auto& p : model.base) {
    columns.emplace_back();
    for (const TrigPoly& t : tau) columns.back().push_back(t.coefficient(p.symbol));
  }
  return columns;
}

// What is combined of other parameters counts with them, and what shows in no torque is gone; the rest is called p1, p2, ...
void keep_base_parameters(SymbolicModel& model, const std::vector<ColumnOfRows>& columns,
                          std::vector<std::string>& symbols) {
  Splitter split{std::vector<bool>(symbols.size())};
  for (std::size_t k = 0; k < symbols.size(); ++k) split.moves[k] = symbols[k].find('q') != std::string::npos;
  const Elimination elimination = eliminate(columns, split);
  for (std::size_t j = 0; j < columns.size(); ++j)
    for (const auto& [k, coefficient] : elimination.combination[j])
      model.base[k].formula += coefficient * model.base[j].formula;
  std::vector<bool> keep(symbols.size(), true);
  for (const auto& p : model.base) keep[p.symbol] = false;
  std::vector<SymbolicModel::BaseParameter> base;
  for (const std::size_t j : elimination.kept) {
    base.push_back(model.base[j]);
    base.back().name = fmt::format("p{}", base.size());
    symbols[base.back().symbol] = base.back().name;
    keep[base.back().symbol] = true;
  }
  const auto without_rest = [&](const TrigPoly& f) {
    TrigPoly r;
    for (const auto& [m, c] : f.terms()) {
      bool kept = true;
      for (const auto& p : m.symbols) kept = kept && keep[p.symbol];
      if (kept) r.add(m, c);
    }
    return r;
  };
  for (SymbolicMatrix* matrix : {&model.M, &model.C, &model.g}) *matrix = matrix->unaryExpr(without_rest).eval();
  model.regressor.resize(model.dof, static_cast<int>(base.size()));
  for (std::size_t j = 0; j < base.size(); ++j)
    for (int i = 0; i < model.dof; ++i) model.regressor(i, static_cast<int>(j)) = columns[elimination.kept[j]][i];
  model.base = std::move(base);
}

}  // namespace

int SymbolicModel::symbol(std::string_view name) const {
  for (std::size_t k = 0; k < symbols.size(); ++k)
    if (symbols[k] == name) return static_cast<int>(k);
  return -1;
}

SymbolicModel symbolic_model(const Arm& given, InertiaNames names) {
  require_no_springs(given);
  const TermBudget budget(most_terms);
  SymbolicArm arm = symbolic_arm(given);
  const int n = given.dof();
  SymbolicModel model;
  model.dof = n;
  model.revolute = arm.revolute();
  model.joins_previous = arm.joins_previous();
  std::vector<int> speeds, accelerations;
  for (int i = 0; i < n; ++i) speeds.push_back(arm.add(fmt::format("qd{}", i + 1)));
  for (int i = 0; i < n; ++i) accelerations.push_back(arm.add(fmt::format("qdd{}", i + 1)));
  slide_origins(arm);
  use_joint_frames(arm);
  if (names == InertiaNames::base) {
    regroup(arm);
    model.base = name_parameters(arm);
  }
  Dynamics d = dynamics_of(arm, speeds);
  model.M = std::move(d.M);
  model.C = std::move(d.C);
  model.g = std::move(d.g);
  model.regressor.resize(n, 0);
  if (names == InertiaNames::base)
    keep_base_parameters(model, torque_columns(model, speeds, accelerations), arm.symbols);
  model.symbols = arm.symbols;
  return model;
}

SymbolicKinematics symbolic_kinematics(const Arm& given) {
  const TermBudget budget(most_terms);
  const SymbolicArm arm = symbolic_arm(given);
  const int n = given.dof();
  SymbolicKinematics k{arm.symbols, arm.revolute(), arm.joins_previous(), SymbolicMatrix(3, 4), SymbolicMatrix(6, n)};
  std::vector<Pose<TrigPoly>> poses;
  for (int i = 0; i < n; ++i) poses.push_back(i ? poses.back() * arm.X_PB(i) : arm.X_PB(0));
  const Pose<TrigPoly> X = poses.back() * arm.X_BT;
  for (int i = 0; i < 3; ++i) {
    for (int j = 0; j < 3; ++j) k.H(i, j) = X.R(i, j);
    k.H(i, 3) = X.p[i];
  }
  for (int j = 0; j < n; ++j) {
    const Pose<TrigPoly>& B = poses[j];
    const Vector z = B.R.col(2);
    const bool turns = arm.bodies[j].revolute;
    const Vector v = turns ? cross(z, Vector(X.p - B.p)) : z;
    for (int i = 0; i < 3; ++i) {
      k.J(i, j) = v[i];
      k.J(i + 3, j) = turns ? z[i] : TrigPoly();
    }
  }
  return k;
}

}  // namespace armature::codegen
