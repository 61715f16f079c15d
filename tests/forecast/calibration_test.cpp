// Calibrations in files, and which of them fits.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <utility>

#include "tests/forecast/calibrated.h"
#include "tests/support/support.h"
#include "yoke/core/error.h"
#include "yoke/core/files/file.h"
#include "yoke/forecast/calibration_file.h"

namespace yoke::forecast {
namespace {

using test::round_calibration;
using testing::HasSubstr;

TEST(Calibration, IsTheSameAfterBeingWrittenAndRead) {
  const test::TemporaryDirectory folder;
  const auto path = folder.path() / "a" / "b.json";
  const auto written = round_calibration();
  write_calibration(path, written);
  const auto read = read_calibration(path);
  ASSERT_TRUE(read);
  EXPECT_EQ(to_json(*read), to_json(written));
  EXPECT_EQ(read->layouts[2].batches[1].mean, written.layouts[2].batches[1].mean);
  EXPECT_EQ(read->communicators[1].points, written.communicators[1].points);
}

TEST(Calibration, IsNothingWithoutAFileAndRefusedWhenDamaged) {
  const test::TemporaryDirectory folder;
  const auto path = folder.path() / "file.json";
  EXPECT_FALSE(read_calibration(path));
  for (const char* const text : {"", "{", "[]", "{\"format\": 7}"}) {
    write_file(path, text);
    try {
      read_calibration(path);
      FAIL() << text;
    } catch (const UsageError& error) {
      EXPECT_THAT(error.what(), HasSubstr("file.json holds no calibration"));
    }
  }
}

/// What reading it says after a `change` to the calibration; nothing when it is read.
template <typename Change>
std::string refusal(Change change) {
  auto calibration = round_calibration();
  change(calibration);
  try {
    calibration_from_json(nlohmann::json::parse(to_json(calibration).dump()), "file");
  } catch (const UsageError& error) {
    return error.what();
  }
  return {};
}

TEST(Calibration, IsRefusedWhenANumberCannotBeMeasured) {
  EXPECT_EQ(refusal([](Calibration&) {}), "");
  EXPECT_THAT(refusal([](Calibration& c) { c.cores = 0; }), HasSubstr("cores is 0; allowed:"));
  EXPECT_THAT(refusal([](Calibration& c) { c.train_images = 0; }), HasSubstr("train_images is 0"));
  EXPECT_THAT(refusal([](Calibration& c) { c.parameters[1] = 0; }), HasSubstr("parameters is 0"));
  EXPECT_THAT(refusal([](Calibration& c) { c.checkpoint.pause = -1; }),
              HasSubstr("pause_seconds is -1"));
  const auto of_batch = [](auto change) {
    return refusal([&](Calibration& c) { change(c.layouts[1].batches[1]); });
  };
  EXPECT_THAT(of_batch([](BatchTimes& times) { times.mean = 0; }), HasSubstr("mean_seconds is 0"));
  EXPECT_THAT(of_batch([](BatchTimes& times) { times.upper = times.lower / 2; }),
              HasSubstr("allowed: lower_quartile_seconds or more"));
  EXPECT_THAT(of_batch([](BatchTimes& times) { times.gradient = 0; }),
              HasSubstr("gradient_seconds is 0"));
  EXPECT_THAT(of_batch([](BatchTimes& times) { times.spread = -1; }), HasSubstr("spread is -1"));
}

TEST(Calibration, IsRefusedWhenAListCannotBeReadBetween) {
  const auto of_layout = [](auto change) {
    return refusal([&](Calibration& c) { change(c.layouts[2]); });
  };
  EXPECT_THAT(of_layout([](Layout& layout) { layout.batches.clear(); }),
              HasSubstr("no images were measured"));
  EXPECT_THAT(of_layout([](Layout& layout) { layout.batches[0].images = 64; }),
              HasSubstr("images are 64 and then 64; allowed: ascending"));
  EXPECT_THAT(of_layout([](Layout& layout) { layout.batches[0].images = 0; }),
              HasSubstr("images is 0; allowed: above 0"));
  EXPECT_THAT(of_layout([](Layout& layout) { layout.ready.pop_back(); }),
              HasSubstr("ready has 1 numbers for 2 parameters"));
  EXPECT_THAT(of_layout([](Layout& layout) { layout.ready[0] = 2; }), HasSubstr("ready is 2"));
  const auto of_sums = [](auto change) {
    return refusal([&](Calibration& c) { change(c.communicators[0]); });
  };
  EXPECT_THAT(of_sums([](CommunicatorTimes& times) { times.points.clear(); }),
              HasSubstr("no bytes were measured"));
  EXPECT_THAT(of_sums([](CommunicatorTimes& times) { times.least.clear(); }),
              HasSubstr("no bytes were measured"));
  EXPECT_THAT(
      of_sums([](CommunicatorTimes& times) { std::swap(times.points[0], times.points[1]); }),
      HasSubstr("allowed: ascending"));
  EXPECT_THAT(of_sums([](CommunicatorTimes& times) { times.least[0].second = 0; }),
              HasSubstr("seconds of a sum is 0"));
  EXPECT_THAT(of_sums([](CommunicatorTimes& times) { times.ranks = 1; }),
              HasSubstr("ranks of a communicator is 1; allowed: 2 or more"));
}

TEST(Calibration, FitsTheSameMachineVersionAndFlags) {
  const auto wanted = round_calibration();
  auto found = wanted;
  EXPECT_EQ(why_not_same(found, wanted, false), "");
  EXPECT_EQ(cached_path("c", found), cached_path("c", wanted));
  found.flags["--model"] = "lenet";
  EXPECT_EQ(why_not_same(found, wanted, true), "it was measured with --model lenet, not lab-cnn");
  EXPECT_NE(cached_path("c", found), cached_path("c", wanted));
  found = wanted;
  found.host = "there";
  EXPECT_EQ(why_not_same(found, wanted, true), "");
  EXPECT_THAT(why_not_same(found, wanted, false), HasSubstr("measured on there (2 cores)"));
  found = wanted;
  found.versions.clear();
  EXPECT_EQ(why_not_same(found, wanted, false), "it was measured with yoke none, not 0.1.0");
  EXPECT_NE(cached_path("c", found), cached_path("c", wanted));
}

TEST(Calibration, HasTheCommunicatorOfTheNearestRanksBelow) {
  auto calibration = round_calibration();
  auto more = calibration.communicators[0];
  more.ranks = 8;
  calibration.communicators.push_back(more);
  EXPECT_EQ(calibration.communicator("gloo", 2).ranks, 2);
  EXPECT_EQ(calibration.communicator("gloo", 7).ranks, 2);
  EXPECT_EQ(calibration.communicator("gloo", 8).ranks, 8);
  EXPECT_EQ(calibration.communicator("gloo", 100).ranks, 8);
  EXPECT_EQ(calibration.communicator("gloo", 1).ranks, 2);
}

TEST(Calibration, FitsCommunicatorsInThreeCases) {
  auto times = test::round_communicator("gloo", 2e-4, 1e-9);
  for (auto& point : times.least) point.second /= 2;
  EXPECT_NEAR(times.fit(Case::kTypical).latency_seconds, 2e-4, 1e-12);
  EXPECT_NEAR(times.fit(Case::kLow).latency_seconds, 1e-4, 1e-12);
  EXPECT_NEAR(times.fit(Case::kHigh).latency_seconds, 3e-4, 1e-12);
  // Noise can make the line of the shortest begin higher: then the cases are alike.
  times.least = {{1e3, 3e-4}, {1e6, 4e-4}};
  for (const Case which : kCases) EXPECT_NEAR(times.fit(which).latency_seconds, 2e-4, 1e-12);
  EXPECT_LT(times.fit(Case::kLow).seconds_per_byte, times.fit(Case::kHigh).seconds_per_byte);
}

}  // namespace
}  // namespace yoke::forecast
