// apps/yoke/thread_sum.h: the limit for an all-reduce in memory: threads that reach into each
// other's vectors.
#pragma once
#include <torch/types.h>

#include <atomic>
#include <cstdint>
#include <thread>
#include <vector>

namespace yoke {

/// Vectors, one per thread, that become their sum: each thread adds up a part of all, then takes
/// the other parts from the others. The caller is the first thread; the others wait awake.
class ThreadSum {
 public:
  /// fp32 [elements] in each of as many threads as `cores`; all but the first are kept on theirs.
  ThreadSum(const std::vector<int>& cores, std::int64_t elements);
  ~ThreadSum();
  ThreadSum(const ThreadSum&) = delete;
  ThreadSum& operator=(const ThreadSum&) = delete;

  void run();

 private:
  void meet(std::size_t thread);
  void work(std::size_t thread);

  std::vector<torch::Tensor> vectors_;
  struct alignas(64) Place {
    std::atomic<std::uint32_t> meetings{0};
  };
  std::vector<Place> places_;
  std::atomic<bool> stop_{false};
  std::vector<std::jthread> threads_;  // last: they use the rest
};

}  // namespace yoke
