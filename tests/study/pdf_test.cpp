// Reports as PDF, read by poppler's pdftotext: nothing is cut at the edge of a page.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <regex>

#include "tests/study/runs.h"
#include "tests/support/support.h"
#include "yoke/study/report/report.h"

namespace yoke::study {
namespace {

namespace fs = std::filesystem;

/// A corner of a page, or of a word.
double number(const std::smatch& match, int group) { return std::stod(match[group]); }

TEST(Pdf, HasEveryWordOnItsPage) {
  if (!fs::exists("/usr/bin/pdftotext")) {
    GTEST_SKIP() << "no pdftotext: sudo scripts/install-dependencies --tests";
  }
  const test::TemporaryDirectory directory;
  const std::string path = "a folder of a name that makes rows of tables as wide as they may be";
  std::vector<NamedRun> runs;
  for (const int ranks : {1, 2, 3, 4, 5}) {
    const auto run = directory.path() / path / std::to_string(ranks);
    test::make_run(run, {.ranks = ranks, .train_seconds = 1000.0 / ranks});
    runs.push_back({read_run(run), {{"case", "a way of training with a rather long name"}}});
  }
  const auto out = directory.path() / "r.html";
  write_report(compare_runs(std::move(runs)), {.title = "Title",
                                               .out = out,
                                               .formats = {"pdf"},
                                               .environment = {{"PATH", std::getenv("PATH")}}});
  const auto text = test::run_program(
      {"/usr/bin/pdftotext", "-bbox", (directory.path() / "r.pdf").string(), "-"});
  ASSERT_EQ(text.status, 0) << text.output;
  const std::regex mark(
      R"rx(<page width="([\d.]+)" height="([\d.]+)"|xMin="([-\d.]+)" yMin="([-\d.]+)" xMax="([\d.]+)" yMax="([\d.]+)">([^<]*))rx");
  double width = 0, height = 0;
  int words = 0;
  for (std::sregex_iterator match(text.output.begin(), text.output.end(), mark), end; match != end;
       ++match) {
    if ((*match)[1].matched) {
      width = number(*match, 1);
      height = number(*match, 2);
      continue;
    }
    ++words;
    const std::string word = (*match)[7];
    EXPECT_GE(number(*match, 3), 0) << word;
    EXPECT_GE(number(*match, 4), 0) << word;
    EXPECT_LE(number(*match, 5), width) << word;
    EXPECT_LE(number(*match, 6), height) << word;
  }
  EXPECT_GT(words, 300);
}

}  // namespace
}  // namespace yoke::study
