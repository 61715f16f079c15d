// How failures are explained and reported.
#include "yoke/launch/agent/failure.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/support.h"
#include "yoke/core/error.h"
#include "yoke/core/files/file.h"
#include "yoke/launch/agent/log_tail.h"
#include "yoke/launch/agent/rank_environment.h"
#include "yoke/launch/rendezvous/message.h"

namespace yoke::launch {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

Failure failure_at(double time, int rank) {
  return {.time = time,
          .host = "a",
          .rank = rank,
          .local_rank = rank,
          .exit_code = 1,
          .pid = 100 + rank,
          .error_file = {},
          .message = fmt::format("message {}", rank)};
}

TEST(Explain, SaysWhichSignalEndedARankThatSaidNothing) {
  Failure failure = failure_at(10, 0);
  failure.exit_code = -9;
  explain(failure, "/nowhere/error.json");
  EXPECT_EQ(failure.message, "Signal 9 (SIGKILL) received by PID 100");
  EXPECT_EQ(failure.error_file, "");
}

TEST(Explain, TakesMessageAndTimeFromTorchsErrorFile) {
  const test::TemporaryDirectory directory;
  const auto path = directory.path() / "error.json";
  Failure failure = failure_at(100, 0);
  write_file(path, R"({"message": {"message": "no such layer",
                       "extraInfo": {"py_callstack": "", "timestamp": "98.25"}}})");
  explain(failure, path);
  EXPECT_EQ(failure.message, "no such layer");
  EXPECT_EQ(failure.time, 98.25);
  EXPECT_EQ(failure.error_file, path);
}

TEST(Explain, SaysThatAnErrorFileIsDamaged) {
  const test::TemporaryDirectory directory;
  const auto path = directory.path() / "error.json";
  write_file(path, "{\"message\": ");
  Failure failure = failure_at(100, 0);
  explain(failure, path);
  EXPECT_EQ(failure.message, "exited with status 1");
  EXPECT_EQ(failure.time, 100);
  EXPECT_THAT(failure.last_lines, ElementsAre(HasSubstr("not in torch's form")));
}

TEST(FailureReport, HasTorchrunsFormWithTheFirstFailureAsRootCause) {
  const auto text = failure_report({failure_at(20, 1), failure_at(10, 2)}, "train");
  const auto root = text.find("Root Cause (first observed failure):");
  ASSERT_NE(root, std::string::npos);
  EXPECT_THAT(text, HasSubstr("train FAILED"));
  EXPECT_THAT(text.substr(0, root), HasSubstr("rank      : 1 (local_rank: 1)"));
  EXPECT_THAT(text.substr(root), HasSubstr("rank      : 2 (local_rank: 2)"));
  EXPECT_THAT(text.substr(root), HasSubstr("exitcode  : 1 (pid: 102)"));
  EXPECT_THAT(text.substr(root), HasSubstr("error_file: <N/A>"));
  EXPECT_THAT(failure_report({failure_at(1, 0)}, "x"), HasSubstr("<NO_OTHER_FAILURES>"));
}

TEST(Message, ComesBackAsItWasSent) {
  Ended ended{
      .attempt = 3, .exits = {0, -9}, .failures = {failure_at(1, 2)}, .now = 5, .store = {}};
  ended.failures[0].last_lines = {"not UTF-8: \xff"};
  const Message message = decode(encode(ended));
  const auto& copy = std::get<Ended>(message);
  EXPECT_EQ(copy.attempt, 3);
  EXPECT_THAT(copy.exits, ElementsAre(0, -9));
  EXPECT_EQ(copy.failures.at(0).message, "message 2");
  EXPECT_TRUE(std::holds_alternative<Beat>(decode(encode(Beat()))));
  const Message joined =
      decode(encode(Join{.run = "r", .version = "1", .host = "h", .address = "a"}));
  EXPECT_EQ(std::get<Join>(joined).node_rank, -1);
}

