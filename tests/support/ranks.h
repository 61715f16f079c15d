// tests/support/ranks.h: a group of ranks inside the test.
#pragma once
#include <exception>
#include <functional>
#include <string>
#include <thread>
#include <vector>

#include "yoke/comm/group.h"

namespace yoke::test {

/// The group of rank `rank` of `size` on this host.
inline Group local_group(std::shared_ptr<Store> store, int rank, int size) {
  Group group{.rank = rank, .size = size, .store = std::move(store)};
  group.peers.assign(static_cast<std::size_t>(size),
                     {.host = "here", .memory = "m", .network = "n", .address = "127.0.0.1"});
  group.timeout = std::chrono::seconds(120);
  return group;
}

/// Calls work(group) in a thread per rank. Rethrows what the first rank threw.
inline void run_ranks(int size, const std::function<void(const Group& group)>& work) {
  const auto store = local_store();
  std::vector<std::exception_ptr> failures(static_cast<std::size_t>(size));
  std::vector<std::thread> threads;
  for (int rank = 0; rank < size; ++rank) {
    threads.emplace_back([&, rank] {
      try {
        work(local_group(store, rank, size));
      } catch (...) {
        failures[static_cast<std::size_t>(rank)] = std::current_exception();
      }
    });
  }
  for (auto& thread : threads) thread.join();
  for (const auto& failure : failures) {
    if (failure) std::rethrow_exception(failure);
  }
}

}  // namespace yoke::test
