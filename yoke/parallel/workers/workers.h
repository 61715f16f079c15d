// yoke/parallel/workers/workers.h: which ranks compute gradients, who takes which step, and when
// all meet.
#pragma once
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace yoke {

/// Which of so many shares of the images is a rank's: one for each that computes gradients.
struct DataShard {
  int index = 0;  ///< -1: none, it computes no gradients.
  int count = 1;
};

/// The steps [first, last) between two meetings of all ranks, and what a rank does in them.
struct Stretch {
  /// The images of a step: in this rank's part, and over all ranks.
  struct Images {
    std::int64_t own = 0, all = 0;
  };

  std::int64_t first = 0, last = 0;
  /// Takes this rank's part of a step.
  std::function<Images(std::int64_t step)> take;
  /// Before a step: false where this rank is asked to stop. Ranks that take steps alike stop where
  /// they meet, others before.
  std::function<bool(std::int64_t step)> goes_on;
  /// Called once on all ranks at the same place among their collectives, as early as what it starts
  /// can go on beside a step.
  std::function<void()> meet;
};

/// What all ranks together have done in a stretch.
struct StretchResult {
  std::int64_t steps = 0, images = 0;
  double waiting_seconds = 0;       ///< Of this rank, for the others, outside of steps.
  std::vector<std::string> events;  ///< What has happened to ranks, for people; mostly nothing.
};

/// The ranks of a run as workers.
class Workers {
 public:
  virtual ~Workers() = default;

  /// This rank's share of the images; may change in run().
  virtual DataShard data_shard() const = 0;

  /// After `step` steps, the number of steps after which all ranks meet next: more than `step`.
  virtual std::int64_t next_meeting(std::int64_t step) const = 0;

  /// At most so many steps are this rank's to take while the run takes `steps`.
  virtual std::int64_t most_steps(std::int64_t steps) const = 0;

  /// Takes a stretch, which ends no later than the next meeting; all ranks call it alike.
  virtual StretchResult run(const Stretch& stretch) = 0;
};

}  // namespace yoke
