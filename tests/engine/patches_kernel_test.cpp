// tests/engine/patches_kernel_test.cpp: the pixels under a convolution's windows, against
// LibTorch's.
#include <gtest/gtest.h>
#include <torch/nn/functional/fold.h>
#include <torch/utils.h>

#include <vector>

#include "yoke/engine/compiled/kernels/patches.h"

namespace yoke::test {
namespace {

using compiled::PatchGeometry;
using torch::Tensor;

std::uint16_t* bits(Tensor& bf16) { return reinterpret_cast<std::uint16_t*>(bf16.data_ptr()); }

/// As LibTorch sees it: [C * kernel, N * windows], and a row of ones.
Tensor expected_patches(const Tensor& input, const PatchGeometry& g) {
  const auto unfolded = torch::nn::functional::unfold(
      input, torch::nn::functional::UnfoldFuncOptions({g.kernel_height, g.kernel_width})
                 .dilation({g.dilation_y, g.dilation_x})
                 .padding({g.pad_y, g.pad_x})
                 .stride({g.stride_y, g.stride_x}));
  const Tensor rows = unfolded.transpose(0, 1).reshape({g.taps(), -1});
  return torch::cat({rows, torch::ones({1, rows.size(1)})});
}

TEST(PatchesKernel, EqualsUnfoldAndARowOfOnes) {
  torch::manual_seed(1);
  const PatchGeometry plain{{1, 28, 28}, 24, 24, 5, 5};
  const PatchGeometry padded{{3, 9, 17}, 9, 17, 3, 3, 1, 1, 1, 1};
  const PatchGeometry odd{{2, 11, 8}, 5, 2, 4, 3, 2, 3, 1, 0, 1, 2};
  const PatchGeometry far_outside{{1, 3, 3}, 7, 7, 3, 3, 1, 1, 3, 3};
  for (const auto& geometry : {plain, padded, odd, far_outside}) {
    for (const std::int64_t images : {1, 3}) {
      const auto& [channels, height, width] = geometry.image;
      Tensor input = torch::randn({images, channels, height, width}).to(torch::kBFloat16);
      const Tensor expected = expected_patches(input.to(torch::kFloat32), geometry);
      std::vector<std::uint16_t> patches(compiled::patch_bytes(geometry, images) / 2, 0xffff);
      compiled::gather_patches(bits(input), images, geometry, patches.data());
      const Tensor found = torch::from_blob(patches.data(), expected.sizes(), torch::kBFloat16);
      EXPECT_TRUE(torch::equal(found.to(torch::kFloat32), expected))
          << geometry.image.str() << ", " << images << " images";
    }
  }
}

}  // namespace
}  // namespace yoke::test
