// What the flags of `yoke run` mean.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/support.h"
#include "yoke/core/error.h"
#include "yoke/core/files/file.h"
#include "yoke/launch/flags.h"
#include "yoke/launch/network.h"
#include "yoke/launch/plan.h"
#include "yoke/launch/train_command.h"

namespace yoke::launch {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using Words = std::vector<std::string>;

/// What `action` says when it refuses its input; empty where it does not.
template <typename Action>
std::string refusal(const Action& action) {
  try {
    action();
  } catch (const UsageError& error) {
    return error.what();
  }
  return {};
}

TEST(SplitWords, TakesBothSpellingsAndOurShortNames) {
  const auto split =
      split_words({"-n", "2", "-np", "4", "-nr", "1", "--nproc_per_node=3", "--rdzv_id", "x", "-t3",
                   "--no_python", "train", "--nnodes", "9"});
  EXPECT_THAT(split.flags,
              ElementsAre("--nnodes=2", "--nproc-per-node=4", "--node-rank=1", "--nproc-per-node=3",
                          "--rdzv-id=x", "--tee=3", "--no-python"));
  EXPECT_THAT(split.command, ElementsAre("train", "--nnodes", "9"));
}

TEST(SplitWords, LeavesWhatFollowsTwoDashesToTheCommand) {
  const auto split = split_words({"-np4", "--", "./program", "--", "-np", "1"});
  EXPECT_THAT(split.flags, ElementsAre("--nproc-per-node=4"));
  EXPECT_THAT(split.command, ElementsAre("./program", "--", "-np", "1"));
}

TEST(SplitWords, KeepsUnknownFlagsForTheErrorMessage) {
  EXPECT_THAT(split_words({"--nodes", "2"}).flags, ElementsAre("--nodes"));
  EXPECT_THAT(split_words({"--nnodes"}).flags, ElementsAre("--nnodes"));  // without its value
}

TEST(ResolveFlags, PrefersTheCommandLineOverVariables) {
  const Environment variables = {{"PET_NNODES", "2:3"},
                                 {"PET_NODE_RANK", "1"},
                                 {"PET_MAX_RESTARTS", "7"},
                                 {"PET_STANDALONE", "0"}};
  const auto config = resolve_flags({{"max-restarts", "1"}}, variables);
  ASSERT_TRUE(config.nodes.has_value());
  EXPECT_EQ(config.nodes->least, 2);
  EXPECT_EQ(config.nodes->most, 3);
  EXPECT_EQ(config.node_rank, 1);
  EXPECT_EQ(config.max_restarts, 1);
  EXPECT_FALSE(config.standalone);
}

TEST(ResolveFlags, SaysWhichFlagIsWrongAndWhatIsAllowed) {
  const auto message = [](const char* name, const char* text) {
    return refusal([&] { resolve_flags({{name, text}}, {}); });
  };
  EXPECT_THAT(message("nnodes", "3:2"),
              HasSubstr("--nnodes: '3:2' is given; allowed: N or MIN:MAX"));
  EXPECT_THAT(message("nproc-per-node", "many"), HasSubstr("cpu (one per core)"));
  EXPECT_THAT(message("rdzv-backend", "etcd"), HasSubstr("no etcd is needed"));
  EXPECT_THAT(message("rdzv-conf", "timeot=3"), HasSubstr("timeout"));
  EXPECT_THAT(message("master-port", "70000"), HasSubstr("from 1 to 65535"));
  EXPECT_THAT(message("redirects", "4"), HasSubstr("3 (both)"));
  EXPECT_THAT(message("local-ranks-filter", "0,x"), HasSubstr("'x'"));
  EXPECT_THAT(message("heartbeat-timeout", "0"), HasSubstr("seconds above 0"));
  EXPECT_THAT(message("nnodes", "2"), HasSubstr("nothing says which host this is"));
  EXPECT_THAT(refusal([] {
                resolve_flags({}, {{"PET_NNODES", "none"}});
              }),
              HasSubstr("PET_NNODES"));
}

TEST(ResolveFlags, RefusesFlagsThatContradictEachOther) {
  const auto message = [](const std::map<std::string, std::string>& given) {
    return refusal([&] { resolve_flags(given, {}); });
  };
  EXPECT_THAT(message({{"hosts", "a,b"}, {"node-rank", "0"}}), HasSubstr("started by hand"));
  EXPECT_THAT(message({{"hosts", "a,b"}, {"nnodes", "3"}}), HasSubstr("2 hosts in the list"));
  EXPECT_THAT(message({{"nnodes", "2"}, {"node-rank", "2"}}), HasSubstr("allowed: 0 to 1"));
}

TEST(ResolveFlags, HasAVariableForEveryFlagByTorchrunsRule) {
  for (const auto& flag : launch_flags()) {
    EXPECT_THAT(flag.variable(), testing::MatchesRegex("PET_[A-Z_]+"));
  }
}

TEST(ParseHosts, ReadsNamesWithAndWithoutProcesses) {
  const auto hosts = parse_hosts("a,user@b:2,[::1]:3,fe80::1");
  ASSERT_EQ(hosts.size(), 4U);
  EXPECT_EQ(hosts[0].name, "a");
  EXPECT_EQ(hosts[0].processes, 0);
  EXPECT_EQ(hosts[1].name, "user@b");
  EXPECT_EQ(hosts[1].processes, 2);
  EXPECT_EQ(hosts[2].name, "::1");
  EXPECT_EQ(hosts[2].processes, 3);
  EXPECT_EQ(hosts[3].name, "fe80::1");
}

TEST(ParseHosts, RefusesWhatIsNoHost) {
  EXPECT_THAT(refusal([] { parse_hosts("a,,b"); }), HasSubstr("names no host"));
  EXPECT_THAT(refusal([] { parse_hosts("a:0"); }), HasSubstr("above 0"));
  EXPECT_THAT(refusal([] { parse_hosts("a,b,a"); }), HasSubstr("twice"));
  EXPECT_THAT(refusal([] { parse_hosts("-oProxyCommand=x"); }), HasSubstr("names no host"));
}

TEST(ReadHostfile, ReadsAllThreeForms) {
  const test::TemporaryDirectory directory;
  const auto path = directory.path() / "hosts";
  write_file(path, "# ours\na\n\n  b:2  # big\nc slots=3\n");
  const auto hosts = read_hostfile(path);
  ASSERT_EQ(hosts.size(), 3U);
  EXPECT_EQ(hosts[0].name, "a");
  EXPECT_EQ(hosts[1].processes, 2);
  EXPECT_EQ(hosts[2].name, "c");
  EXPECT_EQ(hosts[2].processes, 3);
  write_file(path, "a\nb gpus=2\n");
  EXPECT_THAT(refusal([&] { read_hostfile(path); }), HasSubstr("hosts:2: 'gpus=2' is unknown"));
  write_file(path, "# nobody\n");
  EXPECT_THAT(refusal([&] { read_hostfile(path); }), HasSubstr("names no host"));
}

TEST(ParseStreams, MeansAllRanksOrSome) {
  const auto all = parse_streams("1");
  EXPECT_TRUE(all.has(5, Stream::kOut));
  EXPECT_FALSE(all.has(5, Stream::kErr));
  const auto some = parse_streams("0:3,2:2");
  EXPECT_TRUE(some.has(0, Stream::kOut));
  EXPECT_FALSE(some.has(1, Stream::kErr));
  EXPECT_FALSE(some.has(2, Stream::kOut));
  EXPECT_TRUE(some.has(2, Stream::kErr));
  EXPECT_THAT(refusal([] { parse_streams("0:3,"); }), HasSubstr("0:3,1:2"));
}

TEST(ParseEndpoint, ReadsNamesAndAddresses) {
  EXPECT_EQ(parse_endpoint("node1:1234", 29400).port, 1234);
  EXPECT_EQ(parse_endpoint("node1", 29400).port, 29400);
  EXPECT_EQ(parse_endpoint("[::1]:5", 29400).host, "::1");
  EXPECT_EQ(tcp(parse_endpoint("[::1]:5", 29400)), "tcp://[::1]:5");
  EXPECT_THAT(refusal([] { parse_endpoint("node1:x", 29400); }), HasSubstr("HOST:PORT"));
  EXPECT_THAT(refusal([] { parse_endpoint("node1:1234x", 29400); }), HasSubstr("HOST:PORT"));
}

LaunchConfig asked(Words command) {
  LaunchConfig config;
  config.command = std::move(command);
  return config;
}

TEST(Plan, KeepsLogsInTheRunDirectoryOfATraining) {
  const test::TemporaryDirectory directory;
  const std::string out = directory.path() / "run";
  std::filesystem::create_directories(directory.path() / "run" / "logs" / "attempt-4");
  const auto plan = make_plan(asked({"train", "--out=" + out}), "/bin/yoke");
  EXPECT_EQ(plan.log_dir, out + "/logs");
  EXPECT_EQ(plan.first_attempt, 5);
  EXPECT_THAT(plan.command, ElementsAre("/bin/yoke", "train", "--out=" + out));
  EXPECT_THAT(plan.resume_command,
              ElementsAre("/bin/yoke", "train", "--out=" + out, "--resume", "auto"));
}

TEST(Plan, GivesEveryAttemptOfATrainingOneRunDirectory) {
  auto config = asked({"train"});
  config.max_restarts = 1;
  const auto plan = make_plan(config, "/bin/yoke");
  EXPECT_EQ(flag_value(plan.command, "out"), "runs/" + plan.id);
  config.nodes = NodeRange{.least = 2, .most = 2};
  EXPECT_THAT(refusal([&] { make_plan(config, "/bin/yoke"); }), HasSubstr("--out DIR"));
}

TEST(Plan, LeavesOtherProgramsAsTheyAre) {
  const auto plan = make_plan(asked({"./train", "--out", "x"}), "/bin/yoke");
  EXPECT_FALSE(plan.yoke_command);
  EXPECT_THAT(plan.command, ElementsAre("./train", "--out", "x"));
  EXPECT_EQ(plan.resume_command, plan.command);
  EXPECT_THAT(refusal([] { make_plan(asked({}), "/bin/yoke"); }), HasSubstr("nothing to run"));
}

TEST(Resuming, LeavesTheUsersOwnResumeAlone) {
  const Words own = {"train", "--resume", "runs/a"};
  EXPECT_EQ(resuming(own), own);
}

}  // namespace
}  // namespace yoke::launch
