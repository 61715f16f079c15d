#include "yoke/engine/eager/keyed_dropout.h"

#include "yoke/core/random.h"
#include "yoke/engine/compiled/kernels/dropout.h"

namespace yoke {
namespace {

using compiled::ImageLayout;

/// How the compiled engine lays out an image of a mask of `shape`.
ImageLayout layout_of(const std::vector<std::int64_t>& shape, bool one_row, std::int64_t units) {
  const std::int64_t channels = one_row && shape.size() > 2 ? shape[1] : units;
  return channels == units ? ImageLayout{1, units, 1} : ImageLayout{channels, units / channels, 1};
}

}  // namespace

KeyedDropout::KeyedDropout(const StepKey& key, const Batch& batch)
    : stream_(stream_seed(key.seed, 0, static_cast<std::uint64_t>(key.step), Purpose::kDropout)),
      first_image_(batch.first_image),
      images_(batch.size()) {}

torch::Tensor KeyedDropout::draw(const torch::Tensor& input, Unit unit, double p) {
  const std::vector<std::int64_t> shape = mask_shape(input, unit);
  const torch::Tensor kept = torch::empty(shape, torch::kUInt8);
  const bool by_image = !shape.empty() && shape.front() % images_ == 0;
  const std::int64_t images = by_image ? images_ : 1, units = kept.numel() / images;
  const ImageLayout layout = layout_of(shape, by_image && shape.front() == images_, units);
  compiled::DropoutKey key{.stream = stream_, .layer = dropouts_++, .image = 0};
  for (std::int64_t n = 0; n < images; ++n) {
    if (by_image) key.image = static_cast<std::uint32_t>(first_image_ + n);
    draw_kept(key, p, layout, kept.data_ptr<std::uint8_t>() + n * units);
  }
  return kept.to(input.scalar_type());
}

}  // namespace yoke
