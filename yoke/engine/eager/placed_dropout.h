// yoke/engine/eager/placed_dropout.h: dropout of some images of a batch, as of all of it.
#pragma once
#include <ATen/core/Generator.h>
#include <torch/types.h>

#include <cstdint>

namespace yoke {

/// Images [begin, end) of a batch of `whole`.
struct BatchPart {
  std::int64_t begin = 0;
  std::int64_t end = 0;
  std::int64_t whole = 0;

  std::int64_t size() const { return end - begin; }
};

/// While it lives, the dropouts of all kinds that this thread runs on images of `part` drop what
/// LibTorch would drop of them, had its generator been given `seed` and were the whole batch run at
/// once: each mask is drawn whole, and the part is taken. On the CPU numbers come from a generator
/// of its own; on a GPU from that GPU's, which the caller seeds.
class PlacedDropout {
 public:
  /// `part` is not empty.
  PlacedDropout(std::uint64_t seed, const BatchPart& part);
  ~PlacedDropout();
  PlacedDropout(const PlacedDropout&) = delete;
  PlacedDropout& operator=(const PlacedDropout&) = delete;

  /// What is dropped or kept as one: an element, or a channel of an image.
  enum class Unit { kElement, kChannel };

  /// Which units of `input` to keep: 1 with probability 1 - `p`, else 0, in a shape that
  /// broadcasts. The first dimension counts images, or several rows of each; masks of anything else
  /// are drawn as they are, alike for all parts.
  torch::Tensor draw(const torch::Tensor& input, Unit unit, double p);

 private:
  PlacedDropout* const before_;
  at::Generator generator_;  // of the CPU
  const BatchPart part_;
};

}  // namespace yoke
