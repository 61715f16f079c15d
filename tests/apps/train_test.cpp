// `yoke train` as a user runs it: signals, kills, wrong usage.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <csignal>
#include <fstream>
#include <thread>

#include "tests/support/support.h"
#include "tests/train/run.h"
#include "yoke/core/error.h"
#include "yoke/core/random.h"
#include "yoke/train/checkpoints/checkpoint.h"

namespace yoke {
namespace {

using test::BackgroundProgram;
using test::run_yoke;
using test::TemporaryDirectory;
using testing::HasSubstr;
namespace fs = std::filesystem;

std::vector<std::string> train_arguments(const fs::path& out) {
  return {"train",
          "--model",
          "lenet",
          "--data",
          "glyphs:train=2000,validation=200",
          "--epochs",
          "8",
          "--threads",
          "1",
          "--batch-size",
          "64",
          "--keep",
          "2",
          "--print-every",
          "3",
          "--resources",
          "off",
          "--seed",
          "5",
          "--checkpoint-every",
          "5steps",
          "--resume",
          "auto",
          "--out",
          out.string()};
}

BackgroundProgram start_training(const fs::path& out) {
  auto arguments = train_arguments(out);
  arguments.emplace(arguments.begin(), YOKE_PROGRAM);
  return BackgroundProgram(arguments);
}

/// Waits until the run has written a checkpoint of at least `step`, or has ended.
void wait_for_step(const fs::path& run, std::int64_t step) {
  while (!fs::exists(run / "summary.json")) {
    const auto checkpoints = list_checkpoints(run / "checkpoints");
    if (!checkpoints.empty() && checkpoints.front().filename() >= fmt::format("step-{:08}", step)) {
      return;
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
}

TEST(YokeTrain, RunKilledAtRandomStepsEndsLikeAnUninterruptedOne) {
  const TemporaryDirectory directory;
  const auto whole = directory.path() / "whole", killed = directory.path() / "killed";
  ASSERT_EQ(run_yoke(train_arguments(whole)).status, 0);
  RandomStream random(static_cast<std::uint64_t>(::getpid()), 0, 0, Purpose::kTest);
  for (const std::int64_t least : {5, 50, 90}) {
    auto program = start_training(killed);
    wait_for_step(killed, least + static_cast<std::int64_t>(random.below(20)));
    std::this_thread::sleep_for(std::chrono::milliseconds(random.below(30)));
    program.send(SIGKILL);
    program.wait();
    ASSERT_FALSE(fs::exists(killed / "summary.json")) << "it was killed too late to tell anything";
  }
  const auto result = run_yoke(train_arguments(killed));
  ASSERT_EQ(result.status, 0) << result.output;
  EXPECT_THAT(result.output, HasSubstr("resumed    at step"));
  EXPECT_EQ(test::reports(whole), test::reports(killed));
  EXPECT_EQ(read_file(whole / "model.safetensors"), read_file(killed / "model.safetensors"));
}

TEST(YokeTrain, StopsWithACheckpointAndStatus75OnSigterm) {
  const TemporaryDirectory directory;
  const auto run = directory.path() / "run";
  auto program = start_training(run);
  wait_for_step(run, 5);
  for (int i = 0; i < 3; ++i) {  // as schedulers do
    program.send(SIGTERM);
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  const auto result = program.wait();
  EXPECT_EQ(result.status, 75) << result.output;
  EXPECT_THAT(result.output, HasSubstr("--resume"));
  const auto summary = nlohmann::json::parse(read_file(run / "summary.json"));
  EXPECT_EQ(summary["status"], "stopped");
  const auto newest = read_newest_good(run / "checkpoints", [](const std::string&) {});
  ASSERT_TRUE(newest.has_value());
  EXPECT_EQ(newest->step, summary["steps"].get<std::int64_t>());
}

TEST(YokeTrain, StopsWithStatus1WhereTheStateCannotBeSaved) {
  const TemporaryDirectory directory;
  const auto run = directory.path() / "run";
  auto program = start_training(run);
  wait_for_step(run, 5);
  for (int i = 0; !fs::is_regular_file(run / "checkpoints"); ++i) {
    std::error_code gone;  // until the next checkpoint
    fs::rename(run / "checkpoints", directory.path() / fmt::format("moved-{}", i), gone);
    std::ofstream(run / "checkpoints") << "a file where the folder was";
  }
  program.send(SIGTERM);
  const auto result = program.wait();
  EXPECT_EQ(result.status, 1) << result.output;
  EXPECT_THAT(result.output, HasSubstr("the state of the last step was not saved"));
  EXPECT_THAT(result.output, HasSubstr("make room"));
}

/// The signals that a thread does not take, as a mask.
std::uint64_t blocked_signals(const fs::path& thread) {
  const std::string status = read_file(thread / "status");
  const auto at = status.find("SigBlk:");
  return at == std::string::npos ? 0 : std::stoull(status.substr(at + 7), nullptr, 16);
}

// A frame of a handler on the stack that oneDNN's gemm has in the heap would overflow it.
TEST(YokeTrain, RunsNoHandlerOnAThreadThatComputes) {
  const TemporaryDirectory directory;
  auto program = start_training(directory.path() / "run");
  wait_for_step(directory.path() / "run", 5);
  std::uint64_t stops = 0;
  for (const int signal : {SIGTERM, SIGINT, SIGUSR1}) stops |= std::uint64_t{1} << (signal - 1);
  const fs::path threads = fmt::format("/proc/{}/task", program.pid());
  EXPECT_EQ(blocked_signals(threads / std::to_string(program.pid())) & stops, stops);
  int open = 0;  // while it waits for them, that thread shows them as not blocked
  for (const auto& thread : fs::directory_iterator(threads)) {
    try {
      open += (blocked_signals(thread) & stops) == stops ? 0 : 1;
    } catch (const Error&) {
      EXPECT_FALSE(fs::exists(thread));  // it has ended since, as one does that writes a checkpoint
    }
  }
  EXPECT_LE(open, 1);
  program.send(SIGTERM);
  EXPECT_EQ(program.wait().status, 75);
}

TEST(YokeTrain, ResumesFromTheRunAloneWithoutItsFlags) {
  const TemporaryDirectory directory;
  const auto run = directory.path() / "run";
  {
    auto program = start_training(run);
    wait_for_step(run, 5);
    program.send(SIGINT);
    ASSERT_EQ(program.wait().status, 75);
  }
  const auto result = run_yoke({"train", "--resume", run.string()});
  EXPECT_EQ(result.status, 0) << result.output;
  EXPECT_EQ(nlohmann::json::parse(read_file(run / "summary.json"))["steps"], 8 * 32);
}

TEST(YokeTrain, FlagsWinOverTheRecipe) {
  const TemporaryDirectory directory;
  const auto recipe = directory.path() / "recipe.toml", run = directory.path() / "run";
  write_file(recipe,
             "model = \"lenet\"\ndata = \"glyphs:train=300,validation=10\"\nbatch-size = 100\n"
             "epochs = 9\nresources = false\nkeep-best = true\n");
  const auto result =
      run_yoke({"train", "--recipe", recipe.string(), "--epochs", "1", "--model", "mlp",
                "--batch-size-per-rank", "50", "--keep-best=off", "--out", run.string()});
  ASSERT_EQ(result.status, 0) << result.output;
  const auto summary = nlohmann::json::parse(read_file(run / "summary.json"));
  EXPECT_EQ(summary["model"], "mlp");
  EXPECT_EQ(summary["epochs"], 1.0);
  EXPECT_EQ(summary["batch_size"], 50);
  EXPECT_THAT(read_file(run / "config.toml"), HasSubstr("keep-best = false\n"));
}

struct WrongUsage {
  std::vector<std::string> arguments;
  std::vector<std::string> expected;
};

TEST(YokeTrain, FlagsHaveUnderscoresAndShortNamesToo) {
  const TemporaryDirectory directory;
  const fs::path out = directory.path() / "run";
  const auto result = run_yoke({"train", "--model", "mlp:hidden=4", "--data",
                                "glyphs:train=64,validation=16", "--max_steps=2", "-b", "16", "-j",
                                "2", "--eval_every", "1epoch", "--out", out.string()});
  ASSERT_EQ(result.status, 0) << result.output;
  const std::string config = read_file(out / "config.toml");
  EXPECT_THAT(config, HasSubstr("max-steps = 2\n"));
  EXPECT_THAT(config, HasSubstr("batch-size = 16\n"));
  EXPECT_THAT(config, HasSubstr("loader-threads = 2\n"));
}

TEST(YokeTrain, WrongUsageIsStatus2AndSaysWhatIsAllowed) {
  const TemporaryDirectory directory;
  const auto out = (directory.path() / "run").string();
  const std::vector<WrongUsage> cases = {
      {{"train", "--no-such-flag"}, {"--no-such-flag", "--batch-size", "--help"}},
      {{"train", "--bacth-size", "8"},
       {"unknown flag '--bacth-size'; did you mean '--batch-size'?"}},
      {{"train", "--model", "transformer"}, {"transformer", "lenet", "lab-cnn"}},
      {{"train", "--model", "lenett"}, {"unknown model 'lenett'; did you mean 'lenet'?"}},
      {{"train", "--model", "lenet:depth=3"}, {"depth", "activation"}},
      {{"train", "--data", "svhn"}, {"svhn", "glyphs"}},
      {{"train", "--data", "mnist", "--data-dir", out}, {"yoke data fetch mnist"}},
      {{"train", "--weights", out + ".pt"}, {"no such file", "safetensors"}},
      {{"train", "--optimizer", "sgd:momentun=1"}, {"momentun", "momentum"}},
      {{"train", "--schedule", "linear"}, {"linear", "cosine"}},
      {{"train", "--lr", "fast"}, {"--lr", "fast"}},
      {{"train", "--lr", "1", "--lr", "2"}, {"--lr is given 2 times; give it once"}},
      {{"evaluate", out, "--threads"}, {"--threads has no value; give it one"}},
      {{"train", "--keep-best=maybe"}, {"--keep-best is 'maybe'", "on, off"}},
      {{"train", "--batch-size", "8", "--batch-size-per-rank", "8"}, {"both"}},
      {{"train", "--data", "glyphs:train=10,validation=10", "--batch-size", "11"}, {"11", "10"}},
      {{"train", "--checkpoint-every", "often"}, {"1epoch"}},
      {{"train", "--recipe", out + ".toml"}, {out + ".toml"}},
      {{"train", "--comm", "carrier-pigeon"}, {"carrier-pigeon", "single"}},
      {{"train", "--strategy", "alone"}, {"alone", "allreduce"}},
      {{"train", "--strategy", "allreduce:sync_batchnorm=true", "--model", "resnet18", "--data",
        "glyphs", "--engine", "compiled"},
       {"sync_batchnorm", "--engine eager"}},
      {{"fly"}, {"fly", "train", "evaluate"}},
      {{"trian"}, {"unknown command 'trian'; did you mean 'train'?"}},
      {{"study", "--no-such-flag"}, {"unknown flag '--no-such-flag'; allowed: ", "--report-only"}},
      {{"study", "--report-onyl"}, {"did you mean '--report-only'?"}},
      {{}, {"train"}},
      {{"run", "--standalone=off", "--", "false"}, {"standalone", "override"}},
      {{"list", "planets"}, {"planets", "models"}},
      {{"evaluate", out}, {out}},
  };
  for (const auto& wrong : cases) {
    auto arguments = wrong.arguments;
    if (!arguments.empty() && arguments[0] == "train") {
      arguments.insert(arguments.end(), {"--out", out});
    }
    const auto result = run_yoke(arguments);
    EXPECT_EQ(result.status, 2) << result.output;
    for (const auto& text : wrong.expected) EXPECT_THAT(result.output, HasSubstr(text));
    EXPECT_FALSE(fs::exists(out)) << result.output;
  }
}

TEST(YokeTrain, HelpDocumentsEveryFlag) {
  const auto result = run_yoke({"train", "--help"});
  EXPECT_EQ(result.status, 0);
  for (const char* flag :
       {"--recipe", "--model", "--batch-size", "--checkpoint-every", "--resume"}) {
    EXPECT_THAT(result.output, HasSubstr(flag));
  }
}

TEST(YokeEvaluate, AgreesWithTheRunItselfAndCountsEachClass) {
  const TemporaryDirectory directory;
  const auto run = directory.path() / "run";
  const auto trained =
      run_yoke({"train", "--model", "mlp", "--data", "glyphs:train=1000,validation=333", "--epochs",
                "2", "--checkpoint-every", "1epoch", "--out", run.string()});
  ASSERT_EQ(trained.status, 0) << trained.output;
  const auto summary = nlohmann::json::parse(read_file(run / "summary.json"));
  for (const auto& path : {run, run / "checkpoints"}) {
    const auto result = run_yoke({"evaluate", path.string(), "--batch-size", "17", "--json"});
    ASSERT_EQ(result.status, 0) << result.output;
    EXPECT_THAT(result.output, HasSubstr("Confusion matrix"));
    const auto last_line = result.output.rfind("\n{") + 1;
    const auto json = nlohmann::json::parse(result.output.substr(last_line));
    EXPECT_EQ(json["images"], 333);
    EXPECT_EQ(json["top1"], summary["val_top1"]);
    EXPECT_EQ(json["per_class_accuracy"], summary["per_class_accuracy"]);
    EXPECT_EQ(json["balanced_accuracy"], summary["val_balanced_accuracy"]);
    EXPECT_EQ(json["macro_f1"], summary["val_macro_f1"]);
    // In batches of another size an image may round into the bin beside its own.
    EXPECT_NEAR(json["ece"].get<double>(), summary["val_ece"].get<double>(), 2.0 / 333);
    EXPECT_EQ(json["confidence_bins"].size(), 15U);
    EXPECT_THAT(result.output, HasSubstr("expected calibration error"));
  }
}

TEST(YokeEvaluate, TakesTheRunsViewsUnlessItIsToldOthers) {
  const TemporaryDirectory directory;
  const auto run = directory.path() / "run";
  const auto trained =
      run_yoke(test::train_words(run,
                                 "--model mlp --epochs 3 --lr 0.05 --batch-size 64 --tta flip "
                                 "--data glyphs:train=1000,validation=333"));
  ASSERT_EQ(trained.status, 0) << trained.output;
  const auto loss_with = [&](const std::vector<std::string>& more) {
    std::vector<std::string> words = {"evaluate", run.string(), "--json"};
    words.insert(words.end(), more.begin(), more.end());
    const auto result = run_yoke(words);
    EXPECT_EQ(result.status, 0) << result.output;
    EXPECT_THAT(result.output, HasSubstr(more.empty() ? ", --tta flip\n" : "validation=333\n"));
    return nlohmann::json::parse(result.output.substr(result.output.rfind("\n{") + 1))["loss"]
        .get<double>();
  };
  const double flipped = test::summary(run)["val_loss"];
  EXPECT_NEAR(loss_with({}), flipped, 1e-5 * flipped);
  EXPECT_LT(loss_with({"--tta", "none"}), 0.9 * flipped);  // mirrored digits are hard to read
  EXPECT_EQ(run_yoke({"evaluate", run.string(), "--tta", "crop"}).status, 2);
}

TEST(YokeEvaluate, TakesExportedWeightsWithTheirModelAndData) {
  const TemporaryDirectory directory;
  const auto run = directory.path() / "run", weights = directory.path() / "weights.pt";
  const std::string data = "glyphs:train=1000,validation=333";
  ASSERT_EQ(run_yoke(test::train_words(run, "--model mlp --epochs 1 --data " + data)).status, 0);
  ASSERT_EQ(run_yoke({"export", run.string(), "-o", weights.string()}).status, 0);
  const auto result =
      run_yoke({"evaluate", weights.string(), "--model", "mlp", "--data", data, "--json"});
  ASSERT_EQ(result.status, 0) << result.output;
  const auto json = nlohmann::json::parse(result.output.substr(result.output.rfind("\n{") + 1));
  EXPECT_EQ(json["top1"], test::summary(run)["val_top1"]);
  const auto without = run_yoke({"evaluate", weights.string(), "--data", data});
  EXPECT_EQ(without.status, 2);
  EXPECT_THAT(without.output, HasSubstr("give --model and --data"));
  const auto other = run_yoke({"evaluate", weights.string(), "--model", "lenet", "--data", data});
  EXPECT_EQ(other.status, 2);
  EXPECT_THAT(other.output, HasSubstr("missing: conv1.weight"));
  const auto twice = run_yoke({"evaluate", run.string(), "--model", "mlp"});
  EXPECT_EQ(twice.status, 2);
  EXPECT_THAT(twice.output, HasSubstr("leave it out"));
  const auto nowhere = run_yoke({"evaluate", "nowhere.pt", "--model", "mlp", "--data", data});
  EXPECT_EQ(nowhere.status, 2);
  EXPECT_THAT(nowhere.output, HasSubstr("there is no nowhere.pt"));
}

}  // namespace
}  // namespace yoke
