// Trials that are drawn, rungs of successive halving, and what comes of them.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "tests/study/runs.h"
#include "tests/support/support.h"
#include "yoke/core/error.h"
#include "yoke/core/parse_number.h"
#include "yoke/study/search/search_plan.h"
#include "yoke/study/search/search_report.h"
#include "yoke/study/search/trial_figures.h"

namespace yoke::study {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
namespace fs = std::filesystem;

double number(const std::string& text) { return parse_number<double>(text).value(); }

/// Studies of one file, without a check of flags.
class Searches : public testing::Test {
 protected:
  SearchPlan read(const std::string& text) {
    const auto path = directory_.path() / "s.toml";
    write_file(path, text);
    return read_search(path, {}, [](const auto&, const auto&) {});
  }
  std::string refusal(const std::string& text) {
    try {
      read(text);
    } catch (const UsageError& error) {
      return error.what();
    }
    return "no error";
  }
  static std::vector<std::string> values(const SearchPlan& search, const std::string& axis) {
    std::vector<std::string> all;
    for (const auto& point : search.study.points) all.push_back(point.axes.at(axis));
    return all;
  }

  test::TemporaryDirectory directory_;
};

TEST_F(Searches, DrawTheSameForMoreTrialsAndOtherAxes) {
  const std::string lr = "[axes]\nlr = { low = 1e-4, high = 1.0, log = true }\n";
  const auto few = values(read("[search]\ntrials = 5\n" + lr), "lr");
  auto many = values(read("[search]\ntrials = 9\n" + lr + "batch-size = [16, 32]\n"), "lr");
  many.resize(5);
  EXPECT_EQ(few, many);
  EXPECT_EQ(std::set<std::string>(few.begin(), few.end()).size(), 5U);
  EXPECT_NE(values(read("[search]\ntrials = 5\nseed = 2\n" + lr), "lr"), few);
}

TEST_F(Searches, RunEachTrialOnceUnlessTheFileSaysMore) {
  const auto search = read("[search]\ntrials = 2\n[axes]\nlr = { low = 0.1, high = 1.0 }\n");
  EXPECT_EQ(search.study.repetitions, 1);
  EXPECT_EQ(search.study.warm_ups, 0);
  EXPECT_EQ(search.study.points[1].name, "trial=2");
  EXPECT_EQ(read("[study]\nrepetitions = 2\n[search]\ntrials = 1\n").study.repetitions, 2);
}

TEST_F(Searches, DrawEveryPointOfASmallSpaceOnce) {
  const auto search = read(
      "[search]\ntrials = 6\n[axes]\nbatch-size = [8, 16, 32]\nepochs = { low = 1, high = 2 "
      "}\n");
  std::set<std::string> seen;
  for (const auto& point : search.study.points) {
    seen.insert(point.flags.at("batch-size").value + " " + point.flags.at("epochs").value);
  }
  EXPECT_THAT(seen, ElementsAre("16 1", "16 2", "32 1", "32 2", "8 1", "8 2"));
}

TEST_F(Searches, SetOptionsOfFlagsAndOfEachCase) {
  const auto search = read(
      "[search]\ntrials = 20\n[axes]\noptimizer.weight_decay = { low = 0.1, high = 0.2 }\n"
      "[[cases]]\nname = 'sgd'\noptimizer = 'sgd:weight_decay=5,momentum=0.9'\n"
      "lr = { low = 1.0, high = 2.0 }\n[[cases]]\nname = 'adam'\noptimizer = 'adam'\nlr = 0.001\n");
  std::set<std::string> cases;
  for (const auto& point : search.study.points) {
    cases.insert(point.case_name);
    const std::string decay = point.axes.at("optimizer.weight_decay");
    const bool sgd = point.case_name == "sgd";
    EXPECT_EQ(point.flags.at("optimizer").value,
              sgd ? fmt::format("sgd:weight_decay={},momentum=0.9", decay)
                  : fmt::format("adam:weight_decay={}", decay));
    EXPECT_EQ(number(point.flags.at("lr").value) >= 1, sgd);
    EXPECT_FALSE(point.flags.contains("optimizer.weight_decay"));
  }
  EXPECT_THAT(cases, ElementsAre("adam", "sgd"));
}

/// Trials and epochs of the rungs, as `81x1`.
std::vector<std::string> sizes(const SearchPlan& search) {
  std::vector<std::string> all;
  for (const auto& rung : rungs_of(search)) {
    all.push_back(fmt::format("{}x{}", rung.trials, rung.epochs.value_or(0)));
  }
  return all;
}

TEST_F(Searches, HalveAsInThePaper) {
  const auto text = [](int trials, int rungs) {
    return fmt::format(
        "[search]\ntrials = {}\nrungs = {}\n[flags]\nepochs = 81\n[axes]\nlr = {{ low = 0.1, high "
        "= 1.0 }}\n",
        trials, rungs);
  };
  // Table 1 of Li et al. 2018: the brackets s = 4, 3 and 2 of R = 81 and a factor of 3.
  EXPECT_THAT(sizes(read(text(81, 5))), ElementsAre("81x1", "27x3", "9x9", "3x27", "1x81"));
  EXPECT_THAT(sizes(read(text(27, 4))), ElementsAre("27x3", "9x9", "3x27", "1x81"));
  EXPECT_THAT(sizes(read(text(9, 3))), ElementsAre("9x9", "3x27", "1x81"));
  EXPECT_THAT(sizes(read("[search]\ntrials = 4\n[axes]\nlr = { low = 1, high = 9 }\n")),
              ElementsAre("4x0"));
}

TEST_F(Searches, AreRefusedWithTheLineAndWhatIsAllowed) {
  EXPECT_THAT(refusal("[axes]\nlr = [1]\n"), AllOf(HasSubstr("no [search]"), HasSubstr("trials")));
  EXPECT_THAT(refusal("[search]\n[axes]\nlr = { low = 2, high = 1 }\n"),
              AllOf(HasSubstr("s.toml:3"), HasSubstr("from 2 to 1 has nothing")));
  EXPECT_THAT(refusal("[search]\n[axes]\nlr = { low = nan, high = 1 }\n"), HasSubstr("s.toml:3"));
  EXPECT_THAT(refusal("[search]\n[axes]\nlr = { low = 0, high = 1, log = true }\n"),
              HasSubstr("give a low above 0"));
  EXPECT_THAT(refusal("[search]\n[axes]\nlr = { low = 1, high = 2, log = true, step = 1 }\n"),
              HasSubstr("logarithmic or has a step"));
  EXPECT_THAT(refusal("[search]\n[axes]\nlr = { low = 1, high = 2, step = 3 }\n"),
              HasSubstr("step is 3"));
  EXPECT_THAT(refusal("[search]\n[axes]\nlr = { low = 1, hihg = 2 }\n"),
              HasSubstr("did you mean 'high'?"));
  EXPECT_THAT(refusal("[search]\n[axes]\nlr = { low = 1 }\n"), HasSubstr("needs both ends"));
  EXPECT_THAT(refusal("[search]\n[axes]\nlr = { low = 'a', high = 2 }\n"), HasSubstr("a number"));
  EXPECT_THAT(refusal("[search]\ntrials = 5\n[axes]\nlr = [1, 2]\n"),
              AllOf(HasSubstr("make 2 points"), HasSubstr("5 trials")));
  EXPECT_THAT(refusal("[search]\nmetric = 'val_acc'\n"), HasSubstr("val_top1"));
  EXPECT_THAT(refusal("[search]\nrung = 2\n"), HasSubstr("did you mean 'rungs'?"));
  EXPECT_THAT(refusal("[search]\ntrials = 9\nrungs = 2\n[axes]\nlr = { low = 1.0, high = 2.0 }\n"),
              HasSubstr("needs epochs"));
  EXPECT_THAT(refusal("[search]\ntrials = 9\nrungs = 3\n[flags]\nepochs = 4\n[axes]\nlr = { low = "
                      "1.0, high = 2.0 }\n"),
              AllOf(HasSubstr("s.toml: 3 rungs"), HasSubstr("at least 9")));
  EXPECT_THAT(refusal("[search]\ntrials = 1\n[axes]\noptimizer.decay = [1]\n"),
              AllOf(HasSubstr("s.toml:4"), HasSubstr("option of optimizer, which is not given")));
  EXPECT_THAT(refusal("[search]\n[axes]\nlr = [1]\n[[cases]]\nname = 'a'\nlr = [2]\n"),
              HasSubstr("case 'a' sets 'lr'"));
}

TEST_F(Searches, AreNoGrids) {
  const auto path = directory_.path() / "s.toml";
  const auto grid = [&](const std::string& text) -> std::string {
    write_file(path, text);
    try {
      read_study(path, {}, [](const auto&, const auto&) {});
    } catch (const UsageError& error) {
      return error.what();
    }
    return "no error";
  };
  EXPECT_THAT(grid("[search]\n"), HasSubstr("yoke study search"));
  EXPECT_THAT(grid("[axes]\nlr = { low = 1, high = 2 }\n"),
              AllOf(HasSubstr("s.toml:2"), HasSubstr("'lr' is a range")));
}

/// Runs of nine trials in two rungs, without training: the accuracy after 3 epochs is that of the
/// trial's number, after 9 epochs the other way round.
class Rungs : public Searches {
 protected:
  Rungs()
      : search_(read("[search]\ntrials = 9\nrungs = 2\n[flags]\nmodel = 'mlp'\nepochs = 9\n[axes]\n"
                     "lr = { low = 1e-3, high = 1.0, log = true }\noptimizer = ['sgd', 'adam']\n")),
        sizes_(rungs_of(search_)) {}

