// tests/train/equal_test.cpp: what docs/parallel.md says is equal, of trainings drawn at random.
// `make test-all` draws more of them; strategies compare the ranks' parameters while they train.
#include <gtest/gtest.h>

#include "tests/train/drawn_setting.h"
#include "tests/train/run.h"
#include "yoke/train/checkpoints/checkpoint.h"

namespace yoke::test {
namespace {

namespace fs = std::filesystem;

void run(const DrawnSetting& setting, const fs::path& out, const std::string& more) {
  run_ranks_well(setting.ranks, train_words(out, setting.flags + " --print-every 1 " + more));
}

/// Goes on from the first checkpoint of the run `whole`, as after a kill, in `out`.
void expect_equal_bits_after_resume(const DrawnSetting& setting, const fs::path& whole,
                                    const fs::path& out, const std::string& saving) {
  fs::copy(whole, out, fs::copy_options::recursive);
  const auto checkpoints = list_checkpoints(out / "checkpoints");
  ASSERT_FALSE(checkpoints.empty());
  for (const auto& checkpoint : checkpoints) {
    if (checkpoint != checkpoints.back()) fs::remove_all(checkpoint);
  }
  fs::remove(out / "summary.json");
  fs::remove(out / "model.safetensors");
  ASSERT_NO_FATAL_FAILURE(run(setting, out, saving + " --resume auto"));
  EXPECT_EQ(reports(whole), reports(out));
  EXPECT_EQ(read_file(whole / "model.safetensors"), read_file(out / "model.safetensors"));
}

class DrawnTraining : public testing::TestWithParam<int> {};

TEST_P(DrawnTraining, EqualsItselfResumedAndOneRankAsPromised) {
  const auto setting = draw_setting(static_cast<std::uint64_t>(GetParam()));
  SCOPED_TRACE(std::to_string(setting.ranks) + " ranks: " + setting.flags);
  const TemporaryDirectory folder;
  const auto whole = folder.path() / "whole", one = folder.path() / "one";
  const auto saving = "--keep 100 --checkpoint-every " + std::to_string(setting.save) + "steps";
  ASSERT_NO_FATAL_FAILURE(run(setting, whole, saving));
  ASSERT_NO_FATAL_FAILURE(
      expect_equal_bits_after_resume(setting, whole, folder.path() / "resumed", saving));
  if (!setting.equals_one_rank) return;
  const auto words = train_words(one, setting.flags_of_one_rank + " --print-every 1");
  ASSERT_NO_FATAL_FAILURE(run_ranks_well(1, words));
  expect_equal_runs(one, whole);
}

INSTANTIATE_TEST_SUITE_P(Seeds, DrawnTraining, testing::Range(0, long_tests() ? 200 : 5));

}  // namespace
}  // namespace yoke::test
