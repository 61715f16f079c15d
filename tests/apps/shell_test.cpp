// Completion by real shells, and manual pages as man reads them.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <string>
#include <vector>

#include "tests/support/lines.h"
#include "tests/support/support.h"
#include "yoke/core/files/file.h"
#include "yoke/train/config/flags.h"

namespace yoke {
namespace {

namespace fs = std::filesystem;
using test::lines_of;
using test::run_program;
using test::run_yoke;
using test::TemporaryDirectory;
using testing::AllOf;
using testing::Contains;
using testing::ElementsAre;
using testing::IsEmpty;
using testing::IsSupersetOf;
using testing::Not;

using Words = std::vector<std::string>;

/// A folder with a run and a photo in it, where the program's script for bash was sourced.
class BashCompletion : public testing::Test {
 protected:
  void SetUp() override {
    const auto written = run_yoke({"completion", "bash", "--out", script()});
    ASSERT_EQ(written.status, 0) << written.output;
    fs::create_directory(directory_.path() / "runs");
    write_file(directory_.path() / "cat.jpg", "");
  }

  std::string script() const { return directory_.path() / "script"; }

  /// What bash offers for the last of `words`, split as bash splits them.
  Words complete(Words words) const {
    Words command = {"bash",
                     "-c",
                     "set -u; cd \"$1\"; . \"$2\"; shift 2; COMP_WORDS=(\"$@\"); "
                     "COMP_CWORD=$(($# - 1)); _yoke; printf '%s\\n' \"${COMPREPLY[@]}\"",
                     "bash",
                     directory_.path(),
                     script()};
    command.insert(command.end(), words.begin(), words.end());
    const auto result = run_program(command);
    EXPECT_EQ(result.status, 0) << result.output;
    Words offered = lines_of(result.output);
    std::erase(offered, "");
    return offered;
  }

