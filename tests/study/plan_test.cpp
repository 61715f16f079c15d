// Study files and the points that they make.
#include "yoke/study/plan.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "tests/support/support.h"
#include "yoke/core/error.h"
#include "yoke/core/files/file.h"
#include "yoke/study/jobs.h"
#include "yoke/study/time_left.h"
#include "yoke/study/time_span.h"

namespace yoke::study {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;

class StudyFiles : public testing::Test {
 protected:
  std::filesystem::path path() const { return directory_.path() / "s.toml"; }
  StudyPlan read(const std::string& text, bool short_form = false) {
    write_file(path(), text);
    return read_study(path(), {.short_form = short_form}, [](const auto&, const auto&) {});
  }
  std::string refusal(const std::string& text) {
    try {
      read(text);
    } catch (const UsageError& error) {
      return error.what();
    }
    return "no error";
  }
  static std::vector<std::string> names(const StudyPlan& plan) {
    std::vector<std::string> all;
    for (const auto& point : plan.points) all.push_back(point.name);
    return all;
  }

  test::TemporaryDirectory directory_;
};

TEST_F(StudyFiles, CombineEveryValueOfEveryAxis) {
  const auto plan =
      read("[axes]\nbatch-size = [32, 256]\noptimizer = ['adam', 'sgd:momentum=0.9']\n");
  EXPECT_THAT(
      names(plan),
      ElementsAre("batch-size=32,optimizer=adam", "batch-size=32,optimizer=sgd_momentum=0.9",
                  "batch-size=256,optimizer=adam", "batch-size=256,optimizer=sgd_momentum=0.9"));
  EXPECT_EQ(plan.points[3].flags.at("batch-size").value, "256");
  EXPECT_TRUE(plan.points[3].flags.at("optimizer").quoted);
}

TEST_F(StudyFiles, LayFlagsOverTheRecipeAndAxesOverFlags) {
  write_file(directory_.path() / "base.toml", "model = 'mlp'\nlr = 0.1\nbatch-size-per-rank = 8\n");
  const auto plan =
      read("[study]\nrecipe = 'base.toml'\n[flags]\nlr = 0.2\n[axes]\nbatch_size = [4]\n");
  ASSERT_EQ(plan.points.size(), 1U);
  const auto& flags = plan.points[0].flags;
  EXPECT_EQ(flags.at("model").value, "mlp");
  EXPECT_EQ(flags.at("lr").value, "0.2");
  EXPECT_EQ(flags.at("batch-size").value, "4");
  EXPECT_FALSE(flags.contains("batch-size-per-rank"));
}

TEST_F(StudyFiles, GiveOptionsOfFlagsAxesOfTheirOwn) {
  const auto plan = read(
      "[axes]\n\"optimizer.weight_decay\" = [0, 0.9]\noptimizer = ['sgd:nesterov=true']\n"
      "[axes.schedule]\nmax_lr = 0.1\n[flags]\nschedule = 'onecycle:max_lr=2'\n");
  EXPECT_THAT(names(plan), ElementsAre("optimizer.weight_decay=0", "optimizer.weight_decay=0.9"));
  EXPECT_EQ(plan.points[1].flags.at("optimizer").value, "sgd:nesterov=true,weight_decay=0.9");
  EXPECT_EQ(plan.points[1].flags.at("schedule").value, "onecycle:max_lr=0.1");
}

TEST_F(StudyFiles, KeepFlagsOfACaseTogether) {
  const auto plan = read(
      "[[cases]]\nname = 'parallel SGD'\nranks = [1, 2]\n[[cases]]\nname = 'Hogwild'\n"
      "strategy = ['hogwild:workers=1', 'hogwild:workers=2']\n");
  EXPECT_THAT(names(plan), ElementsAre("parallel_SGD,ranks=1", "parallel_SGD,ranks=2",
                                       "Hogwild,strategy=hogwild_workers=1",
                                       "Hogwild,strategy=hogwild_workers=2"));
  EXPECT_EQ(plan.points[1].ranks, 2);
  EXPECT_EQ(plan.points[2].case_name, "Hogwild");
}

TEST_F(StudyFiles, TakeWhatTheShortFormReplaces) {
  const std::string text =
      "[study]\nrepetitions = 10\n[flags]\nepochs = 8\nmodel = 'mlp'\n[axes]\nranks = [1, 2, 3]\n"
      "[short]\nrepetitions = 2\nwarm-up = 0\n[short.flags]\nepochs = 1\n[short.axes]\nranks = "
      "[1]\n";
  EXPECT_EQ(read(text).points.size(), 3U);
  const auto plan = read(text, true);
  EXPECT_EQ(plan.repetitions, 2);
  EXPECT_EQ(plan.warm_ups, 0);
  ASSERT_EQ(plan.points.size(), 1U);
  EXPECT_EQ(plan.points[0].flags.at("epochs").value, "1");
  EXPECT_EQ(plan.points[0].flags.at("model").value, "mlp");
}

TEST_F(StudyFiles, NameSetsOfHostsAndLimits) {
  const auto plan = read(
      "[study]\nhosts = ['a,b', 'c']\nrun-limit = '30min'\nlimit = '1.5h'\n[axes]\nnodes = [1, "
      "2]\n");
  EXPECT_THAT(plan.hosts, ElementsAre(ElementsAre("a", "b"), ElementsAre("c")));
  EXPECT_EQ(plan.run_limit->count(), 1800);
  EXPECT_EQ(plan.limit->count(), 5400);
}

TEST_F(StudyFiles, GiveWayToHostsAndDataOfTheCommandLine) {
  write_file(path(), "[study]\nhosts = ['a']\n[axes]\nnodes = [3]\n");
  const auto plan = read_study(path(), {.hosts = {"x,y,z", "u,v,w"}, .data_dir = "/d"},
                               [](const auto&, const auto&) {});
  EXPECT_THAT(plan.hosts, ElementsAre(ElementsAre("x", "y", "z"), ElementsAre("u", "v", "w")));
  EXPECT_EQ(plan.points[0].flags.at("data-dir").value, "/d");
  EXPECT_THROW(parse_host_set("a,,b"), UsageError);
  EXPECT_THAT(parse_host_set("fe80::1,b"), ElementsAre("fe80::1", "b"));
}

TEST_F(StudyFiles, AreRefusedWithTheLineAndWhatIsAllowed) {
  EXPECT_THAT(refusal("[axis]\n"), AllOf(HasSubstr("s.toml:1"), HasSubstr("did you mean 'axes'?")));
  EXPECT_THAT(refusal("[study]\n\nrepeat = 2\n"),
              AllOf(HasSubstr("s.toml:3"), HasSubstr("'repeat'")));
  EXPECT_THAT(refusal("[study]\nrepetitions = 0\n"), HasSubstr("from 1 to 1000"));
  EXPECT_THAT(refusal("[study]\nlimit = 'soon'\n"), HasSubstr("\"8h\""));
  EXPECT_THAT(refusal("[axes]\nlr = []\n"), HasSubstr("no value"));
  EXPECT_THAT(refusal("[axes]\nnodes = [1, 2]\n"), HasSubstr("needs 2 nodes"));
  EXPECT_THAT(refusal("[axes]\nranks = [0]\n"), HasSubstr("from 1 to"));
  EXPECT_THAT(refusal("[flags]\nseed = 3\n"), HasSubstr("set by the study itself"));
  EXPECT_THAT(refusal("[[cases]]\nlr = 1\n"), HasSubstr("needs a name"));
  EXPECT_THAT(refusal("[axes]\nlr = [1, 1]\n"), HasSubstr("'lr=1' and 'lr=1_2' have the same"));
  EXPECT_THAT(refusal("[axes]\nlr = [1, 2]\n[[cases]]\nname = 'A'\nlr = 3\n"),
              HasSubstr("have the same flags"));
  EXPECT_THAT(refusal("[study]\nhosts = ['a:2']\n"), HasSubstr("'a:2' says how many ranks"));
  EXPECT_THAT(refusal("[[axes]]\nlr = 1\n"), HasSubstr("write it as [axes]"));
  EXPECT_THAT(refusal("[cases]\nname = 'A'\n"), HasSubstr("write each case as [[cases]]"));
  EXPECT_THAT(refusal("[study]\ntitle = 5\n"), HasSubstr("title is a text"));
  EXPECT_THAT(refusal("[study]\nseed = '7'\n"), HasSubstr("seed is a whole number"));
  EXPECT_THAT(refusal("[study]\nrun-limit = 1800\n"), HasSubstr("without a unit"));
  EXPECT_THAT(refusal("x ="), HasSubstr("s.toml:1"));
  EXPECT_THROW(read_study(directory_.path() / "absent.toml", {}, {}), UsageError);
}

/// Names that are cut to the same beginning are told apart by numbers.
TEST_F(StudyFiles, NameEachOfThousandsOfPoints) {
  std::string text = "[axes]\n";
  for (const char* const axis : {"a", "b", "c", "d"}) {
    text += fmt::format("{}{} = [0, 1, 2, 3, 4, 5, 6, 7, 8, 9]\n", std::string(130, 'n'), axis);
  }
  const auto all = names(read(text));
  EXPECT_EQ(all.size(), 10'000);
  EXPECT_EQ(std::set(all.begin(), all.end()).size(), 10'000);
}

TEST_F(StudyFiles, HaveAsManyPointsAsCanBeRun) {
  std::string text = "[axes]\n";
  for (int axis = 0; axis < 60; ++axis) text += fmt::format("a{} = [1, 2]\n", axis);
  EXPECT_THAT(refusal(text), HasSubstr("make more than 10000 points"));
  text = "[axes]\nlr = [1, 2]\n";
  for (int i = 0; i < 5001; ++i) text += fmt::format("[[cases]]\nname = 'c{}'\nb = {}\n", i, i);
  EXPECT_THAT(refusal(text), HasSubstr("make more than 10000 points"));
}

TEST_F(StudyFiles, HaveNoShortFormWithoutItsTables) {
  EXPECT_THROW(read("[axes]\nlr = [1]\n", true), UsageError);
}

TEST_F(StudyFiles, ShowEachPointToTheCheckOfFlags) {
  write_file(path(), "[axes]\nlr = [1, 2]\n");
  int points = 0;
  read_study(path(), {}, [&](const std::vector<RecipeEntry>& flags, const std::string& where) {
    ++points;
    ASSERT_EQ(flags.size(), 1U);
    EXPECT_EQ(flags[0].key, "lr");
    EXPECT_THAT(where, HasSubstr("lr="));
  });
  EXPECT_EQ(points, 2);
}

TEST_F(StudyFiles, InterleaveRepetitionsAndTurnAround) {
  const auto plan = read("[study]\nrepetitions = 2\nwarm-up = 1\nseed = 7\n[axes]\nlr = [1, 2]\n");
  std::vector<std::string> order;
  for (const auto& job : jobs_of(plan, "runs")) {
    order.push_back(fmt::format("{} {}", job.directory.string(), job.seed));
  }
  EXPECT_THAT(order, ElementsAre("runs/lr=2-w1 7", "runs/lr=1-w1 7", "runs/lr=1-r1 7",
                                 "runs/lr=2-r1 7", "runs/lr=2-r2 8", "runs/lr=1-r2 8"));
}

TEST_F(StudyFiles, BecomeCommands) {
  const auto plan =
      read("[study]\nwarm-up = 0\nhosts = ['a,b,c']\n[axes]\nnodes = [2]\nranks = [3]\n");
  const auto jobs = jobs_of(plan, "runs");
  EXPECT_THAT(
      command_of(jobs[0], "yoke", plan.hosts[0]),
      ElementsAre("yoke", "run", "--hosts", "a,b", "--nproc-per-node", "3", "train", "--recipe",
                  "runs/all-r1.toml", "--out", "runs/all-r1", "--progress", "lines"));
  const auto here = read("[study]\nwarm-up = 0\n");
  EXPECT_THAT(command_of(jobs_of(here, "runs")[0], "yoke", {}),
              ElementsAre("yoke", "train", "--recipe", "runs/all-r1.toml", "--out", "runs/all-r1",
                          "--progress", "lines"));
}

TEST(TimeSpan, IsANumberAndAUnit) {
  EXPECT_EQ(parse_time_span("90s")->count(), 90);
  EXPECT_EQ(parse_time_span("1.5h")->count(), 5400);
  for (const char* const wrong : {"", "5", "min", "-1s", "0s", "5 min", "5days"}) {
    EXPECT_FALSE(parse_time_span(wrong)) << wrong;
  }
}

TEST(TimeLeft, TakesEachPointForWhatItTookBefore) {
  StudyPoint a, b, c;
  a.name = "a";
  b.name = "b";
  c.name = "c";
  const Job job_a{.point = &a, .directory = {}}, job_b{.point = &b, .directory = {}},
      job_c{.point = &c, .directory = {}};
  TimeLeft left;
  EXPECT_FALSE(left.of({&job_a}, 1));
  left.add(a, 10);
  left.add(b, 30);
  EXPECT_DOUBLE_EQ(*left.of({&job_a, &job_b, &job_c}, 1), 60);
  EXPECT_DOUBLE_EQ(*left.of({&job_a, &job_b, &job_c}, 2), 30);
  EXPECT_DOUBLE_EQ(*left.of({&job_a}, 5), 10);
  EXPECT_DOUBLE_EQ(*left.of({&job_a}, 1, /*later=*/2.5), 60);
}

}  // namespace
}  // namespace yoke::study
