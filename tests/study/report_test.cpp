// Graphs and pages, drawn by gnuplot.
#include "yoke/study/report/report.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <regex>
#include <set>

#include "tests/study/runs.h"
#include "tests/support/support.h"
#include "yoke/core/error.h"
#include "yoke/run/image_predictions.h"
#include "yoke/run/layout.h"
#include "yoke/study/figures/downsample.h"
#include "yoke/study/figures/figures.h"
#include "yoke/study/figures/gnuplot.h"
#include "yoke/study/figures/script.h"
#include "yoke/study/findings/findings.h"
#include "yoke/study/report/document.h"
#include "yoke/study/report/html.h"
#include "yoke/study/report/markdown.h"
#include "yoke/study/report/text_pages.h"

namespace yoke::study {
namespace {

using test::make_run;
using test::TemporaryDirectory;
using testing::AllOf;
using testing::AnyOf;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;
namespace fs = std::filesystem;

Environment environment() { return {{"PATH", std::getenv("PATH")}}; }

Comparison two_points(const fs::path& folder) {
  make_run(folder / "one", {.ranks = 1, .train_seconds = 10});
  make_run(folder / "two", {.ranks = 2, .train_seconds = 6, .top1 = 0.91});
  return compare_runs({{read_run(folder / "one")}, {read_run(folder / "two")}});
}

std::vector<std::string> names_of(const std::vector<Figure>& figures) {
  std::vector<std::string> names;
  for (const auto& figure : figures) names.push_back(figure.name);
  return names;
}

TEST(Thin, AveragesNeighbours) {
  const auto points = downsample({{.x = 1, .y = 2}, {.x = 3, .y = 4}, {.x = 5, .y = 9}}, 2);
  ASSERT_EQ(points.size(), 2U);
  EXPECT_DOUBLE_EQ(points[0].x, 2);
  EXPECT_DOUBLE_EQ(points[0].y, 3);
  EXPECT_DOUBLE_EQ(points[1].y, 9);
}

TEST(Script, KeepsQuotesOfNamesInsideTexts) {
  EXPECT_EQ(gnuplot_text("it's"), "'it''s'");
  EXPECT_EQ(gnuplot_text("two\nlines"), "'two'.\"\\n\".'lines'");
}

TEST(Figures, AreThoseThatARunHasNumbersFor) {
  const TemporaryDirectory directory;
  make_run(directory.path());
  const auto comparison = compare_runs({{read_run(directory.path())}});
  EXPECT_THAT(names_of(make_document("t", comparison).figures()),
              ElementsAre("loss-over-time", "accuracy-over-time", "loss-over-epochs",
                          "accuracy-over-epochs", "time-in-steps", "time-of-runs", "processor",
                          "memory", "disk", "network", "classes", "confusion"));
}

TEST(Figures, ShowConfidenceWhereTheRunTellsOfIt) {
  const TemporaryDirectory directory;
  make_run(directory.path(), {.confident = true});
  const auto document = make_document("t", compare_runs({{read_run(directory.path())}}));
  const auto figure = document.figures().back();
  ASSERT_EQ(figure.name, "confidence");
  EXPECT_THAT(figure.caption, AllOf(HasSubstr("3 bins"), HasSubstr("(Guo et al. 2017): 7.50 %")));
  const auto& curves = std::get<Curves>(figure.graph);
  ASSERT_EQ(curves.series.size(), 3U);
  const auto& accuracy = curves.series[1].points;
  ASSERT_EQ(accuracy.size(), 2U) << "a bin without images has no point";
  EXPECT_DOUBLE_EQ(accuracy[1].x, 90);
  EXPECT_DOUBLE_EQ(accuracy[1].y, 80);
  EXPECT_DOUBLE_EQ(curves.series[2].points[1].y, 75);
  EXPECT_THAT(draw_svg({figure}, environment()), ElementsAre(HasSubstr("</svg>")));
}

TEST(Findings, SayHowFarConfidenceIsFromAccuracy) {
  const TemporaryDirectory directory;
  make_run(directory.path(), {.confident = true});
  auto run = read_run(directory.path());
  const auto told = [&] { return run_findings(run); };
  EXPECT_THAT(told(), Contains(AllOf(HasSubstr("The network is surer than it is right"),
                                     HasSubstr("80.00 % on average"), HasSubstr("72.50 % of the"),
                                     HasSubstr("error is 7.50 %"))));
  EXPECT_THAT(told(), Contains(HasSubstr("balanced accuracy is 85.00 % and macro F1 84.00 %")));
  for (auto& bin : run.confidence_bins) std::swap(bin.confidence, bin.accuracy);
  EXPECT_THAT(told(), Contains(HasSubstr("less sure than it is right")));
  for (auto& bin : run.confidence_bins) bin.confidence = bin.accuracy;
  EXPECT_THAT(told(), Contains(HasSubstr("about as sure as it is right")));
  make_run(directory.path());
  run = read_run(directory.path());
  EXPECT_THAT(told(), Not(Contains(AnyOf(HasSubstr("sure"), HasSubstr("macro F1")))));
}

TEST(Figures, OfARunThatHasJustBegunAreNone) {
  const TemporaryDirectory directory;
  write_file(directory.path() / "config.toml", "model = 'mlp'\n");
  const auto comparison = compare_runs({{read_run(directory.path())}});
  EXPECT_THAT(make_document("t", comparison).figures(), testing::IsEmpty());
}

TEST(Figures, OfSeveralRanksHaveScaling) {
  const TemporaryDirectory directory;
  EXPECT_THAT(names_of(comparison_figures(two_points(directory.path()))),
              ElementsAre("training-time", "accuracy", "speed-up-over-ranks",
                          "efficiency-over-ranks", "accuracy-over-ranks"));
}

TEST(Figures, OfOnePointAmongSeveralNameIt) {
  const TemporaryDirectory directory;
  int of_one = 0;
  for (const auto& figure : make_document("t", two_points(directory.path())).figures()) {
    if (!figure.name.ends_with("-2")) continue;
    EXPECT_THAT(figure.title, testing::EndsWith(": ranks 2")) << figure.name;
    ++of_one;
  }
  EXPECT_GE(of_one, 4);
}

TEST(Figures, HaveUnitsOnEveryAxis) {
  const TemporaryDirectory directory;
  const auto document = make_document("t", two_points(directory.path()));
  for (const auto& figure : document.figures()) {
    if (const auto* const curves = std::get_if<Curves>(&figure.graph)) {
      for (const auto& label : {curves->x_label, curves->y_label}) {
        EXPECT_THAT(label, AllOf(HasSubstr("("), HasSubstr(")"))) << figure.name;
      }
      EXPECT_FALSE(curves->series.empty()) << figure.name;
    }
  }
}

TEST(Report, IsOnePageThatNeedsNothingElse) {
  const TemporaryDirectory directory;
  const auto comparison = two_points(directory.path());
  const auto out = directory.path() / "report.html";
  write_report(comparison, {.title = "a <title>", .out = out, .environment = environment()});
  const std::string page = read_file(out);
  EXPECT_THAT(page, AllOf(HasSubstr("<h1>a &lt;title&gt;</h1>"), HasSubstr("<svg"),
                          HasSubstr("&lt;two&gt;"), Not(HasSubstr("<two>"))));
  for (const char* const outside : {"src=", "href=\"http", "url(http", "@import", "<script"}) {
    EXPECT_THAT(page, Not(HasSubstr(outside)));
  }
  EXPECT_LT(page.size(), 2'000'000U);
  std::set<std::string> names;
  const std::regex id(R"(\bid=["']([^"']*)["'])");
  for (std::sregex_iterator match(page.begin(), page.end(), id), end; match != end; ++match) {
    EXPECT_TRUE(names.insert((*match)[1]).second) << (*match)[1] << " names two things";
  }
  const std::regex use(R"((?:href=["']#|url\(#)([^"')]*))");
  for (std::sregex_iterator match(page.begin(), page.end(), use), end; match != end; ++match) {
    EXPECT_TRUE(names.contains((*match)[1])) << (*match)[1] << " names nothing";
  }
}

