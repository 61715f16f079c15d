#include "yoke/comm/shared/sum.h"

#include <gtest/gtest.h>

#include <limits>
#include <thread>

#include "yoke/comm/shared/counter.h"

namespace yoke::shared {
namespace {

using torch::Tensor;

std::byte* bytes_of(const Tensor& tensor) { return static_cast<std::byte*>(tensor.data_ptr()); }

/// The sum, written to the first of `tensors`.
Tensor sum_of(const std::vector<Tensor>& tensors) {
  std::vector<const std::byte*> sources;
  for (const Tensor& tensor : tensors) sources.push_back(bytes_of(tensor));
  sum(tensors[0].scalar_type(), sources, tensors[0].numel(), {bytes_of(tensors[0])});
  return tensors[0];
}

TEST(Sum, AddsEveryTypeInOrder) {
  for (const auto type : {torch::kFloat32, torch::kFloat64, torch::kInt64, torch::kInt32,
                          torch::kUInt8, torch::kBFloat16, torch::kFloat16}) {
    for (const std::int64_t size : {0, 1, 17, 1024, 3001}) {
      for (const int count : {2, 3, 8}) {
        std::vector<Tensor> tensors;
        Tensor expected = torch::zeros({size}, torch::kInt64);
        for (int i = 0; i < count; ++i) {
          const Tensor values = (torch::arange(size) + 5 * i) % 11;
          expected += values;
          tensors.push_back(values.to(type));
        }
        EXPECT_TRUE(sum_of(tensors).equal(expected.to(type))) << type << " " << size;
      }
    }
  }
}

TEST(Sum, RoundsBf16OnceToNearestEven) {
  const auto bf16 = [](float value) { return torch::full({9}, value, torch::kBFloat16); };
  EXPECT_TRUE(sum_of({bf16(256), bf16(1), bf16(1)}).equal(bf16(258)));
  EXPECT_TRUE(sum_of({bf16(256), bf16(1)}).equal(bf16(256)));  // a tie, to even
  EXPECT_TRUE(sum_of({bf16(258), bf16(1)}).equal(bf16(260)));
}

TEST(Sum, KeepsWhatIsNotANumber) {
  constexpr float kNan = std::numeric_limits<float>::quiet_NaN();
  constexpr float kInfinity = std::numeric_limits<float>::infinity();
  for (const auto type : {torch::kFloat32, torch::kBFloat16, torch::kFloat16}) {
    const auto of = [&](float value) { return torch::full({5}, value, type); };
    EXPECT_TRUE(sum_of({of(kNan), of(1)}).isnan().all().item<bool>()) << type;
    EXPECT_TRUE(sum_of({of(kInfinity), of(-kInfinity)}).isnan().all().item<bool>()) << type;
    EXPECT_TRUE(sum_of({of(kInfinity), of(1)}).equal(of(kInfinity))) << type;
  }
  // A bf16 whose only mantissa bit rounding could drop stays not a number.
  const Tensor thin = torch::full({3}, 0x7f81, torch::kInt32).to(torch::kInt16);
  const Tensor odd = torch::from_blob(thin.data_ptr(), {3}, torch::kBFloat16);
  EXPECT_TRUE(sum_of({odd, torch::zeros({3}, torch::kBFloat16)}).isnan().all().item<bool>());
}

TEST(Sum, WritesToEveryTarget) {
  const Tensor a = torch::ones({2000}), b = torch::ones({2000}), c = torch::zeros({2000});
  sum(torch::kFloat32, {bytes_of(a), bytes_of(b)}, 2000, {bytes_of(a), bytes_of(b), bytes_of(c)});
  for (const Tensor& tensor : {a, b, c}) EXPECT_TRUE(tensor.equal(torch::full({2000}, 2.0F)));
}

TEST(Counter, CountsModuloTwoToThe32) {
  Counter counter{};
  EXPECT_TRUE(counter.reached(0));
  EXPECT_FALSE(counter.reached(1));
  EXPECT_FALSE(counter.wait(1, true));
  counter.set(std::numeric_limits<std::uint32_t>::max());
  EXPECT_FALSE(counter.reached(1));  // it comes after the last number
  counter.set(1);
  EXPECT_TRUE(counter.wait(1, false));
  EXPECT_TRUE(counter.reached(std::numeric_limits<std::uint32_t>::max()));
}

TEST(Counter, WakesWhoWaits) {
  Counter counter{};
  std::atomic<bool> woken = false;
  std::thread waiter([&] {
    while (!counter.wait(1, false)) {
    }
    woken = true;
  });
  counter.set(1);
  waiter.join();
  EXPECT_TRUE(woken);
}

}  // namespace
}  // namespace yoke::shared
