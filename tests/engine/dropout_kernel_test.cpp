// tests/engine/dropout_kernel_test.cpp: which elements are kept, and what becomes of the others.
#include <gtest/gtest.h>
#include <torch/utils.h>

#include <array>

#include "tests/engine/blocked.h"
#include "yoke/engine/compiled/kernels/dropout.h"

namespace yoke::test {
namespace {

using compiled::DropoutKey;
using compiled::ImageLayout;
using torch::Tensor;
using Words = std::array<std::uint32_t, 4>;

/// Philox4x32-10 as in Salmon et al. 2011, figure 4.
Words philox(Words counter, std::uint64_t key) {
  auto key0 = static_cast<std::uint32_t>(key), key1 = static_cast<std::uint32_t>(key >> 32);
  for (int round = 0; round < 10; ++round) {
    const std::uint64_t a = std::uint64_t{0xD2511F53} * counter[0];
    const std::uint64_t b = std::uint64_t{0xCD9E8D57} * counter[2];
    counter = {
        static_cast<std::uint32_t>(b >> 32) ^ counter[1] ^ key0, static_cast<std::uint32_t>(b),
        static_cast<std::uint32_t>(a >> 32) ^ counter[3] ^ key1, static_cast<std::uint32_t>(a)};
    key0 += 0x9E3779B9;
    key1 += 0xBB67AE85;
  }
  return counter;
}

void expect_kept_by_philox(const DropoutKey& key, double probability, const ImageLayout& layout) {
  constexpr std::uint8_t kUntouched = 9;
  const std::int64_t elements = layout.elements();
  std::vector<std::uint8_t> keep(static_cast<std::size_t>(elements) + 1, kUntouched);
  compiled::draw_kept(key, probability, layout, keep.data());
  EXPECT_EQ(keep.back(), kUntouched);  // it writes no further
  const std::int64_t groups = (layout.area + 3) / 4;
  for (std::int64_t c = 0; c < layout.channels; ++c) {
    for (std::int64_t pixel = 0; pixel < layout.area; ++pixel) {
      const auto counter = static_cast<std::uint32_t>(c * groups + pixel / 4);
      const std::uint32_t random = philox({counter, key.image, key.layer, 0},
                                          key.stream)[static_cast<std::size_t>(pixel % 4)];
      const std::int64_t at =
          (c / layout.block * layout.area + pixel) * layout.block + c % layout.block;
      EXPECT_EQ(keep[static_cast<std::size_t>(at)], random >= probability * 0x1p32 ? 1 : 0)
          << "channel " << c << ", pixel " << pixel << " of " << layout.area;
    }
  }
}

TEST(DropoutKernel, KeepsByPhilox) {
  // The known answer of the authors' Random123 for a counter and key of zeros.
  ASSERT_EQ(philox({}, 0), (Words{0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8}));
  const DropoutKey key{.stream = 0x0123456789abcdef, .layer = 5, .image = 77};
  for (const double probability : {0.01, 0.5, 0.99}) {
    for (const ImageLayout& layout :
         {ImageLayout{1, 1, 1}, ImageLayout{1, 65, 1}, ImageLayout{3, 35, 1},
          ImageLayout{17, 6, 16}, ImageLayout{5, 7, 5}, ImageLayout{33, 9, 33},
          ImageLayout{9, 5, 8}}) {
      expect_kept_by_philox(key, probability, layout);
    }
  }
}

TEST(DropoutKernel, ScalesWhatIsKeptInAllFormats) {
  torch::manual_seed(1);
  in_all_formats([](std::int64_t channels, compiled::Format format, NumberType type) {
    const Tensor input = exact_noise({3, channels, 5, 7});
    const Tensor keep = torch::randint(2, {3, channels, 5, 7}).to(torch::kFloat32);
    const Blocked tensor(input, format, type), kept(keep, format, NumberType::f32);
    std::vector<std::uint8_t> bytes;
    for (std::int64_t i = 0; i < kept.tensor().elements(); ++i) {
      bytes.push_back(kept.tensor().data<float>()[i] != 0 ? 1 : 0);
    }
    compiled::apply_dropout(tensor.tensor(), bytes.data(), 1.25F, tensor.tensor());
    EXPECT_TRUE(torch::allclose(tensor.values(), input * keep * 1.25, rounding(type), 0))
        << channels << " channels in blocks of " << tensor.tensor().block();
    EXPECT_TRUE(tensor.is_padded_with_zeros());
  });
}

}  // namespace
}  // namespace yoke::test