 private:
  const TemporaryDirectory directory_;
};

TEST_F(BashCompletion, KnowsCommands) {
  EXPECT_THAT(complete({"yoke", ""}), AllOf(IsSupersetOf({"train", "classify", "run", "data"}),
                                            Not(Contains("--version"))));
  EXPECT_THAT(complete({"yoke", "cl"}), ElementsAre("classify"));
  EXPECT_THAT(complete({"yoke", "data", "f"}), ElementsAre("fetch"));
  EXPECT_THAT(complete({"yoke", "--v"}), ElementsAre("--version"));
}

TEST_F(BashCompletion, KnowsEveryFlagOfTraining) {
  const auto offered = complete({"yoke", "train", "--"});
  for (const auto& flag : train_flags()) EXPECT_THAT(offered, Contains("--" + flag.name));
  EXPECT_THAT(complete({"yoke", "train", "--batch-"}),
              ElementsAre("--batch-size", "--batch-size-per-rank"));
  EXPECT_THAT(offered, Not(Contains("--version")));
}

TEST_F(BashCompletion, KnowsValuesOfFlags) {
  EXPECT_THAT(complete({"yoke", "train", "--model", "resnet"}),
              IsSupersetOf({"resnet18", "resnet50"}));
  EXPECT_THAT(complete({"yoke", "train", "--data", "fash"}), ElementsAre("fashion-mnist"));
  EXPECT_THAT(complete({"yoke", "train", "--epochs", "3", "--optimizer", "adam"}),
              ElementsAre("adam", "adamw"));
  EXPECT_THAT(complete({"yoke", "train", "--precision", "b"}), ElementsAre("bf16"));
  EXPECT_THAT(complete({"yoke", "train", "--comm", "glo"}), ElementsAre("gloo"));
  EXPECT_THAT(complete({"yoke", "bench", "step", "--model", "lab"}), ElementsAre("lab-cnn"));
  EXPECT_THAT(complete({"yoke", "data", "fetch", "mn"}), ElementsAre("mnist"));
  EXPECT_THAT(complete({"yoke", "train", "--epochs", ""}), IsEmpty());
}

TEST_F(BashCompletion, TakesWordsThatBashSplits) {
  EXPECT_THAT(complete({"yoke", "train", "--engine", "="}),
              ElementsAre("auto", "eager", "compiled"));
  EXPECT_THAT(complete({"yoke", "train", "--engine", "=", "e"}), ElementsAre("eager"));
  EXPECT_THAT(complete({"yoke", "train", "--optimizer", "sgd", ":"}), IsEmpty());
}

TEST_F(BashCompletion, KnowsFilesAndFolders) {
  EXPECT_THAT(complete({"yoke", "classify", "runs", ""}), IsSupersetOf({"runs", "cat.jpg"}));
  EXPECT_THAT(complete({"yoke", "train", "--out", ""}),
              AllOf(Contains("runs"), Not(Contains("cat.jpg"))));
  EXPECT_THAT(complete({"yoke", "weights", "fetch", "--data-dir", ""}), ElementsAre("runs"));
  EXPECT_THAT(complete({"yoke", "data", "fetch", "--mirror", ""}), ElementsAre("runs"));
  EXPECT_THAT(complete({"yoke", "train", "--resume", "a"}), ElementsAre("auto"));
  EXPECT_THAT(complete({"yoke", "train", "--resume", "r"}), ElementsAre("runs"));
}

TEST_F(BashCompletion, KnowsTheCommandBehindTheFlagsOfRun) {
  EXPECT_THAT(complete({"yoke", "run", "--nproc"}), ElementsAre("--nproc-per-node"));
  EXPECT_THAT(complete({"yoke", "run", "-np", "2", "train", "--model", "lab"}),
              ElementsAre("lab-cnn"));
  EXPECT_THAT(complete({"yoke", "run", "-np", "2", "train", "--target"}),
              ElementsAre("--target-accuracy"));
}

TEST(ZshCompletion, IsReadByZsh) {
  if (run_program({"sh", "-c", "command -v zsh"}).status != 0) GTEST_SKIP() << "there is no zsh";
  const auto terminal = run_program({"zsh", "-f", "-c", "zmodload zsh/zpty && zpty z true"});
  if (terminal.status != 0) GTEST_SKIP() << "zsh has no pseudo terminal: " << terminal.output;
  const TemporaryDirectory directory;
  const fs::path file = directory.path() / "_yoke";
  ASSERT_EQ(run_yoke({"completion", "zsh", "--out", file}).status, 0);
  EXPECT_THAT(read_file(file), testing::StartsWith("#compdef yoke\n"));
  // An interactive zsh in a terminal of its own, whose output is awaited.
  const auto shows = [&](const std::string& typed, const std::string& expected) {
    const std::string program =
        "zmodload zsh/zpty; zpty z zsh -f -i; z() { zpty -w z \"$1\" }\n"
        "z 'PS1=; fpath=(" +
        directory.path().string() +
        " $fpath); autoload -Uz compinit'\n"
        "z 'compinit -D -u; LISTMAX=1000; stty columns 200; print REA\"\"DY'\n"
        "zpty -r z text '*READY*'; zpty -w -n z \"$1\"$'\\t'; zpty -r z text \"*$2*\"\n";
    const auto result =
        run_program({"timeout", "120", "zsh", "-f", "-c", program, "zsh", typed, expected});
    EXPECT_EQ(result.status, 0) << expected << " was not offered for: " << typed << result.output;
  };
  shows("yoke cl", "classify");
  shows("yoke train --precision ", "bf16");
  shows("yoke data fetch fash", "fashion-mnist");
  shows("yoke run --nproc-per-node 2 train --model six", "six-layer");
}

TEST(ManPages, AreOneForEachCommandAndWithoutFault) {
  if (run_program({"sh", "-c", "command -v man"}).status != 0) GTEST_SKIP() << "there is no man";
  const TemporaryDirectory directory;
  const auto written = run_yoke({"man", "--out", directory.path()});
  ASSERT_EQ(written.status, 0) << written.output;
  std::size_t pages = 0;
  for (const auto& entry : fs::directory_iterator(directory.path())) {
    ++pages;
    const auto checked = run_program({"env", "LC_ALL=C.UTF-8", "MANWIDTH=80", "man", "--warnings",
                                      "-E", "UTF-8", "-l", "-Tutf8", "-Z", entry.path()});
    EXPECT_EQ(checked.status, 0) << checked.output;
    EXPECT_THAT(checked.output, Not(testing::HasSubstr("warning"))) << entry.path();
  }
  EXPECT_GT(pages, 12U);
  const auto train = run_program({"env", "LC_ALL=C.UTF-8", "MANWIDTH=80", "man", "-l", "-P", "cat",
                                  directory.path() / "yoke-train.1"});
  for (const auto& flag : train_flags()) {
    EXPECT_THAT(train.output, testing::HasSubstr("--" + flag.name));
  }
  EXPECT_EQ(run_yoke({"man", "train"}).output, read_file(directory.path() / "yoke-train.1"));
}

TEST(ManPages, SayWhichCommandThereIsNot) {
  const auto result = run_yoke({"man", "trian"});
  EXPECT_EQ(result.status, 2);
  EXPECT_THAT(result.output, testing::HasSubstr("no command 'trian'; did you mean 'train'?"));
}

TEST(ManPages, AreAllOrOne) {
  const TemporaryDirectory directory;
  const auto result = run_yoke({"man", "train", "--out", directory.path()});
  EXPECT_EQ(result.status, 2);
  EXPECT_THAT(result.output, testing::HasSubstr("COMMAND"));
  EXPECT_TRUE(fs::is_empty(directory.path()));
}

TEST(Completion, SaysWhatIsWrongWithTheFileToWrite) {
  const TemporaryDirectory directory;
  const auto written_to = [](const fs::path& file) {
    const auto result = run_yoke({"completion", "bash", "--out", file});
    EXPECT_EQ(result.status, 2);
    return result.output;
  };
  EXPECT_THAT(written_to(directory.path() / "none" / "yoke"),
              AllOf(testing::HasSubstr("there is no directory"), testing::HasSubstr("make it")));
  EXPECT_THAT(written_to(directory.path()), testing::HasSubstr("give a file"));
}

}  // namespace
}  // namespace yoke
