// yoke/study/emit/slurm_files.cpp: a study as job arrays of Slurm.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

#include "yoke/core/system/shell.h"
#include "yoke/run/layout.h"
#include "yoke/run/summary.h"
#include "yoke/study/emit/emit.h"

namespace yoke::study {
namespace {

constexpr std::size_t kMostTasks = 1000;  // of an array, where a site leaves MaxArraySize as it is
// Slurm may send the signal a minute early.
constexpr int kSignalSeconds = 120;
constexpr int kMoreMinutes = 4;  // than a run may take, to be stopped in

/// The runs of one array.
struct Array {
  std::string name;  ///< `2x4`: nodes, and ranks on each.
  std::vector<const Job*> jobs;
};

std::vector<Array> arrays_of(const std::vector<JobLeft>& jobs) {
  std::map<std::pair<int, int>, std::vector<const Job*>> shapes;
  for (const auto& left : jobs) {
    shapes[{left.job->point->nodes, left.job->point->ranks}].push_back(left.job);
  }
  std::vector<Array> arrays;
  for (const auto& [shape, all] : shapes) {
    for (std::size_t begin = 0; begin < all.size(); begin += kMostTasks) {
      const auto from = all.begin() + static_cast<std::ptrdiff_t>(begin);
      const auto to =
          all.begin() + static_cast<std::ptrdiff_t>(std::min(begin + kMostTasks, all.size()));
      const std::string part = begin == 0 ? "" : fmt::format("-{}", begin / kMostTasks + 1);
      arrays.push_back(
          {.name = fmt::format("{}x{}{}", shape.first, shape.second, part), .jobs = {from, to}});
    }
  }
  return arrays;
}

/// Whether the site says how many cores a rank gets; else a run takes whole nodes.
bool shares_nodes(const SlurmSettings& settings) {
  return std::any_of(settings.options.begin(), settings.options.end(), [](const auto& option) {
    return option.starts_with("--cpus-per-task") || option.starts_with("-c");
  });
}

std::string directives(const std::vector<std::string>& options) {
  std::string text;
  for (const auto& option : options) text += fmt::format("#SBATCH {}\n", option);
  return text;
}

std::string lines_of(const std::vector<std::string>& lines) {
  return lines.empty() ? "" : fmt::format("{}\n", fmt::join(lines, "\n"));
}

std::string head_of(const Array& array, const StudyPlan& plan, const EmitContext& context) {
  const StudyPoint& point = *array.jobs.front()->point;
  std::string tasks = fmt::format("0-{}", array.jobs.size() - 1);
  if (plan.slurm.at_once) tasks += fmt::format("%{}", *plan.slurm.at_once);
  std::vector<std::string> options = {fmt::format("--job-name={}", context.job_name()),
                                      fmt::format("--nodes={}", point.nodes),
                                      fmt::format("--ntasks-per-node={}", point.ranks),
                                      "--array=" + tasks,
                                      "--requeue",
                                      "--open-mode=append",
                                      fmt::format("--output={}-%a.out", array.name),
                                      fmt::format("--signal=USR1@{}", kSignalSeconds)};
  if (plan.run_limit) {
    const auto minutes = static_cast<int>(std::ceil(plan.run_limit->count() / 60));
    options.push_back(fmt::format("--time={}", minutes + kMoreMinutes));
  }
  if (!shares_nodes(plan.slurm)) options.insert(options.end(), {"--exclusive", "--mem=0"});
  options.insert(options.end(), plan.slurm.options.begin(), plan.slurm.options.end());
  return directives(options);
}

std::string names_of(const Array& array) {
  std::string text = "runs=(\n";
  for (const Job* const job : array.jobs) {
    text += fmt::format("  {}\n", shell_word(job->directory.filename().string()));
  }
  return text + ")\n";
}

/// How srun gives cores to ranks. On whole nodes ranks share them out themselves.
std::string step_of(const StudyPlan& plan) {
  return shares_nodes(plan.slurm) ? "SRUN_CPUS_PER_TASK=$SLURM_CPUS_PER_TASK srun"
                                  : "srun --cpu-bind=none";
}

std::string array_script(const Array& array, const StudyPlan& plan, const EmitContext& context) {
  constexpr const char* kText = R"sh(#!/bin/bash
{head}#
# slurm/{name}.sh: one run for each task; nodes: {nodes}, ranks on each: {ranks}. From yoke study.

{names}
cd {directory} || exit
{setup}run={runs}/${{runs[SLURM_ARRAY_TASK_ID]}}
exec >>"$run.log" 2>&1
grep -q '{completed}' "{summary}" 2>/dev/null && exit

newest_checkpoint() {{
  ls -dv "{checkpoints}"/{step_prefix}* 2>/dev/null | tail -n 1
}}

# A rank that fails is noticed by the others, and one that stops first must not end them.
before=$(newest_checkpoint)
{step} --kill-on-bad-exit=0 {program} train --recipe "$run.toml" --out "$run" --resume auto
status=$?
if [ "$status" -eq 75 ] && [ "$(newest_checkpoint)" != "$before" ]; then
  # Stopped after a checkpoint: this task waits for its turn once more, and goes on from there.
  scontrol requeue "${{SLURM_ARRAY_JOB_ID}}_$SLURM_ARRAY_TASK_ID"
fi
exit "$status"
)sh";
  const StudyPoint& point = *array.jobs.front()->point;
  const RunDirectory run{"$run"};
  return fmt::format(
      fmt::runtime(kText), fmt::arg("head", head_of(array, plan, context)),
      fmt::arg("name", array.name), fmt::arg("nodes", point.nodes), fmt::arg("ranks", point.ranks),
      fmt::arg("names", names_of(array)),
      fmt::arg("directory", shell_word(context.directory.string())),
      fmt::arg("setup", lines_of(plan.slurm.setup)),
      fmt::arg("runs", shell_word((context.out / kRunsFolder).string())),
      fmt::arg("step", step_of(plan)),
      fmt::arg("completed", fmt::format(R"("{}": "{}")", key::kStatus, run_status::kCompleted)),
      fmt::arg("summary", run.summary().string()), fmt::arg("step_prefix", kStepPrefix),
      fmt::arg("checkpoints", run.checkpoints().string()),
      fmt::arg("program", shell_word(context.program)));
}

std::string report_script(const StudyPlan& plan, const EmitContext& context) {
  std::vector<std::string> options = {fmt::format("--job-name={}", context.job_name()),
                                      "--output=report.out"};
  options.insert(options.end(), plan.slurm.options.begin(), plan.slurm.options.end());
  options.insert(options.end(), {"--nodes=1", "--ntasks=1"});
  return fmt::format(
      "#!/bin/bash\n{}#\n# slurm/report.sh: writes the tables and the report of what has "
      "completed. From yoke study.\n\ncd {} || exit\n{}exec {}\n",
      directives(options), shell_word(context.directory.string()), lines_of(plan.slurm.setup),
      shell_line(context.report_command(context.program)));
}

std::string submit_script(const std::vector<Array>& arrays) {
  constexpr const char* kText = R"sh(#!/bin/bash
# slurm/submit.sh: submits the runs of a study, and a job that writes the report when they have
# ended. Arguments are options of sbatch for all of them. From yoke study.
set -e
cd "$(dirname "$0")"
if [ -s jobs ] && [ -n "$(squeue --noheader --jobs="$(cat jobs)" 2>/dev/null)" ]; then
  echo "Jobs $(cat jobs) of this study go on; wait for their end, or: scancel $(tr , ' ' <jobs)" >&2
  exit 1
fi

jobs=
for array in {arrays}; do
  job=$(sbatch --parsable "$@" "$array.sh")
  job=${{job%%;*}}
  echo "$array.sh: job $job"
  jobs=$jobs${{jobs:+,}}$job
  echo "$jobs" >jobs
done
report=$(sbatch --parsable "$@" --dependency="afterany:${{jobs//,/:}}" report.sh)
report=${{report%%;*}}
echo "report.sh: job $report, after them"
echo "$jobs,$report" >jobs
)sh";
  std::vector<std::string> names;
  for (const auto& array : arrays) names.push_back(array.name);
  return fmt::format(fmt::runtime(kText), fmt::arg("arrays", fmt::join(names, " ")));
}

}  // namespace

Files slurm_files(const StudyPlan& plan, const std::vector<JobLeft>& jobs,
                  const EmitContext& context) {
  const auto arrays = arrays_of(jobs);
  Files files = {{kSubmitScript, submit_script(arrays)},
                 {"report.sh", report_script(plan, context)}};
  for (const auto& array : arrays) {
    files[array.name + ".sh"] = array_script(array, plan, context);
  }
  return files;
}

}  // namespace yoke::study
