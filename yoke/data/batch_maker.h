// yoke/data/batch_maker.h: the images of a step, decoded, transformed and mixed.
#pragma once
#include <cstdint>
#include <memory>
#include <stop_token>
#include <vector>

#include "yoke/core/batch.h"
#include "yoke/data/dataset.h"
#include "yoke/data/resident_images.h"
#include "yoke/data/sampler.h"
#include "yoke/data/transforms/mix.h"
#include "yoke/data/transforms/transform.h"

namespace yoke {

/// Makes this rank's batches. An image is a function of the seed, the epoch and its number (its
/// place where images repeat); what it is mixed with, of its place in the step's batch over all
/// ranks. Safe to use from several threads.
class BatchMaker {
 public:
  /// `seed` is that of all that is drawn. @throws Error where `sampler` is for other images.
  BatchMaker(std::shared_ptr<const Dataset> dataset, Sampler sampler, Transform transform,
             const Mixing& mixing, std::uint64_t seed);

  /// Memory that a thread keeps from one batch to the next.
  struct Scratch {
    std::vector<std::uint8_t> pixels;
    std::vector<float> other;  ///< Of a pair, as it is without the other.
  };

  /// The batch of `step`, counted over the whole run; in page-locked memory where `pinned`.
  /// Unfinished where `stop` is requested. @throws Error where an image has no class of the data
  /// set's.
  Batch make(std::int64_t step, bool pinned, Scratch& scratch, const std::stop_token& stop) const;

  /// The same, made of `images` where these are. @throws Error where they are another data set's,
  /// or are to be mixed.
  Batch make(std::int64_t step, ResidentImages& images, const std::stop_token& stop) const;

 private:
  /// Where an image is made for.
  struct Step {
    std::int64_t epoch;
    std::int64_t number;  ///< In its epoch.
  };

  Step step_of(std::int64_t step) const {
    return {.epoch = sampler_.epochs().at(step), .number = sampler_.epochs().place(step)};
  }
  /// What changes the image at `place` of a step is drawn from this.
  RandomStream random_of(const Step& step, std::int64_t place) const;
  /// The image at `place` of a step, as it is before it is mixed.
  void make_image(const Step& step, std::int64_t place, Scratch& scratch, float* output) const;
  /// How the image at `place` of a step and its partner are mixed, alike for both.
  PairMix draw_pair(const Step& step, std::int64_t place) const;
  void mix(const Step& step, Batch& batch, Scratch& scratch, const std::stop_token& stop) const;
  std::int64_t label(std::int64_t image) const;

  const std::shared_ptr<const Dataset> dataset_;
  const Sampler sampler_;
  const Transform transform_;
  const Mixing mixing_;
  const std::uint64_t seed_;
};

}  // namespace yoke
