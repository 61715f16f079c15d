// yoke/data/datasets/stripes.cpp: lying and standing stripes, drawn by the program.
#include "yoke/data/datasets/in_memory.h"

namespace yoke {
namespace {

struct StripesOptions {
  std::int64_t images = 64;
  std::int64_t size = 28;
};

/// Class 0 lies, class 1 stands; the seed and the image decide where the first stripe is.
std::shared_ptr<const Dataset> draw_stripes(const StripesOptions& options, std::uint64_t seed,
                                            std::uint32_t split) {
  std::vector<std::uint8_t> pixels;
  std::vector<std::int64_t> labels;
  for (std::int64_t image = 0; image < options.images; ++image) {
    RandomStream random(seed, split, static_cast<std::uint64_t>(image), Purpose::kGlyphs);
    const auto begin = static_cast<std::int64_t>(random.below(4));
    labels.push_back(image % 2);
    for (std::int64_t y = 0; y < options.size; ++y) {
      for (std::int64_t x = 0; x < options.size; ++x) {
        const std::int64_t along = labels.back() == 0 ? y : x;
        pixels.push_back((along + begin) % 4 < 2 ? 255 : 0);
      }
    }
  }
  const DatasetInfo info{.name = "stripes",
                         .image = {1, options.size, options.size},
                         .class_names = {"lying", "standing"},
                         .mean = {0.5F},
                         .deviation = {0.5F}};
  return std::make_shared<InMemoryDataset>(info, std::move(pixels), std::move(labels));
}

}  // namespace

DatasetPlugin stripes_dataset() {
  using O = StripesOptions;
  const OptionTable<O> options = {{"images", &O::images, in(4, 1e6), "of each split"},
                                  {"size", &O::size, in(4, 1024), "height and width"}};
  return {options, [](const DatasetInput& input, const O& chosen) -> DatasetSplits {
            return {.train = draw_stripes(chosen, input.seed, 0),
                    .validation = draw_stripes(chosen, input.seed, 1)};
          }};
}

}  // namespace yoke
