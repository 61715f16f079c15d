// yoke/core/system/batch_scheduling.h: threads that let others finish what they are at.
#pragma once

namespace yoke {

/// While it lives, this thread and those that it starts take no core from another thread when they
/// wake: they wait until that one sleeps or has had its turn (Linux's SCHED_BATCH). The threads
/// stay so. Where the system refuses, or a policy was chosen already, all stays as it is.
class BatchScheduling {
 public:
  BatchScheduling();
  ~BatchScheduling();
  BatchScheduling(const BatchScheduling&) = delete;
  BatchScheduling& operator=(const BatchScheduling&) = delete;

 private:
  bool set_ = false;
};

}  // namespace yoke
