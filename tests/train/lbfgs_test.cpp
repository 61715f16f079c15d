// L-BFGS on whole data sets: ranks search the same line.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "tests/train/run.h"

namespace yoke::test {
namespace {

struct Whole {
  const char* name;
  std::string data;
  std::string images;
  std::string folder;  // of real_data()
};

void PrintTo(const Whole& whole, std::ostream* out) { *out << whole.name; }

class LbfgsRun : public testing::TestWithParam<Whole> {};

/// Training losses of two steps of at most five iterations on all images.
std::vector<double> losses(int ranks, const Whole& whole, const std::string& data_dir,
                           const std::filesystem::path& out) {
  auto words = train_words(
      out,
      fmt::format("--model lenet --data {} --optimizer lbfgs:max_iter=5 --batch-size {} "
                  "--max-steps 2 --strategy allreduce:check_every=1 --threads 1 --print-every 1",
                  whole.data, whole.images));
  words.insert(words.end(), {"--data-dir", data_dir});
  run_ranks_well(ranks, words);
  std::vector<double> found;
  for (const auto& report : step_reports(out)) found.push_back(report.at("loss"));
  return found;
}

TEST_P(LbfgsRun, FallsAtEveryStepAlikeOnOneRankAndOnThree) {
  const auto& whole = GetParam();
  const auto folder = whole.folder.empty() ? std::filesystem::path(".") : real_data(whole.folder);
  if (!folder) GTEST_SKIP() << whole.folder << " is not here";
  const TemporaryDirectory directory;
  const auto one = losses(1, whole, folder->string(), directory.path() / "one");
  const auto three = losses(3, whole, folder->string(), directory.path() / "three");
  ASSERT_EQ(one.size(), 2U);
  ASSERT_EQ(three.size(), 2U);
  EXPECT_LT(one[1], 0.99 * one[0]);
  // Sums in another order lead the search a little elsewhere, more at each step.
  for (int step = 0; step < 2; ++step) {
    const auto i = static_cast<std::size_t>(step);
    EXPECT_NEAR(one[i], three[i], 1e-4 * one[i] * (1 + 20 * step)) << step;
  }
}

INSTANTIATE_TEST_SUITE_P(
    Data, LbfgsRun,
    testing::Values(Whole{"Glyphs", "glyphs:train=600,validation=50", "600", ""},
                    Whole{"ImageNet32", "imagenet32", "4500", "imagenet32-sample"}),
    [](const auto& info) { return info.param.name; });

}  // namespace
}  // namespace yoke::test
