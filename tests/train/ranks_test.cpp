// Training over ranks: the same losses and weights as in one process, for every communicator that
// serves the ranks of a host.
#include "tests/support/ranks.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <tuple>

#include "tests/train/run.h"
#include "yoke/comm/factory.h"
#include "yoke/core/error.h"
#include "yoke/train/agree.h"

namespace yoke::test {
namespace {

using testing::HasSubstr;

/// 15 steps over 500 glyphs, the last of each epoch 50 images instead of 150.
std::vector<std::string> arguments(const std::string& model, const std::string& engine,
                                   const std::filesystem::path& out,
                                   const std::string& epochs = "3",
                                   const std::string& batch_size = "150") {
  return train_words(out,
                     fmt::format("--model {} --engine {} --data glyphs:train=500,validation=103 "
                                 "--epochs {} --batch-size {} --lr 0.01 --threads 1 "
                                 "--print-every 1",
                                 model, engine, epochs, batch_size));
}

class EveryCommunicatorTrains
    : public testing::TestWithParam<std::tuple<std::string, std::string, int>> {
 protected:
  /// With dropout, which does not depend on how a batch is shared out.
  static constexpr const char* kModel = "lab-cnn";

  /// The run of one rank, which all tests of an engine share.
  static std::filesystem::path one(const std::string& engine) {
    const auto out = shared_->path() / engine;
    if (!std::filesystem::exists(out)) run_ranks_well(1, arguments(kModel, engine, out));
    return out;
  }

  static void SetUpTestSuite() { shared_ = std::make_unique<TemporaryDirectory>(); }
  static void TearDownTestSuite() { shared_.reset(); }

 private:
  static inline std::unique_ptr<TemporaryDirectory> shared_;
};

TEST_P(EveryCommunicatorTrains, AsOneProcessDoes) {
  const auto& [comm, engine, ranks] = GetParam();
  const TemporaryDirectory directory;
  const auto many = directory.path() / "many";
  auto together = arguments(kModel, engine, many);
  together.insert(together.end(), {"--comm", comm, "--strategy",
                                   "allreduce:check_every=1,first_bucket_mib=0.1,bucket_mib=0.1"});
  run_ranks_well(ranks, together);
  expect_equal_runs(one(engine), many);
  const auto found = summary(many);
  EXPECT_EQ(found.at("world_size"), ranks);
  EXPECT_EQ(found.at("comm"), comm);
  EXPECT_EQ(found.at("images_seen"), 1500);
}

INSTANTIATE_TEST_SUITE_P(OnOneHost, EveryCommunicatorTrains,
                         testing::Combine(testing::Values("gloo", "shared-memory"),
                                          testing::Values("eager", "compiled"),
                                          testing::Values(2, 3, 4)),
                         [](const auto& info) {
                           std::string name = std::get<0>(info.param) + "_" +
                                              std::get<1>(info.param) + "_" +
                                              std::to_string(std::get<2>(info.param));
                           std::replace(name.begin(), name.end(), '-', '_');
                           return name;
                         });

/// Pairs straddle the ranks' parts, and the last batch of an epoch is odd.
TEST(Ranks, MixImagesAsOneProcessDoes) {
  for (const std::string engine : {"eager", "compiled"}) {
    const TemporaryDirectory directory;
    const auto words = [&](const char* name) {
      auto all = arguments("lenet", engine, directory.path() / name, "2", "149");
      all.insert(all.end(), {"--mixup", "0.4", "--cutmix", "1", "--label-smoothing", "0.1",
                             "--class-weights", "balanced"});
      return all;
    };
    run_ranks_well(1, words("one"));
    run_ranks_well(3, words("three"));
    expect_equal_runs(directory.path() / "one", directory.path() / "three");
  }
}

/// Ranks draw the same images, and change each copy of one in its own way.
TEST(Ranks, DrawImagesByWeightAsOneProcessDoes) {
  const TemporaryDirectory directory;
  write_file(directory.path() / "weights.txt", "3 5\n7 0.5\n");
  const auto words = [&](const char* name) {
    auto all = arguments("lenet", "compiled", directory.path() / name, "2", "149");
    all.insert(all.end(), {"--mixup", "0.4", "--augment", "light", "--sample-weights",
                           (directory.path() / "weights.txt").string()});
    return all;
  };
  run_ranks_well(1, words("one"));
  run_ranks_well(3, words("three"));
  expect_equal_runs(directory.path() / "one", directory.path() / "three");
}

TEST(Ranks, ResumeTogetherExactly) {
  const TemporaryDirectory directory;
  auto whole = arguments("bn-cnn", "compiled", directory.path() / "whole", "3", "16");
  whole.insert(whole.end(), {"--max-steps", "6", "--checkpoint-every", "2steps"});
  run_ranks_well(2, whole);
  auto part = arguments("bn-cnn", "compiled", directory.path() / "part", "3", "16");
  part.insert(part.end(), {"--max-steps", "2", "--checkpoint-every", "2steps"});
  run_ranks_well(2, part);
  auto rest = arguments("bn-cnn", "compiled", directory.path() / "part", "3", "16");
  rest.insert(rest.end(), {"--max-steps", "6", "--checkpoint-every", "2steps", "--resume", "auto"});
  run_ranks_well(2, rest);
  const auto a = read_safetensors(directory.path() / "whole" / "model.safetensors");
  const auto b = read_safetensors(directory.path() / "part" / "model.safetensors");
  for (std::size_t i = 0; i < a.size(); ++i) EXPECT_TRUE(a[i].second.equal(b[i].second));
  EXPECT_EQ(reports(directory.path() / "whole").back().at("loss"),
            reports(directory.path() / "part").back().at("loss"));
}

TEST(Ranks, KeepTheSizeOfAStepWhereTheirNumberChanges) {
  const TemporaryDirectory directory;
  const auto words = [&](const std::string& flags) {
    return train_words(
        directory.path() / "run",
        "--model mlp --data glyphs:train=500,validation=103 --batch-size-per-rank 50 "
        "--threads 1 --checkpoint-every 10steps " +
            flags);
  };
  run_ranks_well(1, words("--max-steps 10"));
  auto resumed = words("--max-steps 20 --resume auto");
  *std::next(std::find(resumed.begin(), resumed.end(), "--progress")) = "lines";
  const auto results = run_yoke_ranks(2, resumed);
  ASSERT_EQ(results.front().status, 0) << results.front().output;
  EXPECT_THAT(results.front().output, HasSubstr("steps stay of 50 images"));
  const auto whole = summary(directory.path() / "run");
  EXPECT_EQ(whole.at("batch_size"), 50);
  EXPECT_EQ(whole.at("images_seen"), 1000);
  EXPECT_EQ(whole.at("epochs"), 2);
}

TEST(Ranks, WithOtherFlagsAreRefused) {
  const TemporaryDirectory directory;
  const int port = free_port();
  const auto rank = [&](int number, const std::string& lr) {
    auto command = arguments("mlp", "eager", directory.path() / "run");
    command.insert(command.begin(),
                   {"env", "RANK=" + std::to_string(number), "WORLD_SIZE=2",
                    "MASTER_ADDR=127.0.0.1", "MASTER_PORT=" + std::to_string(port), YOKE_PROGRAM});
    command.insert(command.end(), {"--label-smoothing", lr});
    return std::make_unique<BackgroundProgram>(command);
  };
  const auto zero = rank(0, "0.1"), one = rank(1, "0.2");
  for (const auto& result : {zero->wait(), one->wait()}) {
    EXPECT_EQ(result.status, 2);
    EXPECT_THAT(result.output, HasSubstr("--label-smoothing is '0.2', rank 0 has '0.1'"));
  }
  EXPECT_FALSE(std::filesystem::exists(directory.path() / "run"));
}

/// Each host has a file of its own under the name that all ranks are given.
TEST(Ranks, WithOtherWeightsOfClassesAreRefused) {
  for (const std::string flag : {"--class-weights", "--sample-weights"}) {
    const TemporaryDirectory directory;
    const int port = free_port();
    const auto rank = [&](const std::string& number, const std::string& weights) {
      const auto host = directory.path() / number;
      std::filesystem::create_directory(host);
      write_file(host / "weights.txt", weights);
      auto command = arguments("mlp", "eager", directory.path() / "run");
      command.insert(command.begin(), {"env", "--chdir=" + host.string(), "RANK=" + number,
                                       "WORLD_SIZE=2", "MASTER_ADDR=127.0.0.1",
                                       "MASTER_PORT=" + std::to_string(port), YOKE_PROGRAM});
      command.insert(command.end(), {flag, "weights.txt"});
      return std::make_unique<BackgroundProgram>(command);
    };
    const auto zero = rank("0", "3 2\n"), one = rank("1", "3 2.5\n");
    for (const auto& result : {zero->wait(), one->wait()}) {
      EXPECT_EQ(result.status, 2);
      EXPECT_THAT(result.output, HasSubstr(flag + " is 'weights.txt of the SHA-256"));
    }
  }
}

TEST(Ranks, MayDifferInPathsAndThreadsAlone) {
  const auto agree = [](const std::function<void(TrainConfig&)>& change) {
    run_ranks(2, [&](const Group& group) {
      const auto communicator = make_communicator("shared-memory", group);
      TrainConfig config;
      if (group.rank == 1) change(config);
      agree_on_config(config, *communicator);
    });
  };
  EXPECT_NO_THROW(agree([](TrainConfig& config) {
    config.data_dir = "elsewhere";
    config.threads = 3;
  }));
  // Ranks add up at each report: with other intervals they would wait for each other.
  EXPECT_THROW(agree([](TrainConfig& config) { config.print_every = 7; }), UsageError);
}

TEST(Ranks, CompareALearningRateThatOneLeavesOpenOnceItIsKnown) {
  const auto agree = [](double found) {
    run_ranks(2, [&](const Group& group) {
      const auto communicator = make_communicator("shared-memory", group);
      TrainConfig config;
      Resolved resolved;
      resolved.lr = found;
      if (group.rank == 1) config.lr = resolved.lr = 0.5;
      agree_on_config(config, *communicator);
      agree_on_config(config, resolved, *communicator);
    });
  };
  EXPECT_NO_THROW(agree(0.5));
  EXPECT_THROW(agree(0.1), UsageError);
}

TEST(Ranks, StopTogetherOnASignalToOne) {
  const TemporaryDirectory directory;
  const auto out = directory.path() / "run";
  auto command = arguments("mlp", "eager", out, "1000000");
  command.insert(command.end(), {"--checkpoint-every", "1000000steps"});
  const auto ranks = start_yoke_ranks(2, command);
  const auto metrics = out / "metrics.jsonl";
  ASSERT_TRUE(comes_true([&] {
    return std::filesystem::exists(metrics) && std::filesystem::file_size(metrics) > 0;
  })) << ranks[0]->output();
  ranks[1]->send(SIGTERM);
  for (const auto& rank : ranks) EXPECT_EQ(rank->wait().status, 75);
  EXPECT_EQ(summary(out).at("status"), "stopped");
}

}  // namespace
}  // namespace yoke::test
