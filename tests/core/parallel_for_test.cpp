#include "yoke/core/system/parallel_for.h"

#include <ATen/Parallel.h>
#include <gtest/gtest.h>

#include <atomic>
#include <mutex>
#include <set>
#include <stdexcept>
#include <thread>
#include <vector>

namespace yoke {
namespace {

class ParallelFor : public testing::Test {
 protected:
  void TearDown() override { at::set_num_threads(before_); }
  const int before_ = at::get_num_threads();
};

TEST_F(ParallelFor, VisitsEachIndexOnceOnAnyNumberOfThreads) {
  for (const int threads : {1, 2, 3, 8}) {
    at::set_num_threads(threads);
    for (const std::int64_t size : {0, 1, 2, 17, 1000}) {
      std::vector<std::atomic<int>> visits(static_cast<std::size_t>(size));
      parallel_for(size, [&](std::int64_t begin, std::int64_t end) {
        for (auto i = begin; i < end; ++i) ++visits[static_cast<std::size_t>(i)];
      });
      for (const auto& count : visits) EXPECT_EQ(count, 1);
    }
  }
}

TEST_F(ParallelFor, UsesAsManyThreadsAsItIsSetTo) {
  at::set_num_threads(3);
  std::mutex mutex;
  std::set<std::thread::id> threads;
  parallel_for(300, [&](std::int64_t, std::int64_t) {
    const std::lock_guard lock(mutex);
    threads.insert(std::this_thread::get_id());
  });
  EXPECT_EQ(threads.size(), 3u);
}

TEST_F(ParallelFor, RethrowsWhatARangeThrew) {
  at::set_num_threads(4);
  for (const std::int64_t bad : {0, 50, 99}) {
    const auto work = [&](std::int64_t begin, std::int64_t end) {
      if (begin <= bad && bad < end) throw std::runtime_error("bad");
    };
    EXPECT_THROW(parallel_for(100, work), std::runtime_error) << bad;
  }
}

}  // namespace
}  // namespace yoke
