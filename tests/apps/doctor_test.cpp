#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "tests/support/support.h"

namespace yoke {
namespace {

TEST(Doctor, PrintsALineForEachCheck) {
  const auto result = test::run_yoke({"doctor"});
  EXPECT_EQ(result.status, 0) << result.output;
  for (const auto* what : {"cpu", "cores", "memory", "blas", "libtorch", "disk", "network"}) {
    EXPECT_THAT(result.output, testing::ContainsRegex(std::string("(ok|warn) +") + what + " "));
  }
}

TEST(Doctor, PrintsOneJsonObjectAsTheLastLine) {
  const auto result = test::run_yoke({"doctor", "--json"});
  const auto end = result.output.find_last_not_of('\n');
  ASSERT_NE(end, std::string::npos);
  const auto begin = result.output.rfind('\n', end) + 1;
  const auto json = nlohmann::json::parse(result.output.substr(begin, end + 1 - begin));
  EXPECT_EQ(json.at("ok"), result.status == 0);
  EXPECT_GE(json.at("checks").size(), 10u);
  EXPECT_TRUE(json.at("hardware").contains("cpu"));
  EXPECT_TRUE(json.at("versions").contains("libtorch"));
}

}  // namespace
}  // namespace yoke
