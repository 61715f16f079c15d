#include "yoke/parallel/server/part_server.h"

#include <ATen/record_function.h>

#include <algorithm>
#include <utility>

#include "yoke/core/error.h"

namespace yoke {

using torch::Tensor;

PartServer::PartServer(FlatParameters& part, Optimizer& optimizer, const ServerRules& rules)
    : part_(part),
      optimizer_(optimizer),
      rules_(rules),
      workers_(static_cast<std::size_t>(rules.workers)) {}

void PartServer::push(int worker, const Tensor& gradient, const Rates& rates) {
  std::unique_lock lock(mutex_);
  if (!failure_.empty()) throw CommError(failure_);
  Worker& pusher = workers_[static_cast<std::size_t>(worker)];
  if (rules_.sync) {
    pusher.gradient = gradient;
    return push_sync(lock, rates);
  }
  const std::int64_t staleness =
      counts_.updates - (rules_.overlap ? pusher.pulled_before : pusher.pulled);
  counts_.staleness_sum += staleness;
  counts_.staleness_most = std::max(counts_.staleness_most, staleness);
  part_.gradients().copy_(gradient);
  move(rates);
  ++pusher.pushes;
  wait(lock, [&] { return lead(pusher) <= rules_.staleness; });
  counts_.lead_most = std::max(counts_.lead_most, lead(pusher));
}

// In the order of workers, so that the sum does not depend on who was first.
void PartServer::push_sync(std::unique_lock<std::mutex>& lock, const Rates& rates) {
  const std::int64_t round = counts_.updates;
  if (++pushed_ < rules_.workers) return wait(lock, [&] { return counts_.updates > round; });
  Tensor& sum = part_.gradients();
  sum.copy_(workers_.front().gradient);
  for (std::size_t i = 1; i < workers_.size(); ++i) sum.add_(workers_[i].gradient);
  pushed_ = 0;
  move(rates);
}

void PartServer::move(const Rates& rates) {
  RECORD_USER_SCOPE("optimizer");
  bool asked = false;
  optimizer_.step(
      [&] {
        if (asked) throw UsageError("a parameter server has one gradient for each step");
        asked = true;
        return torch::zeros({});
      },
      rates);
  ++counts_.updates;
  changed_.notify_all();
}

/// How many pushes `worker` is ahead of the slowest that is at work.
std::int64_t PartServer::lead(const Worker& worker) const {
  std::int64_t least = worker.pushes;
  for (const Worker& other : workers_) {
    if (!other.resting) least = std::min(least, other.pushes);
  }
  return worker.pushes - least;
}

template <typename Condition>
void PartServer::wait(std::unique_lock<std::mutex>& lock, const Condition& condition) {
  changed_.wait(lock, [&] { return !failure_.empty() || condition(); });
  if (!failure_.empty()) throw CommError(failure_);
}

void PartServer::pull(int worker, const Tensor& values) {
  const std::lock_guard lock(mutex_);
  Tensor(values).copy_(part_.values());
  Worker& puller = workers_[static_cast<std::size_t>(worker)];
  puller.pulled_before = std::exchange(puller.pulled, counts_.updates);
}

void PartServer::rest(int worker) {
  const std::lock_guard lock(mutex_);
  rest(workers_[static_cast<std::size_t>(worker)]);
}

void PartServer::lose(int worker) {
  const std::lock_guard lock(mutex_);
  Worker& gone = workers_[static_cast<std::size_t>(worker)];
  gone.lost = true;
  rest(gone);
}

void PartServer::rest(Worker& worker) {
  worker.resting = true;
  worker.pulled_before = worker.pulled;
  if (std::all_of(workers_.begin(), workers_.end(),
                  [](const auto& each) { return each.resting; })) {
    for (Worker& each : workers_) {
      each.resting = each.lost;
      each.pushes = 0;
    }
  }
  changed_.notify_all();
}

void PartServer::await(std::int64_t updates) {
  std::unique_lock lock(mutex_);
  wait(lock, [&] { return counts_.updates >= updates; });
}

void PartServer::fail(const std::string& why) {
  const std::lock_guard lock(mutex_);
  if (failure_.empty()) failure_ = why;
  changed_.notify_all();
}

ServerCounts PartServer::counts() const {
  const std::lock_guard lock(mutex_);
  return counts_;
}

}  // namespace yoke
