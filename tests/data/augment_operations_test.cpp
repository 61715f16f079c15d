// tests/data/augment_operations_test.cpp: the operations of automatic augmentation against those of
// torchvision, on its uint8 tensors.
#include "yoke/data/transforms/augment_operations.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <sstream>
#include <string>

#include "tests/data/random_pixels.h"
#include "tests/support/support.h"
#include "yoke/core/files/file.h"

namespace yoke {
namespace {

constexpr const char* kNoTorchvision = "torchvision is not installed (Debian: python3-torchvision)";
constexpr AutoAugmentPolicy kPolicies[] = {AutoAugmentPolicy::kTrivialAugmentWide,
                                           AutoAugmentPolicy::kRandAugment};
const ImageShape kShapes[] = {{1, 28, 28}, {3, 32, 32}, {3, 65, 49}, {3, 2, 5}, {1, 1, 1}};

/// Prints what the two policies draw from, for images of 65x49.
constexpr const char* kSpaces = R"(
from torchvision.transforms import autoaugment
for space in (autoaugment.TrivialAugmentWide()._augmentation_space(31),
              autoaugment.RandAugment()._augmentation_space(31, (65, 49))):
    for name, (magnitudes, signed) in space.items():
        values = magnitudes.tolist() if magnitudes.ndim > 0 else [0.0] * 31
        print(name, int(signed), *(f'{value:.9g}' for value in values))
)";

TEST(AugmentOperations, HaveTorchvisionsNamesAndMagnitudes) {
  const auto result = test::run_python("torchvision", kSpaces, {});
  if (!result) GTEST_SKIP() << kNoTorchvision;
  ASSERT_EQ(result->status, 0) << result->output;
  std::istringstream expected(result->output);
  for (const auto policy : kPolicies) {
    for (const auto& operation : augment_operations(policy, {3, 65, 49})) {
      std::string name;
      bool is_signed = false;
      expected >> name >> is_signed;
      EXPECT_EQ(operation.name, name);
      EXPECT_EQ(operation.is_signed, is_signed) << name;
      for (int bin = 0; bin < kMagnitudeBins; ++bin) {
        double magnitude = NAN;
        expected >> magnitude;
        // torchvision's are spaced in fp32, as each of its builds rounds.
        EXPECT_NEAR(operation.magnitude(bin), magnitude, 1e-6 * std::max(1.0, magnitude)) << name;
      }
    }
  }
  std::string rest;
  EXPECT_FALSE(expected >> rest) << rest;
}

/// For each line of `cases` writes the pixels after torchvision's operation, and for each pixel of
/// a plane whether the place that it comes from lies between two pixels.
constexpr const char* kOperations = R"(
import sys, torch
from torchvision.transforms import InterpolationMode, autoaugment, functional
folder = sys.argv[1]
torch.set_num_threads(1)
between = None
sample = functional.F_t._apply_grid_transform

def recorded(image, grid, *arguments, **named):
    global between
    height, width = image.shape[-2:]
    places = ((grid[0].double() + 1) * torch.tensor([width, height]) - 1) / 2
    between = ((places - places.floor() - 0.5).abs() < 1e-4).any(-1)
    return sample(image, grid, *arguments, **named)

functional.F_t._apply_grid_transform = recorded
with open(f'{folder}/found', 'wb') as found, open(f'{folder}/between', 'wb') as unsure:
    for line in open(f'{folder}/cases'):
        file, channels, height, width, name, magnitude = line.split()
        shape = [int(channels), int(height), int(width)]
        with open(f'{folder}/{file}', 'rb') as image:
            pixels = torch.frombuffer(bytearray(image.read()), dtype=torch.uint8).view(shape)
        between = torch.zeros(shape[1:], dtype=torch.bool)
        result = autoaugment._apply_op(pixels, name, float.fromhex(magnitude),
                                       InterpolationMode.NEAREST, None)
        found.write(result.contiguous().numpy().tobytes())
        unsure.write(between.contiguous().numpy().tobytes())
)";

struct TestImage {
  std::string file;
  ImageShape shape;
  std::vector<std::uint8_t> pixels;
};

std::vector<TestImage> test_images() {
  std::vector<TestImage> images;
  for (const ImageShape& shape : kShapes) {
    // Of some levels, which AutoContrast and Equalize spread; and of all.
    images.push_back({"few-" + shape.str(), shape, test::random_pixels(shape, 0, 4, 90)});
    images.push_back({"some-" + shape.str(), shape, test::random_pixels(shape, 2, 42, 20)});
    images.push_back({"all-" + shape.str(), shape, test::random_pixels(shape, 1)});
  }
  return images;
}

/// Every operation of both policies at each magnitude with each sign, once.
std::vector<std::pair<AugmentOperation, double>> every_strength(const ImageShape& shape) {
  std::vector<std::pair<AugmentOperation, double>> all;
  std::set<std::pair<std::string, double>> seen;
  for (const auto policy : kPolicies) {
    for (const auto& operation : augment_operations(policy, shape)) {
      for (int bin = 0; bin < kMagnitudeBins; ++bin) {
        for (const int sign : {1, -1}) {
          const double magnitude = (operation.is_signed ? sign : 1) * operation.magnitude(bin);
          if (seen.emplace(operation.name, magnitude).second) {
            all.emplace_back(operation, magnitude);
          }
        }
      }
    }
  }
  return all;
}

std::string_view as_text(std::span<const std::uint8_t> pixels) {
  return {reinterpret_cast<const char*>(pixels.data()), pixels.size()};
}

void write_cases(const std::filesystem::path& folder, const std::vector<TestImage>& images) {
  std::string cases;
  for (const auto& [file, shape, pixels] : images) {
    write_file(folder / file, as_text(pixels));
    for (const auto& [operation, magnitude] : every_strength(shape)) {
      cases += fmt::format("{} {} {} {} {} {:a}\n", file, shape.channels, shape.height, shape.width,
                           operation.name, magnitude);
    }
  }
  write_file(folder / "cases", cases);
}

TEST(AugmentOperations, GiveThePixelsThatTorchvisionsGive) {
  const test::TemporaryDirectory directory;
  const auto images = test_images();
  write_cases(directory.path(), images);
  const auto result = test::run_python("torchvision", kOperations, {directory.path().string()});
  if (!result) GTEST_SKIP() << kNoTorchvision;
  ASSERT_EQ(result->status, 0) << result->output;
  const auto expected = read_file(directory.path() / "found");
  const auto between = read_file(directory.path() / "between");
  std::size_t at = 0, plane_at = 0, compared = 0;
  for (const auto& [file, shape, pixels] : images) {
    const auto plane = static_cast<std::size_t>(shape.height * shape.width);
    std::vector<std::uint8_t> found(pixels.size());
    for (const auto& [operation, magnitude] : every_strength(shape)) {
      operation.apply(shape, magnitude, pixels, found);
      ASSERT_LE(at + found.size(), expected.size());
      for (std::size_t i = 0; i < found.size(); ++i) {
        // Between two pixels the last bits of fp32 decide, in which processors and BLAS differ.
        if (between[plane_at + i % plane] != 0) continue;
        ASSERT_EQ(found[i], static_cast<std::uint8_t>(expected[at + i]))
            << fmt::format("{} {} {}: {}", file, operation.name, magnitude, i);
        ++compared;
      }
      at += found.size();
      plane_at += plane;
    }
  }
  EXPECT_EQ(at, expected.size());
  EXPECT_GT(static_cast<double>(compared), 0.98 * static_cast<double>(at));
}

}  // namespace
}  // namespace yoke
