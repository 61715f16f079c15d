// yoke/train/epoch_pace.h: which rank the others waited for.
#pragma once
#include <optional>
#include <string>

#include "yoke/comm/communicator.h"

namespace yoke {

/// Adds up what this rank spent its time with, and compares it with the others once per epoch.
class EpochPace {
 public:
  /// Seconds of one or more steps; `compute` is this rank's own work, before it waited for anyone.
  void add(double compute, double data_wait, double communication);

  /// Starts anew. All ranks call it alike; rank 0 gets a line such as `pace  rank 2 on node-b was
  /// slowest: 12.30 s of its own work, the median 10.10 s; ranks waited 0.10 to 2.20 s for each
  /// other; 812 MB of tensors went over each`; nothing for a group of one.
  std::optional<std::string> compare(Communicator& communicator);

 private:
  double compute_ = 0, data_wait_ = 0, communication_ = 0;
  std::int64_t bytes_before_ = 0;
};

}  // namespace yoke
