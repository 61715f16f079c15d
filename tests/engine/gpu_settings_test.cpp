#include "yoke/engine/eager/gpu_settings.h"

#include <ATen/Context.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "yoke/core/error.h"

namespace yoke {
namespace {

/// Leaves LibTorch as PyTorch's users know it.
class Gpus : public testing::Test {
 protected:
  ~Gpus() override { apply({}); }
};

TEST_F(Gpus, ComputeInTf32WhereTheyAreTold) {
  const auto expect = [](const char* name, bool convolutions, bool products, const char* text) {
    apply({.tf32 = parse_word<Tf32>("--tf32", name)});
    EXPECT_EQ(at::globalContext().allowTF32CuDNN(), convolutions) << name;
    EXPECT_EQ(at::globalContext().allowTF32CuBLAS(), products) << name;
    EXPECT_EQ(describe_tf32(), text) << name;
  };
  expect("off", false, false, "");
  expect("on", true, true, "tf32");
  expect("auto", true, false, "tf32 in convolutions");
  EXPECT_THAT([] { parse_word<Tf32>("--tf32", "yes"); },
              testing::ThrowsMessage<UsageError>(testing::HasSubstr("auto, on, off")));
}

TEST_F(Gpus, TryAlgorithmsUnlessResultsMustNotVary) {
  apply({});
  EXPECT_TRUE(at::globalContext().benchmarkCuDNN());
  EXPECT_FALSE(at::globalContext().deterministicAlgorithms());
  apply({.deterministic = true});
  EXPECT_FALSE(at::globalContext().benchmarkCuDNN());
  EXPECT_TRUE(at::globalContext().deterministicCuDNN());
  EXPECT_TRUE(at::globalContext().deterministicAlgorithms());
}

}  // namespace
}  // namespace yoke
