// armature: from a robot arm's description to everything that can be computed about it.
#include <fcntl.h>
#include <sys/prctl.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <new>
#include <stdexcept>
#include <string>

#include "armature/armature.h"
#include "armature/c/boundary.hpp"
#include "armature/core/error.hpp"
#include "armature/version.hpp"
#include "json_out.hpp"
#include "report_folder.hpp"
#include "terminal.hpp"
#include "verbs.hpp"

using namespace armature::app;

static void out_of_memory() {
  complain(
      "out of memory\n  hint: ask for less: a shorter run, a larger tick, shorter delays, a lower rate or a smaller "
      "file; or "
      "allow the program more (ulimit -v)");
}

/// Where the library runs a verb in a process of its own (c/command.cpp): it names a descriptor for the parts of an error.
class Caller {
 public:
  Caller() {
    const char* number = std::getenv("ARMATURE_ERROR");
    if (!number) return;
    descriptor_ = std::atoi(number);
    unsetenv("ARMATURE_ERROR");
    fcntl(descriptor_, F_SETFD, FD_CLOEXEC);
    prctl(PR_SET_PDEATHSIG, SIGTERM);  // nobody is left to read the answer
  }
  void hear(const Error& error) const {
    if (descriptor_ < 0) return;
    const Json parts{{"place", to_string(error.place())}, {"finding", error.finding()}, {"hint", error.hint()}};
    const std::string text = parts.dump(-1, ' ', false, Json::error_handler_t::replace);
    if (write(descriptor_, text.data(), text.size()) < 0) complain("nobody hears the error");
  }

 private:
  int descriptor_ = -1;
};

int armature_main(int argc, char** argv) {
  int code = exit_internal;
  const Caller caller;
  try {
    guard_terminal();
    remember_command(argc, argv);
    CommandLine line(ARMATURE_VERSION,
                     "Serial robot arms, from a DH table or a URDF to everything that can be computed about them.\n"
                     "ARM is a built-in name (`armature arms` lists them), an arm file (.yaml) or a URDF (.urdf).");
    line.chapter("Describe an arm");
    add_arms(line);
    add_show(line);
    add_check(line);
    add_export(line);
    line.chapter("Compute and derive");
    add_compute(line);
    add_derive(line);
    line.chapter("Excite and identify");
    add_excite(line);
    add_import(line);
    add_identify(line);
    add_validate(line);
    add_calibrate(line);
    line.chapter("Drives and control");
    add_frf(line);
    add_fit_drive(line);
    add_tune(line);
    line.chapter("Simulate");
    add_simulate(line);
    add_campaign(line);
    add_merge(line);
    add_linearize(line);
    line.chapter("Report");
    add_study(line);
    add_report(line);
    add_help(line);
    line.example("armature show puma560", "a built-in arm: joints, limits, masses, drives and sources");
    line.example("armature check my_robot.urdf --tip tool0", "could this robot exist?");
    line.example("armature compute gravity rrr --q 10deg,20deg,0", "torques that hold an arm still");
    line.example("armature compute inverse-dynamics panda --in states.csv --out torques.csv", "a table, row by row");
    code = line.run(argc, argv);
    if (std::fflush(stdout) != 0)
      throw Error(std::string("cannot be written: ") + std::strerror(errno), "is the disk full?", {"standard output"});
  } catch (const Error& error) {
    status_of_exception();  // for armature_error(), where the program is a function
    caller.hear(error);
    complain(error.what());
    code = exit_wrong_input;
  } catch (const std::bad_alloc&) {
    out_of_memory();
  } catch (const std::length_error&) {  // more than any memory holds
    out_of_memory();
  } catch (const std::exception& error) {
    complain(std::string("internal error: ") + error.what() + "\n  hint: please report this, with what you typed");
  }
  return code;
}