  void run(std::size_t rung, const std::vector<std::size_t>& trials) {
    auto& made = rungs_.emplace_back(search_, sizes_[rung], trials, directory_.path() / "runs");
    for (std::size_t i = 0; i < trials.size(); ++i) {
      const double place = static_cast<double>(trials[i]);
      prepare(made.jobs()[i]);
      test::make_run(made.jobs()[i].directory,
                     {.top1 = rung == 0 ? 0.1 + 0.05 * place : 0.9 - 0.05 * place});
    }
  }

  SearchPlan search_;
  std::vector<RungSize> sizes_;
  std::deque<Rung> rungs_;
};

TEST_F(Rungs, LetTheBestGoOn) {
  run(0, {0, 1, 2, 3, 4, 5, 6, 7, 8});
  const auto best = best_trials(search_, rungs_, sizes_[1].trials);
  EXPECT_THAT(best, ElementsAre(6, 7, 8));
  run(1, best);
  EXPECT_EQ(rungs_[1].jobs()[0].directory.filename(), "trial=7,epochs=9-r1");
  EXPECT_THAT(flags_text(rungs_[1].jobs()[0]), HasSubstr("epochs = 9\n"));
  const auto trials = trials_of(search_, rungs_);
  EXPECT_EQ(trials[0].name(), "trial 7");  // the best of the last rung
  EXPECT_EQ(trials[2].name(), "trial 9");
  EXPECT_EQ(trials[3].name(), "trial 6");  // the best of those that did not go on
  EXPECT_EQ(trials.back().name(), "trial 1");
}

TEST_F(Rungs, PassOverTrialsWithoutANumber) {
  run(0, {0, 1, 2, 3, 4, 5, 6, 7, 8});
  write_file(rungs_[0].jobs()[8].directory / "summary.json", "{\"status\": \"failed\"}");
  write_file(rungs_[0].jobs()[7].directory / "summary.json", "{\"status\": \"completed\"}");
  EXPECT_THAT(best_trials(search_, rungs_, 3), ElementsAre(4, 5, 6));
  EXPECT_THAT(search_sentences(search_, rungs_, trials_of(search_, rungs_)),
              testing::Contains(HasSubstr("2 trials came to no top-1 accuracy")));
}

TEST_F(Rungs, AreDrawnWithoutTrialsThatDiverged) {
  run(0, {0, 1, 2, 3, 4, 5, 6, 7, 8});
  const auto drawn = [&] {
    const auto figures = trial_figures(search_, rungs_, trials_of(search_, rungs_));
    return std::pair(
        std::get<Curves>(figures[1].graph).series[0].points.size(),
        figures[1].caption.find("Not drawn: 1 trial, much worse.") != std::string::npos);
  };
  EXPECT_EQ(drawn(), std::pair(9UL, false));
  test::make_run(rungs_[0].jobs()[4].directory, {.top1 = -1});  // its loss is 2
  EXPECT_EQ(drawn(), std::pair(8UL, true));
  search_.settings.metric = "val_loss";
  EXPECT_EQ(drawn(), std::pair(8UL, true));
  test::make_run(rungs_[0].jobs()[4].directory, {.top1 = 3});  // however good, it is drawn
  EXPECT_EQ(drawn(), std::pair(9UL, false));
}

TEST_F(Rungs, LowestLossIsBestWhereThatIsTheMetric) {
  search_.settings.metric = "val_loss";  // of runs that are made up, one minus the accuracy
  run(0, {0, 1, 2, 3, 4, 5, 6, 7, 8});
  EXPECT_THAT(best_trials(search_, rungs_, 2), ElementsAre(7, 8));
}

TEST_F(Rungs, AreToldOfInWordsATableAndGraphs) {
  run(0, {0, 1, 2, 3, 4, 5, 6, 7, 8});
  run(1, {6, 7, 8});
  const auto trials = trials_of(search_, rungs_);
  const auto section = search_section(search_, rungs_, trials, "yoke train");
  EXPECT_THAT(section.sentences[0],
              HasSubstr("9 trials were drawn; by successive halving, trained: 9 for 3 epochs, 3 "
                        "for 9 epochs."));
  EXPECT_THAT(section.sentences[1], HasSubstr("Best is trial 7, top-1 accuracy on validation "
                                              "images 60.00 %: lr "));
  ASSERT_EQ(section.tables.size(), 1U);
  EXPECT_THAT(section.tables[0].head,
              ElementsAre("trial", "lr", "optimizer", "after 3 epochs", "after 9 epochs"));
  EXPECT_EQ(section.tables[0].rows.size(), 9U);
  std::vector<std::string> names;
  for (const auto& figure : section.figures) names.push_back(figure.name);
  EXPECT_THAT(names, ElementsAre("trials", "trials-over-lr", "trials-over-optimizer"));
  const auto& over_lr = std::get<Curves>(section.figures[1].graph);
  EXPECT_TRUE(over_lr.x_log);
  EXPECT_FALSE(over_lr.series[0].joined);
  EXPECT_EQ(over_lr.series[0].points.size(), 9U);
  EXPECT_EQ(over_lr.series[1].points.size(), 3U);
  EXPECT_EQ(std::get<Bars>(section.figures[2].graph).bars.size(), 2U);
  const auto& best_so_far = std::get<Curves>(section.figures[0].graph).series.back().points;
  EXPECT_TRUE(std::is_sorted(best_so_far.begin(), best_so_far.end(),
                             [](const Point& a, const Point& b) { return a.y < b.y; }));
  EXPECT_THAT(
      trial_recipe(search_, trials.front()),
      AllOf(HasSubstr("# trial 7 of 9: "), HasSubstr("epochs = 9\n"), HasSubstr("model = 'mlp'")));
}

}  // namespace
}  // namespace yoke::study
