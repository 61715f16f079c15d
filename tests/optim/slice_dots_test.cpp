// tests/optim/slice_dots_test.cpp: dot products of slices, alone and in a team.
#include "yoke/optim/optimizers/slice_dots.h"

#include <gtest/gtest.h>
#include <torch/utils.h>

#include <utility>

#include "yoke/core/system/team.h"

namespace yoke {
namespace {

TEST(SliceDots, EqualSumsInFp64) {
  torch::manual_seed(2);
  for (const std::int64_t size : {0, 1, 17, 1000, 200'003}) {
    const auto a = torch::randn({size}), b = torch::randn({size});
    std::vector<ParameterSlice> slices;
    for (const auto& [begin, end] : {std::pair<std::int64_t, std::int64_t>{0, size / 3},
                                     {size / 3, size / 3},
                                     {size / 3, size}}) {
      slices.push_back({.name = "", .shape = {}, .offset = begin, .elements = end - begin});
    }
    const auto dots = slice_dots(slices, a, b), plain = slice_dots_plain(slices, a, b);
    ASSERT_EQ(dots.sizes(), at::IntArrayRef({3}));
    ASSERT_EQ(plain.scalar_type(), torch::kFloat64);
    const auto products = a.to(torch::kFloat64) * b.to(torch::kFloat64);
    for (std::int64_t i = 0; i < 3; ++i) {
      const auto& slice = slices[static_cast<std::size_t>(i)];
      const auto sum = products.narrow(0, slice.offset, slice.elements).sum().item<double>();
      // Another order of at most 200,003 additions in fp64.
      EXPECT_NEAR(dots[i].item<double>(), sum, 1e-9) << size << ", slice " << i;
      // In fp32, of numbers of the order of 1.
      EXPECT_NEAR(plain[i].item<double>(), sum, 0.1) << size << ", slice " << i;
    }
  }
}

TEST(SliceDots, AreEqualBitsOnAnyNumberOfThreads) {
  const auto a = torch::linspace(-1, 1, 300'007), b = a.cos();
  const std::vector<ParameterSlice> slices{
      {.name = "", .shape = {}, .offset = 3, .elements = 77},
      {.name = "", .shape = {}, .offset = 80, .elements = 290'000},
      {.name = "", .shape = {}, .offset = 300'007, .elements = 0}};
  const int before = at::get_num_threads();
  at::set_num_threads(1);
  const auto alone = slice_dots(slices, a, b);
  for (const int threads : {2, 3, 5}) {
    at::set_num_threads(threads);
    EXPECT_TRUE(torch::equal(slice_dots(slices, a, b), alone)) << threads;
    Team team(threads);
    EXPECT_TRUE(torch::equal(slice_dots(slices, a, b), alone)) << threads << " in a team";
  }
  at::set_num_threads(before);
}

}  // namespace
}  // namespace yoke
