// yoke/train/evaluation/confidences.h: how sure a model is of images, and how often it is right.
#pragma once
#include <torch/types.h>

#include <vector>

#include "yoke/comm/communicator.h"
#include "yoke/run/confidence_bins.h"
#include "yoke/train/evaluation/likeliest.h"

namespace yoke {

/// Adds up the images of a split in kBins bins of confidence, as Guo et al. 2017 (see
/// expected_calibration_error()) do.
class Confidences {
 public:
  static constexpr std::int64_t kBins = 15;

  /// `right` is bool [N]. Images with a score that is no number are left out.
  void add(const Likeliest& likeliest, const torch::Tensor& right);

  /// The bins of all ranks, bitwise the same on any number of them. All ranks call it.
  std::vector<ConfidenceBin> gather(Communicator& communicator) const;

 private:
  torch::Tensor sums_ = torch::zeros({kBins, 3}, torch::kInt64);  // images, right, confidence
};

}  // namespace yoke
