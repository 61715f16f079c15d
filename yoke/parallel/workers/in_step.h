// yoke/parallel/workers/in_step.h: workers that all take every step.
#pragma once
#include "yoke/parallel/workers/workers.h"

namespace yoke {

/// Ranks that take the same steps, each its share of the images, and meet after every step, or
/// after those that a function names.
class InStep final : public Workers {
 public:
  using NextMeeting = std::function<std::int64_t(std::int64_t step)>;

  explicit InStep(
      DataShard shard, NextMeeting next_meeting = [](std::int64_t step) { return step + 1; });

  DataShard data_shard() const override { return data_shard_; }
  std::int64_t next_meeting(std::int64_t step) const override { return next_meeting_(step); }
  std::int64_t most_steps(std::int64_t steps) const override { return steps; }
  StretchResult run(const Stretch& stretch) override;

 private:
  const DataShard data_shard_;
  const NextMeeting next_meeting_;
};

}  // namespace yoke
