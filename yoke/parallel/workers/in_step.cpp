#include "yoke/parallel/workers/in_step.h"

#include <utility>

namespace yoke {

InStep::InStep(DataShard shard, NextMeeting next_meeting)
    : data_shard_(shard), next_meeting_(std::move(next_meeting)) {}

StretchResult InStep::run(const Stretch& stretch) {
  StretchResult done;
  for (std::int64_t step = stretch.first; step < stretch.last; ++step) {
    if (step + 1 == stretch.last) stretch.meet();
    stretch.goes_on(step);  // who is asked to stop says so in the next meeting
    done.images += stretch.take(step).all;
    ++done.steps;
  }
  return done;
}

}  // namespace yoke
