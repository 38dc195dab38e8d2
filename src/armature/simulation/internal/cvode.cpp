#include "armature/simulation/internal/cvode.hpp"

#include <cvode/cvode.h>
#include <fmt/format.h>
#include <nvector/nvector_serial.h>
#include <sunlinsol/sunlinsol_dense.h>
#include <sunmatrix/sunmatrix_dense.h>

#include <exception>
#include <utility>

#include "armature/core/error.hpp"

namespace armature::simulation {

struct Cvode::Impl {
  Function rhs, guard;
  int guards = 0;
  double relative = 0, absolute = 0;
  SUNContext context = nullptr;
  N_Vector x = nullptr;
  SUNMatrix matrix = nullptr;
  SUNLinearSolver solver = nullptr;
  void* memory = nullptr;
  bool initialised = false;
  std::vector<int> roots, crossed;
  std::exception_ptr thrown;

  ~Impl() {
    if (memory) CVodeFree(&memory);
    if (solver) SUNLinSolFree(solver);
    if (matrix) SUNMatDestroy(matrix);
    if (x) N_VDestroy(x);
    if (context) SUNContext_Free(&context);
  }

  /// An exception waits until CVODE, which is C, has returned: minus one makes it return at once.
  int call(const Function& f, double t, const double* state, double* out) noexcept {
    try {
      f(t, state, out);
      return 0;
    } catch (...) {
      thrown = std::current_exception();
      return -1;
    }
  }
  static int call_rhs(realtype t, N_Vector x, N_Vector xd, void* self) {
    auto* m = static_cast<Impl*>(self);
    return m->call(m->rhs, t, N_VGetArrayPointer(x), N_VGetArrayPointer(xd));
  }
  static int call_guard(realtype t, N_Vector x, realtype* g, void* self) {
    auto* m = static_cast<Impl*>(self);
    return m->call(m->guard, t, N_VGetArrayPointer(x), g);
  }
  static void silent(int, const char*, const char*, char*, void*) {}
};

namespace {

void check(int status, const char* what) {
  if (status < 0)
    throw Error(fmt::format("the integrator gave up ({}, code {})", what, status),
                "the plant may be unstable or its numbers far apart: check gains, stiffness and inertia");
}

}  // namespace

Cvode::Cvode(int states, int guards, double relative, double absolute, Function rhs, Function guard)
    : impl_(std::make_unique<Impl>()) {
  Impl& m = *impl_;
  m.rhs = std::move(rhs);
  m.guard = std::move(guard);
  m.guards = guards;
  m.roots.assign(guards, 0);
  m.relative = relative;
  m.absolute = absolute;
  check(SUNContext_Create(nullptr, &m.context), "context");
  m.x = N_VNew_Serial(states, m.context);
  m.matrix = SUNDenseMatrix(states, states, m.context);
  m.solver = SUNLinSol_Dense(m.x, m.matrix, m.context);
  m.memory = CVodeCreate(CV_BDF, m.context);
  if (!m.x || !m.matrix || !m.solver || !m.memory) throw std::bad_alloc();
}
Cvode::~Cvode() = default;

void Cvode::restart(double t, const Eigen::VectorXd& x) {
  Impl& m = *impl_;
  std::copy(x.data(), x.data() + x.size(), N_VGetArrayPointer(m.x));
  if (m.initialised) {
    check(CVodeReInit(m.memory, t, m.x), "restart");
    return;
  }
  check(CVodeInit(m.memory, Impl::call_rhs, t, m.x), "start");
  check(CVodeSStolerances(m.memory, m.relative, m.absolute), "tolerances");
  check(CVodeSetUserData(m.memory, &m), "user data");
  check(CVodeSetErrHandlerFn(m.memory, Impl::silent, nullptr), "error handler");
  check(CVodeSetLinearSolver(m.memory, m.solver, m.matrix), "linear solver");
  check(CVodeSetMaxNumSteps(m.memory, 2000000), "steps");
  if (m.guards > 0) {
    check(CVodeRootInit(m.memory, m.guards, Impl::call_guard), "guards");
    std::vector<int> falling(m.guards, -1);
    check(CVodeSetRootDirection(m.memory, falling.data()), "guard direction");
    CVodeSetNoInactiveRootWarn(m.memory);
  }
  m.initialised = true;
}

const std::vector<int>& Cvode::advance(double until, double& t, Eigen::VectorXd& x) {
  Impl& m = *impl_;
  m.crossed.clear();
  check(CVodeSetStopTime(m.memory, until), "stop time");
  const int status = CVode(m.memory, until, m.x, &t, CV_NORMAL);
  std::copy(N_VGetArrayPointer(m.x), N_VGetArrayPointer(m.x) + x.size(), x.data());
  if (m.thrown) std::rethrow_exception(std::exchange(m.thrown, nullptr));
  check(status, fmt::format("at {:.9g} s", t).c_str());
  if (status == CV_ROOT_RETURN) {
    check(CVodeGetRootInfo(m.memory, m.roots.data()), "roots");
    for (int k = 0; k < m.guards; ++k)
      if (m.roots[k] != 0) m.crossed.push_back(k);
  } else {
    t = until;
  }
  return m.crossed;
}

}  // namespace armature::simulation
