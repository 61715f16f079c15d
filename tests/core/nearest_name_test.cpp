#include "yoke/core/nearest_name.h"

#include <gtest/gtest.h>

namespace yoke {
namespace {

const std::vector<std::string> kNames = {"resnet18", "resnet34", "lenet", "lr", "batch-size"};

TEST(NearestName, IsAFewLettersAway) {
  EXPECT_EQ(nearest_name("resnet81", kNames), "resnet18");   // swapped
  EXPECT_EQ(nearest_name("renet18", kNames), "resnet18");    // left out
  EXPECT_EQ(nearest_name("resnnet34", kNames), "resnet34");  // typed twice
  EXPECT_EQ(nearest_name("batchsize", kNames), "batch-size");
  EXPECT_EQ(nearest_name("l", kNames), "lr");
  EXPECT_EQ(nearest_name("rl", kNames), "lr");
}

TEST(NearestName, IsTheFirstOfThoseThatAreEquallyNear) {
  EXPECT_EQ(nearest_name("resnet14", kNames), "resnet18");
}

TEST(NearestName, IsNoneWhereAllAreFar) {
  EXPECT_EQ(nearest_name("transformer", kNames), "");
  EXPECT_EQ(nearest_name("", kNames), "");
  EXPECT_EQ(nearest_name("mlp", {}), "");
}

TEST(Suggestion, ListsAllNamesWhereNoneIsNear) {
  EXPECT_EQ(suggest("lenett", kNames), "did you mean 'lenet'?");
  EXPECT_EQ(suggest("vit", {"a", "b"}), "allowed: a, b");
  EXPECT_EQ(suggest("vit", {}), "allowed: none");
}

}  // namespace
}  // namespace yoke
