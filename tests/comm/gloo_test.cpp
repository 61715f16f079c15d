// tests/comm/gloo_test.cpp: what Gloo sends while a peer is lost (a build with sanitizers sees what
// is freed), and whom its threads let first.
#include <dlfcn.h>
#include <gtest/gtest.h>
#include <sched.h>
#include <sys/uio.h>

#include <atomic>
#include <barrier>
#include <chrono>
#include <filesystem>
#include <set>
#include <thread>

#include "tests/support/ranks.h"
#include "yoke/comm/factory.h"
#include "yoke/core/error.h"

namespace yoke::test {
namespace {

std::atomic<int> g_late_writes{0};  // begun so far, by Gloo's threads; 0: none shall be late

using Write = ssize_t (*)(int, const iovec*, int);

}  // namespace
}  // namespace yoke::test

/// In place of the C library's: begins up to 5 ms late, always otherwise.
extern "C" __attribute__((visibility("default"))) ssize_t writev(int file, const iovec* parts,
                                                                 int count) {
  using yoke::test::g_late_writes;
  static const auto next = reinterpret_cast<yoke::test::Write>(dlsym(RTLD_NEXT, "writev"));
  if (const int number = g_late_writes; number > 0) {
    g_late_writes = number + 1;
    std::this_thread::sleep_for(std::chrono::microseconds(number * 7919 % 5000));
  }
  return next(file, parts, count);
}

namespace yoke::test {
namespace {

TEST(Gloo, SendsNothingThatWasFreedWhenARankIsLost) {
  g_late_writes = 1;
  for (int i = 0; i < 20; ++i) {
    run_ranks(3, [](const Group& group) {
      const auto comm = make_communicator("gloo", group);
      const torch::Tensor tensor = torch::ones({1000});
      comm->all_reduce(tensor);
      if (group.rank == 2) return;  // goes
      EXPECT_THROW(comm->all_reduce(tensor), CommError);
    });
  }
  EXPECT_GT(g_late_writes, 20) << "Gloo does not send by writev()";
  g_late_writes = 0;
}

std::set<int> threads_here() {
  std::set<int> threads;
  for (const auto& entry : std::filesystem::directory_iterator("/proc/self/task"))
    threads.insert(std::stoi(entry.path().filename()));
  return threads;
}

TEST(Gloo, TakesNoCoreFromAThreadThatComputes) {
  constexpr int kRanks = 2;
  std::barrier<> all(kRanks);
  run_ranks(kRanks, [&](const Group& group) {
    all.arrive_and_wait();
    const std::set<int> before = threads_here();
    const int policy = sched_getscheduler(0);
    all.arrive_and_wait();
    const auto comm = make_communicator("gloo", group);
    EXPECT_EQ(sched_getscheduler(0), policy) << "the rank's own thread is as it was";
    all.arrive_and_wait();
    int batch = 0;
    for (const int thread : threads_here())
      if (!before.contains(thread) && sched_getscheduler(thread) == SCHED_BATCH) ++batch;
    EXPECT_GE(batch, kRanks * 3) << "a listener and two senders of each rank";
    all.arrive_and_wait();
  });
}

}  // namespace
}  // namespace yoke::test
