#include "yoke/train/checkpoints/model_description.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "yoke/core/error.h"

namespace yoke {
namespace {

using testing::HasSubstr;

ModelDescription some_description() {
  return {.model = "resnet18:activation=relu",
          .data = {.name = "image-folder",
                   .image = {3, 224, 224},
                   .class_names = {"Grüne Äpfel", "a \"pear\"", "日本"},
                   .mean = {0.485F, 0.456F, 0.406F},
                   .deviation = {0.229F, 0.224F, 0.225F},
                   .centre = 0.875},
          .input = {3, 192, 160}};
}

nlohmann::json some_json() {
  return nlohmann::json::parse(to_metadata(some_description()).at("yoke"));
}

TEST(ModelDescription, ComesBackAsItWas) {
  const auto expected = some_description();
  const auto found = parse_description(to_metadata(expected).at("yoke"));
  EXPECT_EQ(found.model, expected.model);
  EXPECT_EQ(found.input, expected.input);
  EXPECT_EQ(found.data.name, expected.data.name);
  EXPECT_EQ(found.data.image, expected.data.image);
  EXPECT_EQ(found.data.class_names, expected.data.class_names);
  EXPECT_EQ(found.data.mean, expected.data.mean);
  EXPECT_EQ(found.data.deviation, expected.data.deviation);
  EXPECT_EQ(found.data.centre, expected.data.centre);
}

TEST(ModelDescription, MayHaveNamesThatAreNoText) {
  auto description = some_description();
  description.data.class_names[0] = "\xff\xfe";
  EXPECT_NO_THROW(parse_description(to_metadata(description).at("yoke")));
}

TEST(ModelDescription, IsCheckedForItMayBeAStrangers) {
  const auto refusal = [](const nlohmann::json& json) -> std::string {
    try {
      parse_description(json.dump());
    } catch (const Error& error) {
      return error.what();
    }
    return "taken";
  };
  EXPECT_EQ(refusal(some_json()), "taken");
  const std::vector<std::pair<const char*, nlohmann::json>> wrong = {{"format", 2},
                                                                     {"image", {3, 224}},
                                                                     {"image", {3, 0, 224}},
                                                                     {"image", {2, 224, 224}},
                                                                     {"image", {3, 224, 1 << 20}},
                                                                     {"classes", {"one"}},
                                                                     {"mean", {0.5, 0.5}},
                                                                     {"deviation", {0.5, 0, 0.5}},
                                                                     {"deviation", {0.5, -1, 0.5}},
                                                                     {"centre", 0},
                                                                     {"centre", 1.5},
                                                                     {"input", {1, 224, 224}}};
  for (const auto& [key, value] : wrong) {
    auto json = some_json();
    json[key] = value;
    EXPECT_THAT(refusal(json), AllOf(HasSubstr(key), HasSubstr("expected"))) << value;
  }
  const auto sound = some_json();
  for (const auto& [key, value] : sound.items()) {
    if (key == "colours") continue;  // it follows from the input
    auto json = some_json();
    json.erase(key);
    EXPECT_THAT(refusal(json), HasSubstr(key));
    json[key] = nullptr;
    EXPECT_NE(refusal(json), "taken") << key;
  }
}

}  // namespace
}  // namespace yoke
