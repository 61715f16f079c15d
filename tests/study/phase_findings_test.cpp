// tests/study/phase_findings_test.cpp: what a run used in its phases, in sentences.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "yoke/run/summary.h"
#include "yoke/study/findings/findings.h"

namespace yoke::study {
namespace {

using testing::AllOf;
using testing::Contains;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing::StartsWith;

constexpr double kMegabyte = 1e6;

/// Loads for 2 s, trains for 8, evaluates for 2, trains for 8 and saves for 1, with two threads
/// that compute; a sample every half second.
class PhaseFindings : public testing::Test {
 protected:
  PhaseFindings() {
    run_.phases = {{PhaseKind::kLoading, 0, 2},
                   {PhaseKind::kTraining, 2, 10},
                   {PhaseKind::kEvaluating, 10, 12},
                   {PhaseKind::kTraining, 12, 20},
                   {PhaseKind::kCheckpointing, 20, 21}};
    run_.numbers = {{key::kThreads, 2}, {key::kTrainSeconds, 16}};
    run_.texts = {{key::kDevice, "cpu"}};
    for (int i = 1; i <= 42; ++i) sample(0.5 * i);
  }

  void sample(double seconds) {
    ResourceSample one{.seconds = seconds, .rank = 0};
    const double into_training = seconds <= 2 ? 0 : std::min(seconds - 2, 1.0);
    one.rss_bytes =
        kMegabyte * (100 * std::min(seconds, 2.0) + 300 * into_training + (seconds > 10 ? 50 : 0));
    one.cpu_percent = seconds <= 2 ? 90 : (seconds <= 10 || seconds > 12 ? 195 : 120);
    one.disk_write_bytes = seconds > 20 ? 5 * kMegabyte : 0;
    run_.resources.push_back(one);
    one.rank = 1;
    one.rss_bytes = 1e12;
    one.cpu_percent = 0;
    run_.resources.push_back(one);
  }

  /// Of training, with cores busy as said.
  void training_keeps_busy(double cores) {
    for (auto& one : run_.resources) {
      if (one.seconds > 2 && (one.seconds <= 10 || one.seconds > 12)) one.cpu_percent = 100 * cores;
    }
  }

  RunResults run_;
};

TEST_F(PhaseFindings, TellOfEachKindWhatItsFirstRankUsed) {
  const auto found = phase_findings(run_);
  ASSERT_EQ(found.size(), 4U);
  EXPECT_THAT(found[0], AllOf(StartsWith("Loading (2.0 s): the program starts, reads"),
                              HasSubstr("Memory rose to 200 MB: LibTorch")));
  EXPECT_THAT(found[1], AllOf(StartsWith("Training (16.0 s in 2 parts): 1.95 cores were busy."),
                              HasSubstr("Memory rose by 300 MB in the first quarter of it"),
                              HasSubstr("Then it stayed so."), Not(HasSubstr("less than"))));
  EXPECT_THAT(found[2], AllOf(StartsWith("Evaluation (2.0 s):"), HasSubstr("1.20 cores"),
                              HasSubstr("Memory rose by 50 MB in all")));
  EXPECT_THAT(found[3], AllOf(StartsWith("Checkpoints (1.0 s):"), HasSubstr("wrote 5 MB in all")));
}

TEST_F(PhaseFindings, TellOfOtherRanksAndOfPhasesThatComeBack) {
  run_.numbers[key::kWorldSize] = 2;
  run_.phases.push_back({PhaseKind::kEvaluating, 21, 21.5});
  EXPECT_THAT(phase_findings(run_)[0], HasSubstr("starts, meets other ranks, reads"));
  EXPECT_THAT(phase_findings(run_)[2], StartsWith("Evaluation (2 times, 2.5 s in all):"));
}

TEST_F(PhaseFindings, SayWhyCoresWereIdle) {
  training_keeps_busy(1.2);
  EXPECT_THAT(phase_findings(run_)[1],
              HasSubstr("less than the 2 threads that compute could: some"));
  run_.numbers["hardware.core_quota"] = 1.25;
  EXPECT_THAT(phase_findings(run_)[1], HasSubstr("a quota allows 1.25 cores"));
  run_.numbers[key::kCommunicationSeconds] = 0.3 * 16;
  run_.numbers[key::kDataWaitSeconds] = 0.05 * 16;
  EXPECT_THAT(
      phase_findings(run_)[1],
      HasSubstr("30 % of the time went into waiting for other ranks and 5 % into waiting for "
                "data"));
  run_.texts[key::kDevice] = "cuda";
  EXPECT_THAT(phase_findings(run_)[1], Not(HasSubstr("less than")));
}

TEST_F(PhaseFindings, SayWhyMoreCoresWereBusyThanCompute) {
  training_keeps_busy(2.5);
  EXPECT_THAT(phase_findings(run_)[1], HasSubstr("more than the 2 threads that compute can"));
}

TEST_F(PhaseFindings, SayThatMemoryWentOnRising) {
  for (auto& one : run_.resources)
    *one.rss_bytes += one.seconds > 12 ? 1e7 * (one.seconds - 12) : 0;
  EXPECT_THAT(phase_findings(run_)[1], HasSubstr("Then it rose by 80 MB more."));
}

TEST_F(PhaseFindings, AreNoneWithoutSamplesOrPhases) {
  RunResults run = run_;
  run.resources.clear();
  EXPECT_THAT(phase_findings(run), IsEmpty());
  run_.phases.clear();
  EXPECT_THAT(phase_findings(run_), IsEmpty());
}

TEST_F(PhaseFindings, TellNothingOfAPhaseThatNoSampleLiesIn) {
  run_.phases[3].end = 20.95;
  run_.phases[4] = {PhaseKind::kCheckpointing, 20.95, 21};
  EXPECT_THAT(phase_findings(run_),
              Contains(AllOf(StartsWith("Checkpoints (0.05"), Not(HasSubstr("busy")))));
}

}  // namespace
}  // namespace yoke::study
