#include "yoke/parallel/workers/free_running.h"

#include <torch/utils.h>

#include <limits>
#include <utility>

#include "yoke/core/system/clock.h"
#include "yoke/parallel/workers/step_pool.h"

namespace yoke {

FreeRunning::FreeRunning(Communicator& communicator, Hooks hooks)
    : communicator_(communicator), hooks_(std::move(hooks)) {}

std::int64_t FreeRunning::next_meeting(std::int64_t) const {
  return std::numeric_limits<std::int64_t>::max();
}

StretchResult FreeRunning::run(const Stretch& stretch) {
  const DataShard shard = hooks_.data_shard();
  StepPool pool(communicator_.group(), stretches_++, (stretch.last - stretch.first) * shard.count);
  std::int64_t images = 0, steps = 0;
  hooks_.depart();
  while (shard.index >= 0) {
    const auto taken = pool.take();
    if (!taken) break;
    const std::int64_t step = stretch.first + *taken / shard.count;
    if (!stretch.goes_on(step)) pool.close();
    images += stretch.take(step).own;
    ++steps;
  }
  const Stopwatch waiting;
  StretchResult done{.events = hooks_.rest()};
  const auto sums = torch::tensor({images, steps}, torch::kInt64);
  communicator_.all_reduce(sums);
  done.waiting_seconds = waiting.seconds();
  done.images = sums[0].item<std::int64_t>();
  // Where some have stopped early, all that was begun counts as done.
  done.steps = (sums[1].item<std::int64_t>() + shard.count - 1) / shard.count;
  stretch.meet();
  return done;
}

}  // namespace yoke
