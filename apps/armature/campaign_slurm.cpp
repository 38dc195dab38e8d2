#include "campaign_slurm.hpp"

#include <fmt/format.h>

#include <cstdio>
#include <filesystem>

#include "armature/core/error.hpp"
#include "command_line.hpp"
#include "report_folder.hpp"
#include "terminal.hpp"

namespace armature::app {

namespace {

namespace fs = std::filesystem;

/// As a shell reads it back.
std::string in_quotes(const std::string& word) {
  std::string text = "'";
  for (const char c : word) c == '\'' ? text += "'\\''" : text += c;
  return text + "'";
}

/// Its first line of output; empty where it fails.
std::string output_of(const std::string& command) {
  std::FILE* pipe = ::popen(command.c_str(), "r");
  if (!pipe) return {};
  char line[256] = "";
  const bool read = std::fgets(line, sizeof line, pipe) != nullptr;
  const int status = ::pclose(pipe);
  std::string text = read && status == 0 ? line : "";
  while (!text.empty() && (text.back() == '\n' || text.back() == ' ')) text.pop_back();
  return text;
}

}  // namespace

int submit_to_slurm(const std::string& file, const std::string& folder, int parts, int runs,
                    const std::vector<std::string>& settings, const std::string& device) {
  const fs::path out = fs::absolute(folder);
  std::error_code problem;
  fs::create_directories(out, problem);
  if (problem) throw Error(fmt::format("cannot be made: {}", problem.message()), "another place for -o", {folder});
  const std::string program = in_quotes(fs::read_symlink("/proc/self/exe").string());
  std::string campaign = fmt::format("{} campaign {} -o {} --runs {}", program, in_quotes(fs::absolute(file).string()),
                                     in_quotes(out.string()), runs);
  if (!device.empty()) campaign += " --device " + in_quotes(device);
  for (const std::string& setting : settings) campaign += " --set " + in_quotes(setting);
  const std::string head = fmt::format(
      "#!/bin/sh\n#SBATCH --job-name=armature\n#SBATCH --requeue\n#SBATCH --chdir={}\n", fs::current_path().string());
  const std::string array = (out / "campaign.sbatch").string(), merge = (out / "merge.sbatch").string();
  write_text_file(array, fmt::format("{}#SBATCH --array=1-{}\n#SBATCH --output={}/slurm-%a.txt\nexec {} --shard "
                                     "\"$SLURM_ARRAY_TASK_ID/{}\"\n",
                                     head, parts, out.string(), campaign, parts));
  write_text_file(merge, fmt::format("{}#SBATCH --output={}/slurm-merge.txt\nset -e\n{} merge {}\n{}\n", head,
                                     out.string(), program, in_quotes(out.string()), campaign));
  const std::string job = output_of("command -v sbatch >/dev/null && sbatch --parsable " + in_quotes(array));
  if (job.empty()) {
    complain(
        fmt::format("the job cannot be submitted: sbatch is not there or fails\n  hint: the scripts are written, {} "
                    "and, to come after it, {}",
                    array, merge));
    return exit_no;
  }
  const std::string last =
      output_of(fmt::format("sbatch --parsable --dependency=afterok:{} {}", in_quotes(job), in_quotes(merge)));
  fmt::print("  job {}: {} parts of {} runs; job {} merges them and answers in {}\n", job, parts, runs,
             last.empty() ? "?" : last, folder);
  return last.empty() ? exit_no : exit_done;
}

}  // namespace armature::app
