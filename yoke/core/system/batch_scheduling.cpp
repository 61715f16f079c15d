#include "yoke/core/system/batch_scheduling.h"

#include <sched.h>

namespace yoke {
namespace {

constexpr int kThisThread = 0;

bool set_policy(int policy) {
  const sched_param parameters{};
  return ::sched_setscheduler(kThisThread, policy, &parameters) == 0;
}

}  // namespace

BatchScheduling::BatchScheduling()
    : set_(::sched_getscheduler(kThisThread) == SCHED_OTHER && set_policy(SCHED_BATCH)) {}

BatchScheduling::~BatchScheduling() {
  if (set_) set_policy(SCHED_OTHER);
}

}  // namespace yoke
