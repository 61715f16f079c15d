#include "yoke/report/progress/progress.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sstream>

namespace yoke {
namespace {

using testing::HasSubstr;

const Metrics kTraining{.step = 30, .loss = 2.6922, .top1 = 0.40625, .top5 = 0.66406};
const StepTimes kTimes{.step_seconds = 0.5, .data_wait_seconds = 0.125};

ProgressState at(std::int64_t step) {
  return {.step = step, .total_steps = 40, .epochs = Epochs(20), .seconds_left = 65};
}

/// The columns between two redrawings; a character of several bytes is one column.
std::size_t widest_drawing(const std::string& text) {
  std::size_t widest = 0, width = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text.compare(i, 4, "\r\033[K") == 0) {
      width = 0;
      i += 3;
    } else if ((text[i] & 0xC0) != 0x80 && text[i] != '\n') {
      widest = std::max(widest, ++width);
    }
  }
  return widest;
}

TEST(ProgressBar, StaysWithinTheTerminal) {
  for (const int columns : {20, 60, 80, 100, 120, 200}) {
    std::ostringstream stream;
    const auto progress = make_progress(ProgressKind::kBar, stream, columns);
    progress->step(at(30));
    progress->training(at(30), kTraining, kTimes);
    progress->validation(at(40), {.top1 = 0.5});
    progress->finish();
    EXPECT_LT(widest_drawing(stream.str()), static_cast<std::size_t>(columns)) << columns;
    EXPECT_THAT(stream.str(), HasSubstr("epoch 2/2"));
  }
}

TEST(ProgressBar, ShowsWhatIsLeftAndHowWellItGoes) {
  std::ostringstream stream;
  const auto progress = make_progress(ProgressKind::kBar, stream, 200);
  progress->step(at(30));
  progress->training(at(30), kTraining, kTimes);
  EXPECT_THAT(stream.str(), HasSubstr("50 %"));
  EXPECT_THAT(stream.str(), HasSubstr("loss 2.6922"));
  EXPECT_THAT(stream.str(), HasSubstr("1:05 left"));
}

TEST(ProgressBar, MessageTakesALineOfItsOwn) {
  std::ostringstream stream;
  const auto progress = make_progress(ProgressKind::kBar, stream, 80);
  progress->step(at(1));
  progress->message("warning: something");
  EXPECT_THAT(stream.str(), HasSubstr("\r\033[Kwarning: something\n"));
}

TEST(ProgressLines, HaveTheFormOfPytorchsImagenetExample) {
  std::ostringstream stream;
  const auto progress = make_progress(ProgressKind::kLines, stream);
  progress->training(at(30), kTraining, kTimes);
  EXPECT_THAT(stream.str(),
              HasSubstr("Epoch: [1][10/20]\tTime  0.500 ( 0.500)\tData  0.125 ( 0.125)\t"
                        "Loss 2.6922e+00 (2.6922e+00)\tAcc@1  40.62 ( 40.62)\t"
                        "Acc@5  66.41 ( 66.41)\t"));
  progress->validation(at(40), {.top1 = 0.4909, .top5 = 0.73862});
  EXPECT_THAT(stream.str(), HasSubstr(" * Val Acc@1 49.090 Acc@5 73.862"));
}

TEST(ProgressLines, MeansAreOverTheEpoch) {
  std::ostringstream stream;
  const auto progress = make_progress(ProgressKind::kLines, stream);
  progress->training(at(10), {.step = 10, .loss = 1}, kTimes);
  progress->training(at(20), {.step = 20, .loss = 3}, kTimes);
  EXPECT_THAT(stream.str(), HasSubstr("(2.0000e+00)"));
  progress->training(at(30), {.step = 30, .loss = 7}, kTimes);
  EXPECT_THAT(stream.str(), HasSubstr("(7.0000e+00)"));
}

}  // namespace
}  // namespace yoke
