// yoke/data/resident_images.h: training images that stay on a GPU, cropped and flipped there.
#pragma once
#include <torch/types.h>

#include <atomic>
#include <cstdint>
#include <memory>
#include <span>
#include <stop_token>
#include <string>
#include <vector>

#include "yoke/data/dataset.h"
#include "yoke/data/transforms/crop_and_flip.h"
#include "yoke/data/transforms/transform.h"

namespace yoke {

/// The images of a data set on a device, each from its first use on, so that later epochs neither
/// decode nor copy. Safe to use from several threads.
class ResidentImages {
 public:
  /// Of the device's memory: a part that also a small GPU can spare.
  static constexpr std::int64_t kMostBytes = std::int64_t{2} << 30;

  /// Whether images of `dataset` can be kept: they are the same whenever they are asked for,
  /// `transform` crops, flips and normalises alone, and all of them take at most kMostBytes.
  static bool can_keep(const Dataset& dataset, const Transform& transform);

  /// @throws Error where they cannot be kept.
  ResidentImages(std::shared_ptr<const Dataset> dataset, const Transform& transform,
                 torch::Device device);

  const Dataset& dataset() const { return *dataset_; }
  std::string describe() const;  ///< `stay on cuda:0 from their first use on, in 156 MB`

  /// Images [N] of the data set, each at its placement: fp32 [N, C, H, W] in the memory format
  /// channels_last, the numbers of Transform::apply() to the bit; in the current stream. Unfinished
  /// where `stop` is requested.
  torch::Tensor take(std::span<const std::int64_t> images, std::span<const CropAndFlip> placements,
                     const std::stop_token& stop = {});

 private:
  void keep(std::span<const std::int64_t> images, const std::stop_token& stop);
  void wait() const;
  torch::Tensor to_device(const torch::Tensor& host) const;

  const std::shared_ptr<const Dataset> dataset_;
  const torch::Device device_;
  const std::int64_t padding_;
  torch::Tensor pixels_;         // uint8 [images, H + 2 padding, W + 2 padding, C], black around
  torch::Tensor rows_;           // int64 [1, H, 1]: 0, 1, ...
  torch::Tensor columns_;        // int64 [1, 1, W]: 0, 1, ...
  torch::Tensor scale_, shift_;  // fp32 [C]
  std::vector<std::atomic<bool>> kept_;  // of each image
};

}  // namespace yoke
