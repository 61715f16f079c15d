// tests/engine/placed_dropout_test.cpp: parts of a batch drop what the whole batch drops.
#include "yoke/engine/eager/placed_dropout.h"

#include <gtest/gtest.h>
#include <torch/utils.h>

namespace yoke {
namespace {

using torch::Tensor;

constexpr std::uint64_t kSeed = 12345;

using Drop = std::function<Tensor(const Tensor&)>;

/// Every kind of dropout, by name.
std::vector<std::pair<std::string, Drop>> kinds() {
  const auto in_place = [](const auto& drop) {
    return [drop](const Tensor& x) {
      Tensor y = x * 1;
      return drop(y);
    };
  };
  return {
      {"dropout", [](const Tensor& x) { return torch::dropout(x, 0.3, true); }},
      {"dropout_", in_place([](Tensor& x) { return torch::dropout_(x, 0.3, true); })},
      {"alpha", [](const Tensor& x) { return torch::alpha_dropout(x, 0.3, true); }},
      {"alpha_", in_place([](Tensor& x) { return torch::alpha_dropout_(x, 0.3, true); })},
      {"feature", [](const Tensor& x) { return torch::feature_dropout(x, 0.3, true); }},
      {"feature_", in_place([](Tensor& x) { return torch::feature_dropout_(x, 0.3, true); })},
      {"feature_alpha", [](const Tensor& x) { return torch::feature_alpha_dropout(x, 0.3, true); }},
      {"feature_alpha_",
       in_place([](Tensor& x) { return torch::feature_alpha_dropout_(x, 0.3, true); })},
  };
}

/// Outputs of two dropouts in a row and the gradient of their sum.
struct Outcome {
  Tensor first, second, gradient;
};

Outcome run(const Drop& drop, const Tensor& images) {
  const Tensor input = images.clone().requires_grad_();
  const Tensor first = drop(input), second = drop(first);
  second.sum().backward();
  return {first.detach(), second.detach(), input.grad()};
}

void expect_parts_of(const Drop& drop, const Tensor& images) {
  torch::manual_seed(kSeed);
  const Outcome whole = run(drop, images);
  for (const auto& [begin, end] : {std::pair{0, 3}, {3, 4}, {4, 7}, {0, 7}}) {
    const PlacedDropout placed(kSeed, {.begin = begin, .end = end, .whole = 7});
    const auto rows = images.size(0) / 7;
    const auto part = [&](const Tensor& all) { return all.slice(0, rows * begin, rows * end); };
    const Outcome found = run(drop, part(images));
    EXPECT_TRUE(found.first.equal(part(whole.first)));
    EXPECT_TRUE(found.second.equal(part(whole.second)));
    EXPECT_TRUE(found.gradient.equal(part(whole.gradient)));
  }
}

TEST(PlacedDropout, DropsInPartsWhatLibTorchDropsInTheWhole) {
  for (const auto& [name, drop] : kinds()) {
    SCOPED_TRACE(name);
    expect_parts_of(drop, torch::rand({7, 5, 3, 2}) + 1);
    expect_parts_of(drop, torch::rand({21, 5}) + 1);  // three rows of each image
  }
}

TEST(PlacedDropout, LeavesAloneWhatIsNotDropped) {
  const Tensor images = torch::rand({2, 5});
  const PlacedDropout placed(kSeed, {.begin = 1, .end = 3, .whole = 4});
  EXPECT_TRUE(torch::dropout(images, 0.5, false).equal(images));
  EXPECT_TRUE(torch::dropout(images, 0, true).equal(images));
  EXPECT_TRUE(torch::dropout(images, 1, true).eq(0).all().item<bool>());
  EXPECT_EQ(torch::dropout(images.slice(0, 0, 0), 0.5, true).size(0), 0);
}

TEST(PlacedDropout, DropsAlikeInAllPartsWhatHoldsNoImages) {
  const Tensor weights = torch::rand({5, 4});
  std::vector<Tensor> found;
  for (const std::int64_t begin : {0, 2}) {
    const PlacedDropout placed(kSeed, {.begin = begin, .end = begin + 2, .whole = 4});
    found.push_back(torch::dropout(weights, 0.5, true));
  }
  EXPECT_TRUE(found[0].equal(found[1]));
}

TEST(PlacedDropout, EndsWithItsScope) {
  torch::manual_seed(kSeed);
  const Tensor images = torch::ones({4, 100});
  const Tensor expected = torch::dropout(images, 0.5, true);
  torch::manual_seed(kSeed);
  { const PlacedDropout placed(7, {.begin = 0, .end = 4, .whole = 8}); }
  EXPECT_TRUE(torch::dropout(images, 0.5, true).equal(expected));
}

}  // namespace
}  // namespace yoke
