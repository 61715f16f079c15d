// yoke/parallel/server/part_server.h: one part of the parameters, kept for workers that push
// gradients and pull what became of it.
#pragma once
#include <torch/types.h>

#include <condition_variable>
#include <cstdint>
#include <limits>
#include <mutex>
#include <string>
#include <vector>

#include "yoke/core/flat_parameters.h"
#include "yoke/optim/optimizer.h"

namespace yoke {

inline constexpr std::int64_t kUnbounded = std::numeric_limits<std::int64_t>::max();

/// When a server moves its part.
struct ServerRules {
  int workers = 1;
  bool sync = true;  ///< Once all have pushed, by the sum of their gradients; else by each at once.
  /// How many pushes a worker may be ahead of the slowest that is at work (Ho et al. 2013, "More
  /// Effective Distributed ML via a Stale Synchronous Parallel Parameter Server"); if not sync.
  std::int64_t staleness = kUnbounded;
  bool overlap = false;  ///< Whether a worker's gradient is of its pull before the last.
};

/// What it has seen.
struct ServerCounts {
  std::int64_t updates = 0;
  std::int64_t staleness_sum = 0;  ///< Updates between a worker's pull and its next push.
  std::int64_t staleness_most = 0;
  std::int64_t lead_most = 0;  ///< Pushes that a worker was ahead of the slowest as it went on.
};

/// Every function may be called from a thread for each worker, and throws CommError once fail() was
/// called.
class PartServer {
 public:
  /// `optimizer` moves `part`; both must outlive it.
  PartServer(FlatParameters& part, Optimizer& optimizer, const ServerRules& rules);

  /// Takes in the gradient of `worker`, fp32 as the part, and waits until it may go on.
  void push(int worker, const torch::Tensor& gradient, const Rates& rates);
  /// Copies the part to `values`.
  void pull(int worker, const torch::Tensor& values);
  /// `worker` pushes nothing until all others rest, too: nobody waits for it.
  void rest(int worker);
  /// `worker` rests for good.
  void lose(int worker);
  /// Waits until `updates` have been made.
  void await(std::int64_t updates);
  /// Ends all waiting.
  void fail(const std::string& why);

  ServerCounts counts() const;

 private:
  struct Worker {
    std::int64_t pushes = 0;  // since all rested
    std::int64_t pulled = 0;  // updates that were made by its last pull
    std::int64_t pulled_before = 0;
    bool resting = false, lost = false;
    torch::Tensor gradient;  // pushed, not yet summed
  };

  void move(const Rates& rates);
  void rest(Worker& worker);
  void push_sync(std::unique_lock<std::mutex>& lock, const Rates& rates);
  std::int64_t lead(const Worker& worker) const;
  template <typename Condition>
  void wait(std::unique_lock<std::mutex>& lock, const Condition& condition);

  FlatParameters& part_;
  Optimizer& optimizer_;
  const ServerRules rules_;

  mutable std::mutex mutex_;  ///< Guards what follows, and the part.
  std::condition_variable changed_;
  std::vector<Worker> workers_;
  int pushed_ = 0;  // of this round, if sync
  std::string failure_;
  ServerCounts counts_;
};

}  // namespace yoke