TEST(Message, RefusesWhatIsNone) {
  for (const char* const text :
       {"", "{", "[]", "{}", R"({"type": "start"})", R"({"type": 3})", R"({"type": "attack"})"}) {
    EXPECT_THROW(decode(text), Error) << text;
  }
}

TEST(RankEnvironment, TellsARankWhoItIsByTorchrunsNames) {
  RankSetting setting{.base = {{"PATH", "/bin"}, {"RANK", "77"}},
                      .run = "job",
                      .role = "default",
                      .processes = 2,
                      .max_restarts = 4,
                      .network_interface = "eth1",
                      .omp_threads = 3};
  const Start start{.attempt = 1,
                    .restarts = 1,
                    .resume = true,
                    .group_rank = 1,
                    .first_rank = 2,
                    .world_size = 5,
                    .master_addr = "10.0.0.1",
                    .master_port = 29500};
  const auto variables = rank_environment(setting, start, 1, "/logs/error.json");
  const Environment expected = {{"PATH", "/bin"},
                                {"RANK", "3"},
                                {"WORLD_SIZE", "5"},
                                {"LOCAL_RANK", "1"},
                                {"LOCAL_WORLD_SIZE", "2"},
                                {"GROUP_RANK", "1"},
                                {"ROLE_RANK", "3"},
                                {"ROLE_WORLD_SIZE", "5"},
                                {"MASTER_ADDR", "10.0.0.1"},
                                {"MASTER_PORT", "29500"},
                                {"TORCHELASTIC_RESTART_COUNT", "1"},
                                {"YOKE_RESTARTED", "1"},
                                {"TORCHELASTIC_MAX_RESTARTS", "4"},
                                {"TORCHELASTIC_RUN_ID", "job"},
                                {"TORCHELASTIC_USE_AGENT_STORE", "False"},
                                {"TORCHELASTIC_ERROR_FILE", "/logs/error.json"},
                                {"GLOO_SOCKET_IFNAME", "eth1"},
                                {"NCCL_SOCKET_IFNAME", "eth1"},
                                {"OMP_NUM_THREADS", "3"}};
  EXPECT_EQ(variables, expected);
  EXPECT_FALSE(rank_environment(setting, Start{}, 1, "").contains("YOKE_RESTARTED"));
  setting.base["OMP_NUM_THREADS"] = "8";
  EXPECT_EQ(rank_environment(setting, start, 1, "").at("OMP_NUM_THREADS"), "8");
}

TEST(LogTail, ShowsWholeLinesOnceTheyAreWholeAndTheLastAtTheEnd) {
  const test::TemporaryDirectory directory;
  const auto log = directory.path() / "log", shown = directory.path() / "shown";
  FileDescriptor writer(log, O_WRONLY | O_CREAT);
  const FileDescriptor screen(shown, O_WRONLY | O_CREAT);
  const auto write = [&writer](std::string_view text) {
    writer.write(std::as_bytes(std::span(text)));
  };
  EventLoop loop;
  Console console(loop, screen.get());
  std::set<std::string> said;
  LogTail tail(log, "[0]:", console, said);
  write("one\nhalf");
  tail.follow();
  EXPECT_EQ(read_file(shown), "[0]:one\n");
  write(" two\n10%\r20%\r\nyoke: wrong\nyoke: wrong\nend");
  tail.follow();
  EXPECT_EQ(read_file(shown), "[0]:one\n[0]:half two\n[0]:20%\n[0]:yoke: wrong\n");
  tail.finish();
  EXPECT_THAT(read_file(shown), testing::EndsWith("wrong\n[0]:end\n"));
}

TEST(LastLines, TakesTheEndOfALongFile) {
  const test::TemporaryDirectory directory;
  const auto path = directory.path() / "log";
  EXPECT_THAT(last_lines(path, 2), testing::IsEmpty());
  std::string text;
  for (int line = 0; line < 10'000; ++line) text += fmt::format("line {}\n\n", line);
  write_file(path, text);
  EXPECT_THAT(last_lines(path, 2), ElementsAre("line 9998", "line 9999"));
}

}  // namespace
}  // namespace yoke::launch
