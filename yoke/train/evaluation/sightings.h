// yoke/train/evaluation/sightings.h: the few images of a split that people should look at.
#pragma once
#include <torch/types.h>

#include <cstdint>
#include <span>
#include <vector>

#include "yoke/comm/communicator.h"
#include "yoke/train/evaluation/likeliest.h"

namespace yoke {

/// An image as a model saw it.
struct Sighting {
  std::int64_t image = 0;  ///< Its number in the split.
  std::int64_t label = 0;
  std::int64_t predicted = 0;  ///< The likeliest class.
  double probability = 0;      ///< Of that, in [0, 1].

  bool operator==(const Sighting&) const = default;
};

/// Collects the kMostKept surest mistakes and the kMostKept least certain right answers.
class Sightings {
 public:
  /// `likeliest` and `target` int64 [N] are of the images whose numbers are `images`. Images with a
  /// score that is no number are left out.
  void add(const Likeliest& likeliest, const torch::Tensor& target,
           std::span<const std::int64_t> images);

  /// Those of all ranks, as looked_at_before() orders them. All ranks call it.
  std::vector<Sighting> gather(Communicator& communicator) const;

 private:
  std::vector<Sighting> wrong_, right_;
};

}  // namespace yoke
