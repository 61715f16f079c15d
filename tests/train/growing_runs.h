// tests/train/growing_runs.h: runs whose images or batches grow as they go on.
#pragma once
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <string>

#include "tests/support/script_models.h"
#include "tests/train/run.h"

namespace yoke::test {

/// Runs of four epochs over 240 images.
class GrowingRuns : public testing::Test {
 protected:
  /// Those of a run of a small network, which takes images of all sizes, and `more`.
  std::string with_net(const std::string& more, const ConvScript& chosen = {.batch_norm = false}) {
    return fmt::format(
        "--model {} --data glyphs:train=240,validation=60 --epochs 4 --lr 0.02 --threads 2 "
        "--print-every 1 {}",
        script_choice(conv_script(chosen), directory_.path() / "net.ts"), more);
  }
  std::filesystem::path run(const std::string& name, const std::string& flags, int ranks = 1) {
    const auto out = directory_.path() / name;
    run_ranks_well(ranks, train_words(out, flags));
    return out;
  }
  /// A run into `run` that shows its lines.
  ProgramResult told(const std::string& flags) {
    auto words = train_words(directory_.path() / "run", flags);
    *std::find(words.begin(), words.end(), "none") = "lines";
    return run_yoke(words);
  }
  static void expect_same_weights(const std::filesystem::path& one,
                                  const std::filesystem::path& other) {
    EXPECT_TRUE(read_file(one / "model.safetensors") == read_file(other / "model.safetensors"))
        << one << " and " << other;
  }
  std::string refusal(const std::string& flags) {
    const auto result = run_yoke(train_words(directory_.path() / "refused", flags));
    EXPECT_EQ(result.status, 2) << result.output;
    EXPECT_FALSE(std::filesystem::exists(directory_.path() / "refused"));
    return result.output;
  }

  TemporaryDirectory directory_;
};

}  // namespace yoke::test