TEST(Report, ShowsTheImagesThatARunHasKept) {
  const TemporaryDirectory directory;
  const auto run = directory.path() / "run", out = directory.path() / "report.html";
  make_run(run);
  write_image_predictions(RunDirectory{run}.predictions(),
                          {{"a<b>.jpg", "<two>", "three_3", 0.875, "/9j/AAAA"},
                           {"c.jpg", "<two>", "<two>", 0.5, "/9j/BBBB"}});
  write_report(compare_runs({{read_run(run)}}),
               {.title = "t", .out = out, .formats = {"html", "md"}, .environment = environment()});
  const std::string page = read_file(out);
  EXPECT_THAT(page,
              AllOf(HasSubstr("<h2>Images worth a look</h2>"), HasSubstr("1 mistake, the surest"),
                    HasSubstr("1 right answer, the least"),
                    HasSubstr("src=\"data:image/jpeg;base64,/9j/AAAA\" alt=\"a&lt;b&gt;.jpg\""),
                    HasSubstr("<b>three_3 87.5 %</b><br>in truth: &lt;two&gt;")));
  EXPECT_LT(page.find("Mistakes, the surest first"), page.find("/9j/AAAA"));
  EXPECT_LT(page.find("/9j/AAAA"), page.find("The least certain first"));
  EXPECT_LT(page.find("The least certain first"), page.find("/9j/BBBB"));
  EXPECT_THAT(read_file(directory.path() / "report.md"),
              AllOf(HasSubstr("## Images worth a look"), Not(HasSubstr("/9j/"))));
}

