// yoke/data/datasets/glyphs.cpp: digits drawn by the program, a data set that needs no files.
#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numbers>
#include <numeric>
#include <utility>

#include "yoke/core/system/parallel_for.h"
#include "yoke/data/datasets/glyph_raster.h"
#include "yoke/data/datasets/glyph_strokes.h"
#include "yoke/data/datasets/in_memory.h"

namespace yoke {
namespace {

constexpr std::int64_t kClasses = 10;
constexpr auto kShuffleStep = std::numeric_limits<std::uint64_t>::max();  // no image has that index

double clipped_normal(RandomStream& random, double deviation, double most) {
  return std::clamp(deviation * random.normal(), -most, most);
}

/// A smooth random displacement, the same for all strokes, so that they still meet.
class Warp {
 public:
  explicit Warp(RandomStream& random) {
    for (auto& wave : waves_) {
      wave = {.x = random.uniform(-5, 5),
              .y = random.uniform(-5, 5),
              .phase = random.uniform(0, 2 * std::numbers::pi),
              .move_x = random.uniform(-0.08, 0.08),
              .move_y = random.uniform(-0.08, 0.08)};
    }
  }

  GlyphPoint operator()(GlyphPoint point) const {
    double x = point.x, y = point.y;
    for (const auto& wave : waves_) {
      const double height = std::sin(wave.x * point.x + wave.y * point.y + wave.phase);
      x += wave.move_x * height;
      y += wave.move_y * height;
    }
    return {static_cast<float>(x), static_cast<float>(y)};
  }

 private:
  struct Wave {
    double x = 0, y = 0, phase = 0, move_x = 0, move_y = 0;
  };
  std::array<Wave, 3> waves_;
};

/// Glyph coordinates to pixels: scale, shear, rotation, then translation.
class Placement {
 public:
  explicit Placement(RandomStream& random) {
    const double height = random.uniform(14, 22);
    const double width = height * random.uniform(0.7, 1.2);
    const double angle = clipped_normal(random, 9, 22) * std::numbers::pi / 180;
    const double shear = clipped_normal(random, 0.17, 0.4);
    const double cosine = std::cos(angle), sine = std::sin(angle);
    xx_ = cosine * width;
    xy_ = (-cosine * shear - sine) * height;
    yx_ = sine * width;
    yy_ = (-sine * shear + cosine) * height;
    const double room = (kGlyphSize - height) / 2 - 1;
    x_ = kGlyphSize / 2.0 + random.uniform(-2, 2);
    y_ = kGlyphSize / 2.0 + random.uniform(-1, 1) * std::min(2.0, room);
  }

  GlyphPoint operator()(GlyphPoint point) const {
    return {static_cast<float>(x_ + xx_ * point.x + xy_ * point.y),
            static_cast<float>(y_ + yx_ * point.x + yy_ * point.y)};
  }

 private:
  double xx_, xy_, yx_, yy_, x_, y_;
};

void draw_glyph(int digit, double noise, RandomStream& random, std::span<std::uint8_t> image) {
  auto strokes = draw_digit(digit, random);
  const Warp warp(random);
  const Placement place(random);
  for (auto& stroke : strokes) {
    for (auto& point : stroke) point = place(warp(point));
  }
  const GlyphInk ink{.radius = static_cast<float>(random.uniform(0.6, 1.7)),
                     .softness = static_cast<float>(random.uniform(0.8, 1.8)),
                     .brightness = static_cast<float>(random.uniform(0.55, 1)),
                     .noise = static_cast<float>(random.uniform(0, noise))};
  rasterise_glyph(strokes, ink, random, image);
}

/// Each class as often as the others, or once more, in random order.
std::vector<std::int64_t> draw_labels(std::int64_t size, RandomStream random) {
  std::vector<std::int64_t> labels(static_cast<std::size_t>(size));
  for (std::size_t i = 0; i < labels.size(); ++i)
    labels[i] = static_cast<std::int64_t>(i) % kClasses;
  for (std::size_t i = labels.size(); i > 1; --i) {
    std::swap(labels[i - 1], labels[static_cast<std::size_t>(random.below(i))]);
  }
  return labels;
}

DatasetInfo glyphs_info() {
  return {.name = "glyphs",
          .image = {.channels = 1, .height = kGlyphSize, .width = kGlyphSize},
          .class_names = {"0", "1", "2", "3", "4", "5", "6", "7", "8", "9"},
          .mean = {0.1123F},
          .deviation = {0.2223F}};
}

/// `split` takes the place of the rank in the key of the random streams.
std::shared_ptr<const Dataset> draw_split(std::int64_t size, std::uint64_t seed,
                                          std::uint32_t split, double noise) {
  auto labels = draw_labels(size, RandomStream(seed, split, kShuffleStep, Purpose::kGlyphs));
  constexpr auto kElements = std::size_t{kGlyphSize} * kGlyphSize;
  std::vector<std::uint8_t> pixels(labels.size() * kElements);
  parallel_for(size, [&](std::int64_t begin, std::int64_t end) {
    for (auto i = static_cast<std::size_t>(begin); i < static_cast<std::size_t>(end); ++i) {
      RandomStream random(seed, split, i, Purpose::kGlyphs);
      draw_glyph(static_cast<int>(labels[i]), noise, random,
                 std::span(pixels).subspan(i * kElements, kElements));
    }
  });
  return std::make_shared<InMemoryDataset>(glyphs_info(), std::move(pixels), std::move(labels));
}

struct GlyphsOptions {
  std::int64_t train = 60'000;
  std::int64_t validation = 10'000;
  double noise = 32;
};

OptionTable<GlyphsOptions> glyphs_options() {
  constexpr double kMostImages = 100'000'000;
  using O = GlyphsOptions;
  return {
      {"train", &O::train, in(1, kMostImages), "training images"},
      {"validation", &O::validation, in(1, kMostImages), "validation images"},
      {"noise", &O::noise, in(0, 255),
       "the most noise of an image, as a standard deviation in grey levels; each image draws its "
       "own below that"},
  };
}

}  // namespace

DatasetPlugin glyphs_dataset() {
  return {glyphs_options(),
          [](const DatasetInput& input, const GlyphsOptions& options) -> DatasetSplits {
            return {.train = draw_split(options.train, input.seed, 0, options.noise),
                    .validation = draw_split(options.validation, input.seed, 1, options.noise)};
          },
          DatasetTraits{.usual_crop = 3}};
}

}  // namespace yoke
