// A whole run that loses a worker while ranks go their own ways.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <csignal>
#include <memory>

#include "tests/support/support.h"
#include "tests/train/run.h"

namespace yoke::test {
namespace {

using testing::HasSubstr;

TEST(LostWorker, LeavesItsImagesToTheOthers) {
  const TemporaryDirectory folder;
  const auto run = folder.path() / "run";
  const int port = free_port(), size = 4, lost = 2;
  std::vector<std::unique_ptr<BackgroundProgram>> ranks;
  for (int rank = 0; rank < size; ++rank) {
    ranks.push_back(std::make_unique<BackgroundProgram>(
        std::vector<std::string>{"env",
                                 "RANK=" + std::to_string(rank),
                                 "WORLD_SIZE=" + std::to_string(size),
                                 "MASTER_ADDR=127.0.0.1",
                                 "MASTER_PORT=" + std::to_string(port),
                                 YOKE_PROGRAM,
                                 "train",
                                 "--strategy",
                                 "parameter-server:mode=async,servers=1",
                                 "--model",
                                 "lenet",
                                 "--data",
                                 "glyphs:train=30000,validation=100",
                                 "--batch-size",
                                 "60",
                                 "--max-steps",
                                 "1000",
                                 "--lr",
                                 "0.01",
                                 "--out",
                                 run.string(),
                                 "--threads",
                                 "1",
                                 "--print-every",
                                 "100000",
                                 "--tensorboard",
                                 "off"}));
  }
  // The first epoch of 500 steps is reported, the second is under way.
  const auto metrics = run / "metrics.jsonl";
  ASSERT_TRUE(comes_true([&] {
    return std::filesystem::exists(metrics) &&
           read_file(metrics).find("\"val\"") != std::string::npos;
  })) << ranks[0]->output();
  ranks[lost]->send(SIGKILL);
  for (int rank = 0; rank < size; ++rank) {
    const auto result = ranks[static_cast<std::size_t>(rank)]->wait();
    if (rank != lost) {
      EXPECT_EQ(result.status, 0) << rank << result.output;
    }
    if (rank == 0) {
      EXPECT_THAT(result.output, HasSubstr("rank 2 on"));
      EXPECT_THAT(result.output, HasSubstr("go to the 2 workers left"));
    }
  }
  const auto summary = nlohmann::json::parse(read_file(run / "summary.json"));
  EXPECT_EQ(summary.at("steps"), 1000);
  EXPECT_EQ(summary.at("world_size"), 3);
  EXPECT_EQ(summary.at("counters").at("workers_lost"), 1);
  EXPECT_GT(summary.at("val_top1").get<double>(), 0.9);
}

}  // namespace
}  // namespace yoke::test
