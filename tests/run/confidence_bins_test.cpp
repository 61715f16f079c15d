// How sure a model is against how often it is right: by hand, and as files have it.
#include "yoke/run/confidence_bins.h"

#include <gtest/gtest.h>

#include <cmath>
#include <nlohmann/json.hpp>

namespace yoke {
namespace {

const std::vector<ConfidenceBin> kBins = {
    {.images = 2, .confidence = 0.25, .accuracy = 0.5},
    {},
    {.images = 6, .confidence = 0.875, .accuracy = 0.75},
};

TEST(ConfidenceBins, HaveTheirDistancesAsErrorWeighedByImages) {
  EXPECT_DOUBLE_EQ(expected_calibration_error(kBins), (2 * 0.25 + 6 * 0.125) / 8);
  EXPECT_DOUBLE_EQ(mean_over_images(kBins, [](const ConfidenceBin& bin) { return bin.confidence; }),
                   (2 * 0.25 + 6 * 0.875) / 8);
}

TEST(ConfidenceBins, HaveNoErrorWithoutImages) {
  EXPECT_TRUE(std::isnan(expected_calibration_error({})));
  EXPECT_TRUE(std::isnan(expected_calibration_error({{}, {}})));
}

TEST(ConfidenceBins, AreTheSameAfterAFile) {
  const std::string text = confidence_bins_json(kBins).dump();
  EXPECT_EQ(text, R"([{"images":2,"confidence":0.25,"accuracy":0.5},)"
                  R"({"images":0,"confidence":null,"accuracy":null},)"
                  R"({"images":6,"confidence":0.875,"accuracy":0.75}])");
  const auto read = confidence_bins_from(nlohmann::json::parse(text));
  ASSERT_EQ(read.size(), 3U);
  EXPECT_EQ(read[1].images, 0);
  EXPECT_TRUE(std::isnan(read[1].accuracy));
  EXPECT_EQ(read[2].images, 6);
  EXPECT_EQ(read[2].confidence, 0.875);
  EXPECT_EQ(read[2].accuracy, 0.75);
}

TEST(ConfidenceBins, AreNoneWhereAFileHoldsSomethingElse) {
  for (const char* const text :
       {"null", "7", "{}", "[1]", R"([{"images":1}])", R"([{"confidence":0.5,"accuracy":0.5}])",
        R"([{"images":1,"confidence":1.5,"accuracy":0.5}])",
        R"([{"images":1,"confidence":0.5,"accuracy":null}])",
        R"([{"images":-1,"confidence":0.5,"accuracy":0.5}])",
        R"([{"images":1e300,"confidence":0.5,"accuracy":0.5}])",
        R"([{"images":18446744073709551615,"confidence":0.5,"accuracy":0.5}])"}) {
    EXPECT_TRUE(confidence_bins_from(nlohmann::json::parse(text)).empty()) << text;
  }
}

}  // namespace
}  // namespace yoke
