#include "yoke/data/transforms/affine_sample.h"

#include <algorithm>
#include <array>
#include <vector>

#include "yoke/core/vectorise.h"

namespace yoke {
namespace {

/// A source coordinate, x or y, of the pixels of one row.
struct Line {
  float slope;   // per column, on the grid
  double start;  // the row's part
  float shift;
  float half;  // of the image's size
};

/// `column` is counted from the middle of the row.
float nearest(const Line& line, float column) {
  // In double, so that it is rounded once: a fused multiply-add that every processor has.
  const auto turned = static_cast<float>(static_cast<double>(column * line.slope) + line.start);
  const float place = (turned + line.shift + 1) * line.half - 0.5F;
  constexpr float kRound = 0x1.8p23F;  // floats of this size are whole numbers
  return (place + kRound) - kRound;
}

/// For each pixel of a row its source's number in a plane, or -1 if that is outside.
YOKE_VECTORISE
void find_sources(const Line& across, const Line& down, std::int32_t height, std::int32_t width,
                  std::int32_t* __restrict sources) {
  const float middle = static_cast<float>(width - 1) / 2;
  const auto rows = static_cast<float>(height), columns = static_cast<float>(width);
  for (std::int32_t i = 0; i < width; ++i) {
    const float x = nearest(across, static_cast<float>(i) - middle);
    const float y = nearest(down, static_cast<float>(i) - middle);
    const bool inside = (x >= 0) & (x < columns) & (y >= 0) & (y < rows);
    const auto row = static_cast<std::int32_t>(y), column = static_cast<std::int32_t>(x);
    sources[i] = inside ? row * width + column : -1;
  }
}

/// The grid of torchvision's `_gen_affine_grid` for one coordinate.
class Grid {
 public:
  /// `matrix` points to the three numbers of the coordinate, of which the image has `size`.
  Grid(const double* matrix, std::int64_t size) : half_(static_cast<float>(size) / 2) {
    for (std::size_t i = 0; i < 3; ++i) scaled_[i] = static_cast<float>(matrix[i]) / half_;
  }

  /// Of the row `y` below the middle of the image.
  Line row(double y) const {
    return {.slope = scaled_[0], .start = y * scaled_[1], .shift = scaled_[2], .half = half_};
  }

 private:
  float half_;
  std::array<float, 3> scaled_;
};

}  // namespace

void affine_sample(const ImageShape& shape, const AffineMatrix& matrix,
                   std::span<const std::uint8_t> input, std::span<std::uint8_t> output) {
  const auto [channels, height, width] = shape;
  const Grid across(matrix.data(), width), down(matrix.data() + 3, height);
  std::vector<std::int32_t> sources(static_cast<std::size_t>(width));
  for (std::int64_t row = 0; row < height; ++row) {
    const double y = static_cast<double>(row) - static_cast<double>(height - 1) / 2;
    find_sources(across.row(y), down.row(y), static_cast<std::int32_t>(height),
                 static_cast<std::int32_t>(width), sources.data());
    // Along a row both coordinates only grow or only fall, so the pixels inside are neighbours.
    const auto inside = [](std::int32_t source) { return source >= 0; };
    const auto begin = std::find_if(sources.begin(), sources.end(), inside);
    const auto end = std::find_if_not(begin, sources.end(), inside);
    for (std::int64_t channel = 0; channel < channels; ++channel) {
      const std::uint8_t* const plane = input.data() + channel * height * width;
      std::uint8_t* filled = output.data() + (channel * height + row) * width;
      filled = std::fill_n(filled, begin - sources.begin(), std::uint8_t{0});
      filled = std::transform(begin, end, filled, [=](std::int32_t i) { return plane[i]; });
      std::fill_n(filled, sources.end() - end, std::uint8_t{0});
    }
  }
}

}  // namespace yoke
