// The verbs of the program. Each file named after one describes it to the command line and carries it out.
#pragma once

#include "command_line.hpp"

namespace armature::app {

void add_help(CommandLine& line);
void add_arms(CommandLine& line);
void add_show(CommandLine& line);
void add_calibrate(CommandLine& line);
void add_check(CommandLine& line);
void add_compute(CommandLine& line);
void add_derive(CommandLine& line);
void add_excite(CommandLine& line);
void add_export(CommandLine& line);
void add_fit_drive(CommandLine& line);
void add_frf(CommandLine& line);
void add_simulate(CommandLine& line);
void add_campaign(CommandLine& line);
void add_merge(CommandLine& line);
void add_linearize(CommandLine& line);
void add_import(CommandLine& line);
void add_identify(CommandLine& line);
void add_validate(CommandLine& line);
void add_study(CommandLine& line);
void add_tune(CommandLine& line);
void add_report(CommandLine& line);

}  // namespace armature::app
