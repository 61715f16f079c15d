#include "yoke/engine/compiled.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <torch/nn.h>
#include <torch/utils.h>

#include "tests/engine/compare.h"
#include "tests/support/model_forms.h"
#include "yoke/core/error.h"
#include "yoke/engine/eager/eager.h"

namespace yoke {
namespace {

using test::compare_with_eager;
using test::Comparison;

/// The smallest of some images that the model takes, and an odd one where it takes any.
ImageShape image_for(const std::string& name) {
  for (const ImageShape image : {ImageShape{3, 9, 11}, ImageShape{3, 16, 18}}) {
    try {
      make_model(name, {image, 10}, 1);
      return image;
    } catch (const UsageError&) {  // the next one
    }
  }
  return {3, 28, 28};
}

std::function<Model()> maker(const std::string& name) {
  const ImageShape image = image_for(name);
  return [name, image] { return make_model(name, {image, 10}, 3); };
}

/// Whether the network is one of torchvision's whose every layer, or nearly, a batch norm follows.
bool cancels(const std::string& form) {
  constexpr std::string_view kNames[] = {"vgg", "mobilenet", "efficientnet", "densenet"};
  return std::any_of(std::begin(kNames), std::end(kNames),
                     [&](std::string_view name) { return form.starts_with(name); });
}

class EveryModel : public testing::TestWithParam<std::string> {
 protected:
  /// A batch for what most models take in one micro-batch and a large model in several.
  std::int64_t images(std::int64_t of_small, std::int64_t of_large) const {
    return count_parameters(*maker(GetParam())().module) > 1'000'000 ? of_large : of_small;
  }
  void compare(Comparison comparison) const {
    comparison.cancels = cancels(GetParam());
    compare_with_eager(maker(GetParam()), comparison);
  }
};

TEST_P(EveryModel, EqualsEagerForOneImage) { compare({.batch = 1}); }
TEST_P(EveryModel, EqualsEagerForAnOddBatch) { compare({.batch = images(17, 5)}); }
TEST_P(EveryModel, EqualsEagerForALargeBatch) {
  compare({.batch = images(256, 24), .slack = cancels(GetParam()) ? 2.0 : 1.0});
}
TEST_P(EveryModel, EqualsEagerInBf16) {
  if (const auto why = why_not(Precision::kBf16); !why.empty()) GTEST_SKIP() << why;
  // Where batch norm follows batch norm, the scales' gradients are small differences of large sums.
  compare({.batch = images(17, 5), .precision = Precision::kBf16, .slack = 2});
}

INSTANTIATE_TEST_SUITE_P(Registry, EveryModel, testing::ValuesIn(test::model_forms()),
                         [](const auto& info) { return test::test_name(info.param); });

}  // namespace
}  // namespace yoke
