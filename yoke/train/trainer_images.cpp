// yoke/train/trainer_images.cpp: which images a trainer's steps are of, and how large.
#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "yoke/train/config/mixing.h"
#include "yoke/train/trainer.h"

namespace yoke {

void Trainer::warn_of_image_sizes() {
  const ImageSizes& sizes = config_.image_size;
  if (!sizes.given() || sizes.last_epoch() * steps_per_epoch() < total_steps_) return;
  warnings_.push_back(fmt::format(
      "warning: --image-size {}: the run ends after step {}, before images have their last size",
      sizes.str(), total_steps_));
}

Sampler Trainer::make_sampler() const {
  return {workload_.data.train->size(),
          batch_size_,
          std::max(0, data_shard_.index),
          data_shard_.count,
          config_.seed,
          true,
          workload_.order};
}

std::shared_ptr<ResidentImages> Trainer::resident_images(
    const std::shared_ptr<const Dataset>& train) const {
  return mixing_of(config_).none() ? workload_.resident_images(train) : nullptr;
}

std::unique_ptr<Loader> Trainer::make_loader() const {
  const auto train = workload_.train_images(config_.image_size, state_.step / steps_per_epoch());
  LoaderOptions options = workload_.loader;
  options.resident = resident_images(train);
  const Transform transform(train->info(), workload_.data.augmentation);
  const std::int64_t most =
      state_.step + strategy_->workers().most_steps(total_steps_ - state_.step);
  return std::make_unique<Loader>(train, sampler_, transform, config_.seed, state_.step, most,
                                  options, mixing_of(config_));
}

bool Trainer::resizes(std::int64_t step) const {
  const std::int64_t epoch = step / steps_per_epoch();
  return config_.image_size.given() && epoch > 0 && step % steps_per_epoch() == 0 &&
         config_.image_size.at(epoch) != config_.image_size.at(epoch - 1);
}

/// Of the epoch that the run is in.
void Trainer::resize_images() {
  if (!config_.image_size.given()) return;
  const std::int64_t epoch = state_.step / steps_per_epoch();
  const std::int64_t size = config_.image_size.at(epoch);
  if (size == std::exchange(loaded_size_, size)) return;
  loader_.reset();
  events_.push_back(fmt::format("images     of {0}x{0} from epoch {1} on", size, epoch));
}

/// Of a step, empty on a rank that computes no gradients.
Batch Trainer::next_batch(std::int64_t step) {
  if (data_shard_.index >= 0) return loader_->next();
  return {.input = torch::empty({0}),
          .target = torch::empty({0}, torch::kInt64),
          .step_images = sampler_.global_size(step % steps_per_epoch())};
}

}  // namespace yoke
