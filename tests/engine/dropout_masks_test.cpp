// tests/engine/dropout_masks_test.cpp: parts of a batch drop what the whole batch drops.
#include "yoke/engine/eager/dropout_masks.h"

#include <gtest/gtest.h>
#include <torch/utils.h>

#include "tests/engine/trained.h"
#include "yoke/engine/eager/keyed_dropout.h"
#include "yoke/engine/eager/placed_dropout.h"

namespace yoke::test {
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

/// Images [begin, end) of a step of seven.
Batch images_of_step(std::int64_t begin, std::int64_t end) {
  return {.input = {},
          .target = torch::zeros({end - begin}, torch::kInt64),
          .first_image = begin,
          .step_images = 7};
}

/// That in `scope(begin, end)`, in which masks for images [begin, end) of seven are drawn, those
/// are of `whole`, the outcome for all.
template <typename Scope>
void expect_parts_of(const Outcome& whole, const Drop& drop, const Tensor& images,
                     const Scope& scope) {
  for (const auto& [begin, end] : {std::pair{0, 3}, {3, 4}, {4, 7}, {0, 7}}) {
    const auto masks = scope(begin, end);
    const auto rows = images.size(0) / 7;
    const auto part = [&](const Tensor& all) { return all.slice(0, rows * begin, rows * end); };
    const Outcome found = run(drop, part(images));
    EXPECT_TRUE(found.first.equal(part(whole.first)));
    EXPECT_TRUE(found.second.equal(part(whole.second)));
    EXPECT_TRUE(found.gradient.equal(part(whole.gradient)));
  }
}

/// Images, and three rows of each.
std::vector<Tensor> inputs() { return {torch::rand({7, 5, 3, 2}) + 1, torch::rand({21, 5}) + 1}; }

TEST(PlacedDropout, DropsInPartsWhatLibTorchDropsInTheWhole) {
  for (const auto& [name, drop] : kinds()) {
    for (const Tensor& images : inputs()) {
      SCOPED_TRACE(name);
      torch::manual_seed(kSeed);
      const Outcome whole = run(drop, images);
      expect_parts_of(whole, drop, images, [](std::int64_t begin, std::int64_t end) {
        torch::manual_seed(kSeed);
        return std::make_unique<PlacedDropout>(BatchPart{.begin = begin, .end = end, .whole = 7});
      });
    }
  }
}

TEST(KeyedDropout, DropsInPartsWhatItDropsInTheWhole) {
  const auto scope = [](std::int64_t begin, std::int64_t end) {
    return std::make_unique<KeyedDropout>(kKey, images_of_step(begin, end));
  };
  for (const auto& [name, drop] : kinds()) {
    for (const Tensor& images : inputs()) {
      SCOPED_TRACE(name);
      Outcome whole;
      {
        const auto masks = scope(0, 7);
        whole = run(drop, images);
      }
      EXPECT_FALSE(whole.first.equal(images));
      EXPECT_FALSE(whole.first[0].equal(whole.first[1]));
      expect_parts_of(whole, drop, images, scope);
    }
  }
}

TEST(KeyedDropout, KeepsItsShareAndDropsOthersEachTime) {
  const Tensor images = torch::ones({7, 100, 100});
  KeyedDropout masks(kKey, images_of_step(0, 7));
  const Tensor first = torch::dropout(images, 0.3, true),
               second = torch::dropout(images, 0.3, true);
  EXPECT_FALSE(first.equal(second));
  // 70,000 draws have a standard deviation of 0.0017.
  EXPECT_NEAR(first.ne(0).to(torch::kFloat64).mean().item<double>(), 0.7, 0.01);
  EXPECT_TRUE(torch::allclose(first.masked_select(first.ne(0)), torch::full({}, 1 / 0.7)));
}

TEST(KeyedDropout, CountsOnlyDropoutsThatDraw) {
  const Tensor images = torch::ones({7, 100});
  Tensor expected;
  {
    KeyedDropout masks(kKey, images_of_step(0, 7));
    expected = torch::dropout(images, 0.3, true);
  }
  KeyedDropout masks(kKey, images_of_step(0, 7));
  torch::dropout(images, 0.3, false);
  torch::dropout(images, 0, true);
  EXPECT_TRUE(torch::dropout(images, 0.3, true).equal(expected));
}

TEST(KeyedDropout, LeavesOutAllOfAnImageBehindOneDimension) {
  const Tensor images = torch::ones({7, 5, 3});
  KeyedDropout masks(kKey, images_of_step(0, 7));
  const Tensor kept = torch::feature_dropout(images.unsqueeze(1), 0.5, true).ne(0).flatten(1);
  EXPECT_TRUE(kept.all(1).equal(kept.any(1)));
  EXPECT_FALSE(kept.all().item<bool>());
  EXPECT_TRUE(kept.any().item<bool>());
}

TEST(PlacedDropout, LeavesAloneWhatIsNotDropped) {
  const Tensor images = torch::rand({2, 5});
  const PlacedDropout placed({.begin = 1, .end = 3, .whole = 4});
  EXPECT_TRUE(torch::dropout(images, 0.5, false).equal(images));
  EXPECT_TRUE(torch::dropout(images, 0, true).equal(images));
  EXPECT_TRUE(torch::dropout(images, 1, true).eq(0).all().item<bool>());
  EXPECT_EQ(torch::dropout(images.slice(0, 0, 0), 0.5, true).size(0), 0);
}

TEST(PlacedDropout, DropsAlikeInAllPartsWhatHoldsNoImages) {
  const Tensor weights = torch::rand({5, 4});
  std::vector<Tensor> found;
  for (const std::int64_t begin : {0, 2}) {
    torch::manual_seed(kSeed);
    const PlacedDropout placed({.begin = begin, .end = begin + 2, .whole = 4});
    found.push_back(torch::dropout(weights, 0.5, true));
  }
  EXPECT_TRUE(found[0].equal(found[1]));
}

TEST(PlacedDropout, EndsWithItsScope) {
  torch::manual_seed(kSeed);
  const Tensor images = torch::ones({4, 100});
  const Tensor expected = torch::dropout(images, 0.5, true);
  torch::manual_seed(kSeed);
  { const PlacedDropout placed({.begin = 0, .end = 4, .whole = 8}); }
  EXPECT_TRUE(torch::dropout(images, 0.5, true).equal(expected));
}

}  // namespace
}  // namespace yoke::test