TEST(Report, IsWrittenInEachFormat) {
  const TemporaryDirectory directory;
  const auto comparison = two_points(directory.path());
  const auto written = write_report(comparison, {.title = "t",
                                                 .out = directory.path() / "r.html",
                                                 .formats = {"pdf", "svg", "png"},
                                                 .environment = environment()});
  EXPECT_THAT(read_file(directory.path() / "r.pdf"), testing::StartsWith("%PDF"));
  EXPECT_THAT(read_file(directory.path() / "r-graphs" / "loss-over-time.svg"), HasSubstr("</svg>"));
  EXPECT_THAT(read_file(directory.path() / "r-graphs" / "loss-over-time.png"),
              testing::StartsWith("\x89PNG"));
  EXPECT_EQ(written.size(), 3U);
}

TEST(Report, IsMarkdownWithImagesThatExist) {
  const TemporaryDirectory directory;
  const auto written =
      write_report(two_points(directory.path()), {.title = "a <title>",
                                                  .out = directory.path() / "a report.html",
                                                  .formats = {"md"},
                                                  .markdown = "README.md",
                                                  .environment = environment()});
  ASSERT_THAT(written, testing::ElementsAre(directory.path() / "README.md"));
  const std::string page = read_file(written[0]);
  EXPECT_THAT(page, AllOf(testing::StartsWith("# a \\<title\\>\n\n## In short\n"),
                          HasSubstr("\n| point | n |"), HasSubstr("\\<two\\>"),
                          HasSubstr("\n\n    yoke train --model lab-cnn\n")));
  const std::regex image(R"(!\[[^\]]+\]\(<([^>]+)>\))");
  int images = 0;
  for (std::sregex_iterator match(page.begin(), page.end(), image), end; match != end; ++match) {
    EXPECT_THAT(read_file(directory.path() / (*match)[1].str()), HasSubstr("</svg>"));
    ++images;
  }
  EXPECT_GT(images, 3);
}

TEST(Report, LeavesAReadmeOfSomebodyElse) {
  const TemporaryDirectory directory;
  const auto readme = directory.path() / "README.md";
  const auto write = [&] {
    return write_report(two_points(directory.path()), {.title = "t",
                                                       .out = directory.path() / "r.html",
                                                       .formats = {"md"},
                                                       .markdown = "README.md",
                                                       .environment = environment()});
  };
  write_file(readme, "mine\n");
  EXPECT_THAT(write(), ElementsAre(directory.path() / "r.md"));
  EXPECT_EQ(read_file(readme), "mine\n");
  fs::remove(readme);
  EXPECT_THAT(write(), ElementsAre(readme));
  EXPECT_THAT(write(), ElementsAre(readme));
}

TEST(Markdown, LetsNoCommandEndItsBlock) {
  const Document document{.title = "t",
                          .sections = {{.heading = "h", .commands = {"```\n<b>", "x\r# y"}}}};
  EXPECT_EQ(markdown_page(document, "graphs", "f"), "# t\n\n## h\n\n    ``` <b>\n    x # y\n\nf\n");
}

TEST(Markdown, TakesNoLetterForAMark) {
  EXPECT_EQ(markdown_text("a|b *c* <d> `e`\nf_g ~h~"),
            "a\\|b \\*c\\* \\<d\\> \\`e\\` f\\_g \\~h\\~");
}

TEST(Report, RefusesAnUnknownFormat) {
  const TemporaryDirectory directory;
  EXPECT_THROW(
      write_report(two_points(directory.path()),
                   {.title = "t", .out = directory.path() / "r.html", .formats = {"docx"}}),
      UsageError);
}

TEST(Gnuplot, IsNamedInTheErrorWhereItRefuses) {
  const Figure broken{.name = "b",
                      .title = "t",
                      .caption = "",
                      .graph = Curves{.x_label = "x (1)", .y_label = "y (1)", .series = {}}};
  try {
    draw_svg({broken}, environment());
    FAIL() << "no error";
  } catch (const Error& error) {
    EXPECT_THAT(error.what(), HasSubstr("gnuplot ended with"));
  }
}

TEST(Wrap, BreaksBetweenWordsAndCutsLongOnes) {
  EXPECT_THAT(wrap("one two three", 8), ElementsAre("one two", "three"));
  EXPECT_THAT(wrap("abcdefghij", 4), ElementsAre("abcd", "efgh", "ij"));
  EXPECT_THAT(wrap("äöü äöü", 3), ElementsAre("äöü", "äöü"));
  EXPECT_THAT(wrap("", 4), ElementsAre(""));
}

TEST(TextPages, HoldEverySentence) {
  const Document document{.title = "t",
                          .sections = {{.heading = "h",
                                        .sentences = {"A sentence."},
                                        .tables = {{.head = {"a", "b"}, .rows = {{"1", "2"}}}}}}};
  const auto pages = text_pages(document, "end");
  ASSERT_EQ(pages.size(), 1U);
  EXPECT_THAT(pages[0], testing::IsSupersetOf({"t", "h", "A sentence.", "a  b", "1  2", "end"}));
}

}  // namespace
}  // namespace yoke::study
