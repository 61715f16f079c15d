// yoke/train/trainer_images.cpp: which images a trainer's steps are of, and how large.
#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "yoke/run/flag_names.h"
#include "yoke/train/config/mixing.h"
#include "yoke/train/trainer.h"

namespace yoke {

/// Of those that the run ends before.
void Trainer::warn_of_sizes() {
  const auto warn = [this](const SizesByEpoch& sizes, std::string_view flag, const char* what) {
    if (!sizes.given() || epochs().first_step(sizes.last_epoch()) < total_steps_) return;
    warnings_.push_back(
        fmt::format("warning: --{} {}: the run ends after step {}, before {} have their last size",
                    flag, sizes.str(), total_steps_, what));
  };
  warn(config_.image_size, flag::kImageSize, "images");
  warn(config_.batch_size, flag::kBatchSize, "batches");
}

std::int64_t Trainer::batch_size() const {
  return batch_sizes_.at(epochs().at(std::max<std::int64_t>(0, state_.step - 1)));
}

Sampler Trainer::make_sampler() const {
  return {workload_.data.train->size(),
          batch_sizes_,
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
  const auto train = workload_.train_images(config_.image_size, epochs().at(state_.step));
  LoaderOptions options = workload_.loader;
  options.resident = resident_images(train);
  const Transform transform(train->info(), workload_.data.augmentation);
  const std::int64_t most =
      state_.step + strategy_->workers().most_steps(total_steps_ - state_.step);
  return std::make_unique<Loader>(train, sampler_, transform, config_.seed, state_.step, most,
                                  options, mixing_of(config_));
}

bool Trainer::resizes(std::int64_t step) const {
  const std::int64_t epoch = epochs().at(step);
  return config_.image_size.given() && epoch > 0 && epochs().starts(step) &&
         config_.image_size.at(epoch) != config_.image_size.at(epoch - 1);
}

/// Of the epoch that the run is in.
void Trainer::resize_images() {
  if (!config_.image_size.given()) return;
  const std::int64_t epoch = epochs().at(state_.step);
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
          .step_images = sampler_.global_size(epochs().at(step), epochs().place(step))};
}

}  // namespace yoke
