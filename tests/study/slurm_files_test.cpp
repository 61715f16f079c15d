// Scripts for Slurm, run by bash where srun, sbatch, squeue and scontrol are stand-ins.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/study/emitted.h"
#include "yoke/core/error.h"

namespace yoke::study {
namespace {

using test::EmittedStudy;
using testing::AllOf;
using testing::HasSubstr;
using testing::Not;
namespace fs = std::filesystem;

constexpr const char* kOneRun = "[study]\nrepetitions = 1\nwarm-up = 0\n";
const std::vector<std::string> kTask = {"SLURM_ARRAY_TASK_ID=0", "SLURM_ARRAY_JOB_ID=77"};

/// Steps that end with 75 after a checkpoint, the next one each time.
constexpr const char* kStoppedStep =
    "while [ $# -gt 0 ]; do if [ \"$1\" = --out ]; then out=$2; fi; shift; done\n"
    "n=$(ls \"$out/checkpoints\" 2>/dev/null | wc -l)\n"
    "mkdir -p \"$out/checkpoints/step-0000000$((n + 1))\"\nexit 75";

TEST(SlurmFiles, HaveAnArrayForEachNumberOfNodesAndRanks) {
  const EmittedStudy study(
      "[study]\nrepetitions = 2\nwarm-up = 1\nrun-limit = '45.5min'\n[axes]\nnodes = [1, 3]\n"
      "ranks = [2]\nlr = [1, 2]\n");
  EXPECT_EQ(study.emit("slurm"), 12);
  const std::string script = study.text("slurm", "3x2.sh");
  EXPECT_THAT(
      script,
      AllOf(HasSubstr("#SBATCH --nodes=3\n"), HasSubstr("#SBATCH --ntasks-per-node=2\n"),
            HasSubstr("#SBATCH --array=0-5\n"), HasSubstr("#SBATCH --time=50\n"),
            HasSubstr("#SBATCH --signal=USR1@120\n"), HasSubstr("#SBATCH --requeue\n"),
            HasSubstr("#SBATCH --exclusive\n"), HasSubstr("#SBATCH --job-name=yoke-my-study\n")));
  EXPECT_THAT(script, AllOf(HasSubstr("  'nodes=3,lr=2-w1'\n"), Not(HasSubstr("nodes=1"))));
  EXPECT_THAT(study.text("slurm", "1x2.sh"), HasSubstr("#SBATCH --nodes=1\n"));
}

TEST(SlurmFiles, AskForWhatTheSiteWants) {
  const EmittedStudy study(std::string(kOneRun) +
                           "[slurm]\noptions = ['--partition=cpu', '--cpus-per-task=4']\n"
                           "setup = ['module load gcc']\nat-once = 3\n");
  study.emit("slurm");
  const std::string script = study.text("slurm", "1x1.sh");
  EXPECT_THAT(script, AllOf(HasSubstr("#SBATCH --partition=cpu\n"), HasSubstr("--array=0-0%3\n"),
                            HasSubstr("\nmodule load gcc\n"),
                            HasSubstr("SRUN_CPUS_PER_TASK=$SLURM_CPUS_PER_TASK srun ")));
  EXPECT_THAT(script, Not(HasSubstr("--exclusive")));
  EXPECT_THAT(study.text("slurm", "report.sh"),
              AllOf(HasSubstr("#SBATCH --partition=cpu\n"), HasSubstr("\nmodule load gcc\n")));
}

TEST(SlurmFiles, RefuseWhatNoOptionIs) {
  for (const char* const wrong : {"options = '--a'", "options = ['partition=cpu']", "setup = [1]",
                                  "at-once = 0", "partition = 'cpu'", "setup = [\"a\\nb\"]"}) {
    EXPECT_THROW(EmittedStudy(std::string("[slurm]\n") + wrong + "\n"), UsageError) << wrong;
  }
}

TEST(SlurmFiles, RunOneRunForEachTask) {
  const EmittedStudy study("[study]\nrepetitions = 2\nwarm-up = 0\n");
  study.emit("slurm");
  study.stand_in("srun", "printf '[%s]' \"$@\" >>\"$told\"; pwd >>\"$told\"");
  const auto result = study.run("slurm/1x1.sh", {"SLURM_ARRAY_TASK_ID=1"});
  EXPECT_EQ(result.status, 0) << result.output;
  const std::string run = study.jobs()[1].directory.string();
  EXPECT_EQ(study.told(), "[--cpu-bind=none][--kill-on-bad-exit=0][/y o/yoke][train][--recipe][" +
                              run + ".toml][--out][" + run + "][--resume][auto]" +
                              study.folder().string() + "\n");
}

TEST(SlurmFiles, HaveATaskRequeuedThatWasStoppedAfterACheckpoint) {
  const EmittedStudy study(kOneRun);
  study.emit("slurm");
  study.stand_in("srun", kStoppedStep);
  study.stand_in("scontrol", "echo \"$@\" >>\"$told\"");
  EXPECT_EQ(study.run("slurm/1x1.sh", kTask).status, 75);
  EXPECT_EQ(study.told(), "requeue 77_0\n");
  EXPECT_EQ(study.run("slurm/1x1.sh", kTask).status, 75);
  EXPECT_EQ(study.told(), "requeue 77_0\nrequeue 77_0\n");
}

TEST(SlurmFiles, RequeueNoTaskThatWouldBeginAnewForEver) {
  const EmittedStudy study(kOneRun);
  study.emit("slurm");
  study.stand_in("scontrol", "echo \"$@\" >>\"$told\"");
  for (const int status : {75, 1, 137}) {
    study.stand_in("srun", "exit " + std::to_string(status));
    EXPECT_EQ(study.run("slurm/1x1.sh", kTask).status, status);
  }
  EXPECT_EQ(study.told(), "");
}

TEST(SlurmFiles, PassOverARunThatHasCompletedMeanwhile) {
  const EmittedStudy study(kOneRun);
  study.emit("slurm");
  study.stand_in("srun", "echo called >>\"$told\"");
  fs::create_directories(study.jobs()[0].directory);
  write_file(study.jobs()[0].directory / "summary.json", "{\n  \"status\": \"completed\"\n}\n");
  EXPECT_EQ(study.run("slurm/1x1.sh", kTask).status, 0);
  EXPECT_EQ(study.told(), "");
}

TEST(SlurmFiles, AreSubmittedWithTheReportBehindThem) {
  const EmittedStudy study(std::string(kOneRun) + "[axes]\nranks = [1, 2]\n");
  study.emit("slurm");
  study.stand_in("squeue", "if [ -e \"$told.queued\" ]; then echo 41; fi");
  study.stand_in("sbatch",
                 "echo \"$@\" >>\"$told\"; echo \"$((40 + $(wc -l <\"$told\")));cluster\"");
  const auto first = study.run("slurm/submit.sh", {}, {"--account=us"});
  ASSERT_EQ(first.status, 0) << first.output;
  EXPECT_EQ(study.told(),
            "--parsable --account=us 1x1.sh\n--parsable --account=us 1x2.sh\n"
            "--parsable --account=us --dependency=afterany:41:42 report.sh\n");
  EXPECT_EQ(study.text("slurm", "jobs"), "41,42,43\n");
}

TEST(SlurmFiles, AreNotSubmittedTwiceAtATime) {
  const EmittedStudy study(kOneRun);
  study.emit("slurm");
  write_file(study.out() / "slurm" / "jobs", "41,42\n");
  study.stand_in("squeue", "echo \"$@\" >>\"$told\"; echo '41_0 PENDING'");
  study.stand_in("sbatch", "echo submitted >>\"$told\"");
  const auto result = study.run("slurm/submit.sh");
  EXPECT_EQ(result.status, 1);
  EXPECT_THAT(result.output, HasSubstr("scancel 41 42"));
  EXPECT_EQ(study.told(), "--noheader --jobs=41,42\n");
}

TEST(SlurmFiles, WriteTheReportByYokeItself) {
  const EmittedStudy study(kOneRun);
  study.emit("slurm");
  const std::string script = study.text("slurm", "report.sh");
  EXPECT_THAT(script, HasSubstr("'/y o/yoke' study "));
  EXPECT_THAT(script, HasSubstr(" --report-only"));
  EXPECT_THAT(test::run_program({"bash", "-n", (study.out() / "slurm/report.sh").string()}).output,
              "");
}

}  // namespace
}  // namespace yoke::study
