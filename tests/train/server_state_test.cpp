// The checkpoints of parameter servers are those of all-reduce: others go on from them.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "tests/train/run.h"

namespace yoke::test {
namespace {

namespace fs = std::filesystem;

constexpr int kServerHalf = 5,
              kServerAll = 9;  // steps, 4 an epoch, the last of which has 50 images

/// How ranks train.
struct Way {
  std::string strategy;
  int ranks;
};

class ServerStateResumes : public testing::TestWithParam<const char*> {
 protected:
  /// Trains in `name` up to step `steps`, from the checkpoint there if there is one.
  fs::path train_to(int steps, const Way& way, const std::string& name) const {
    const fs::path out = folder_.path() / name;
    auto words = train_words(
        out,
        fmt::format("--model mlp:hidden=61,layers=1 --data glyphs:train=350,validation=70 "
                    "--batch-size 100 --micro-batch 16 --optimizer {} --lr 0.01 --max-steps {} "
                    "--checkpoint-every 1000steps --threads 1 --print-every 1 --strategy {}",
                    GetParam(), steps, way.strategy));
    if (fs::exists(out)) words.insert(words.end(), {"--resume", "auto"});
    run_ranks_well(way.ranks, words);
    return out;
  }

  /// Begins in one way; goes on from copies of its checkpoint in each of the others.
  void expect_as_undisturbed(const Way& begun, const std::vector<Way>& others) const {
    const auto expected = step_reports(train_to(kServerAll, {"allreduce", 1}, "undisturbed"));
    const fs::path half = train_to(kServerHalf, begun, "half");
    for (const auto& [strategy, ranks] : others) {
      SCOPED_TRACE(
          fmt::format("{} on {}, then {} on {}", begun.strategy, begun.ranks, strategy, ranks));
      const std::string name = fmt::format("{}-{}", strategy, ranks);
      fs::copy(half, folder_.path() / name, fs::copy_options::recursive);
      const auto found = step_reports(train_to(kServerAll, {strategy, ranks}, name));
      ASSERT_EQ(found.size(), expected.size());
      for (std::size_t i = 0; i < found.size(); ++i) {
        // Ranks add up their shares in another order. Weights of which only the latest half is
        // taken up, or Adam's moments that are lost, change losses by more than 1e-3.
        EXPECT_NEAR(found[i].at("loss").get<double>(), expected[i].at("loss").get<double>(), 1e-4)
            << "step " << i + 1;
      }
    }
  }

 private:
  TemporaryDirectory folder_;
};

TEST_P(ServerStateResumes, FromServersThatServeAlone) {
  expect_as_undisturbed({"parameter-server:servers=2", 4},
                        {{"allreduce", 3}, {"parameter-server:servers=1", 2}});
}

TEST_P(ServerStateResumes, FromRanksThatServeBesideTheirWorkers) {
  expect_as_undisturbed(
      {"parameter-server", 3},
      {{"allreduce", 1}, {"parameter-server", 2}, {"parameter-server:servers=2", 3}});
}

/// In shares of several micro-batches, the gradients of which go together in both. Losses are added
/// up in another order.
TEST_P(ServerStateResumes, WithTheBitsOfAllReduceOfTwoRanks) {
  const fs::path expected = train_to(kServerAll, {"allreduce", 2}, "all-reduce");
  const fs::path found = train_to(kServerAll, {"parameter-server", 2}, "servers");
  EXPECT_EQ(read_file(expected / "model.safetensors"), read_file(found / "model.safetensors"));
}

INSTANTIATE_TEST_SUITE_P(Optimizers, ServerStateResumes, testing::Values("sgd", "adam"),
                         [](const auto& info) { return info.param; });

}  // namespace
}  // namespace yoke::test
