#include <ATen/Parallel.h>
#include <gtest/gtest.h>
#include <torch/utils.h>

#include "yoke/optim/optimizers/adam_update.h"
#include "yoke/optim/optimizers/sgd_update.h"
#include "yoke/optim/ranges.h"

namespace yoke {
namespace {

// None, one, an odd number with a remainder of every vector width, and enough for all threads.
constexpr std::int64_t kSizes[] = {0, 1, 17, 1'000'003};

struct Vectors {
  explicit Vectors(std::int64_t size) {
    torch::manual_seed(3);
    values = torch::randn({size});
    gradients = torch::randn({size});
    first = torch::randn({size});
    second = torch::rand({size});
  }
  torch::Tensor values, gradients, first, second;
};

/// A few roundings apart; the operands are of the order of 1.
void expect_near(const torch::Tensor& fast, const torch::Tensor& plain) {
  EXPECT_TRUE(torch::allclose(fast, plain, 1e-6, 1e-6)) << (fast - plain).abs().max();
}

/// `most`, but in `ranges` what `others` has.
torch::Tensor mixed(torch::Tensor most, const torch::Tensor& others,
                    const std::vector<ElementRange>& ranges) {
  for (const auto& [begin, end] : ranges) {
    most.narrow(0, begin, end - begin).copy_(others.narrow(0, begin, end - begin));
  }
  return most;
}

class Updates : public testing::TestWithParam<std::int64_t> {};

TEST_P(Updates, SgdWithoutVelocityEqualsPlain) {
  Vectors fast(GetParam()), plain(GetParam());
  const SgdStep step{.lr = 0.1, .weight_decay = 0.2};
  sgd_update(fast.values, fast.gradients, {}, step);
  sgd_update_plain(plain.values, plain.gradients, {}, step);
  expect_near(fast.values, plain.values);
}

TEST_P(Updates, SgdWithVelocityEqualsPlain) {
  for (const bool nesterov : {false, true}) {
    Vectors fast(GetParam()), plain(GetParam());
    const SgdStep step{
        .lr = 0.1, .momentum = 0.9, .intake = 0.7, .weight_decay = 0.2, .nesterov = nesterov};
    sgd_update(fast.values, fast.gradients, fast.first, step);
    sgd_update_plain(plain.values, plain.gradients, plain.first, step);
    expect_near(fast.values, plain.values);
    expect_near(fast.first, plain.first);
    EXPECT_TRUE(torch::equal(fast.gradients, plain.gradients));
  }
}

TEST_P(Updates, AdamEqualsPlain) {
  Vectors fast(GetParam()), plain(GetParam());
  const AdamStep step{.number = 3, .lr = 0.01, .l2 = 0.2, .shrink = 0.9};
  adam_update(fast.values, fast.gradients, fast.first, fast.second, step);
  adam_update_plain(plain.values, plain.gradients, plain.first, plain.second, step);
  expect_near(fast.values, plain.values);
  expect_near(fast.first, plain.first);
  expect_near(fast.second, plain.second);
  EXPECT_TRUE(torch::equal(fast.gradients, plain.gradients));
}

/// Some of the elements there are: one at the start, neighbours, those at the end.
std::vector<ElementRange> some_of(std::int64_t size) {
  if (size < 17)
    return size == 0 ? std::vector<ElementRange>() : std::vector{ElementRange{0, size}};
  return {{0, 1}, {3, 4}, {4, 9}, {size - 5, size}};
}

TEST_P(Updates, SgdWithoutDecayInSomeEqualsPlainAndMovesEachAsItWouldAlone) {
  const auto undecayed = some_of(GetParam());
  for (const bool has_velocity : {false, true}) {
    Vectors fast(GetParam()), plain(GetParam()), with(GetParam()), without(GetParam());
    SgdStep step{.lr = 0.1, .momentum = 0.9, .weight_decay = 0.2};
    const auto velocity = [&](const Vectors& of) {
      return has_velocity ? of.first : torch::Tensor();
    };
    sgd_update(with.values, with.gradients, velocity(with), step);
    step.undecayed = undecayed;
    sgd_update(fast.values, fast.gradients, velocity(fast), step);
    sgd_update_plain(plain.values, plain.gradients, velocity(plain), step);
    step.weight_decay = 0;
    sgd_update(without.values, without.gradients, velocity(without), step);
    expect_near(fast.values, plain.values);
    expect_near(fast.first, plain.first);
    EXPECT_TRUE(torch::equal(fast.values, mixed(with.values, without.values, undecayed)));
    EXPECT_TRUE(torch::equal(fast.first, mixed(with.first, without.first, undecayed)));
  }
}

TEST_P(Updates, AdamWithoutDecayInSomeEqualsPlainAndMovesEachAsItWouldAlone) {
  const auto undecayed = some_of(GetParam());
  Vectors fast(GetParam()), plain(GetParam()), with(GetParam()), without(GetParam());
  AdamStep step{.number = 3, .lr = 0.01, .l2 = 0.2, .shrink = 0.9};
  adam_update(with.values, with.gradients, with.first, with.second, step);
  step.undecayed = undecayed;
  adam_update(fast.values, fast.gradients, fast.first, fast.second, step);
  adam_update_plain(plain.values, plain.gradients, plain.first, plain.second, step);
  step.l2 = 0, step.shrink = 1;
  adam_update(without.values, without.gradients, without.first, without.second, step);
  expect_near(fast.values, plain.values);
  expect_near(fast.first, plain.first);
  expect_near(fast.second, plain.second);
  EXPECT_TRUE(torch::equal(fast.values, mixed(with.values, without.values, undecayed)));
  EXPECT_TRUE(torch::equal(fast.first, mixed(with.first, without.first, undecayed)));
  EXPECT_TRUE(torch::equal(fast.second, mixed(with.second, without.second, undecayed)));
}

TEST_P(Updates, AdamDoesNotDependOnTheNumberOfThreads) {
  const int threads = at::get_num_threads();
  Vectors one(GetParam()), many(GetParam());
  at::set_num_threads(1);
  adam_update(one.values, one.gradients, one.first, one.second, {});
  at::set_num_threads(3);
  adam_update(many.values, many.gradients, many.first, many.second, {});
  at::set_num_threads(threads);
  EXPECT_TRUE(torch::equal(one.second, many.second));
  EXPECT_TRUE(torch::equal(one.values, many.values));
}

INSTANTIATE_TEST_SUITE_P(Sizes, Updates, testing::ValuesIn(kSizes),
                         testing::PrintToStringParamName());

TEST(ForEachRange, CoversEachElementOnceOnSeveralThreads) {
  const int threads = at::get_num_threads();
  at::set_num_threads(3);
  for (const std::int64_t size : kSizes) {
    const auto counts = torch::zeros({size}), marks = torch::arange(size, torch::kFloat32);
    std::atomic<int> ranges = 0;
    for_each_range({counts, marks}, [&](float* const* at, std::int64_t length) {
      ++ranges;
      for (std::int64_t i = 0; i < length; ++i) at[0][i] += 1 + at[1][i];
    });
    EXPECT_TRUE(torch::equal(counts, marks + 1));
    EXPECT_EQ(ranges, size == 0 ? 0 : size < 100 ? 1 : 3);
  }
  at::set_num_threads(threads);
}

}  // namespace
}  // namespace yoke
