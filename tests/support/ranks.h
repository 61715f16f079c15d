// tests/support/ranks.h: a group of ranks inside the test.
#pragma once
#include <exception>
#include <functional>
#include <numeric>
#include <string>
#include <thread>
#include <vector>

#include "yoke/comm/rendezvous/group.h"

namespace yoke::test {

/// The group of rank `rank` on hosts that have so many ranks each, told apart as real ones are.
inline Group group_on(const std::vector<int>& hosts, std::shared_ptr<Store> store, int rank) {
  Group group{.rank = rank, .size = 0, .store = std::move(store)};
  for (std::size_t host = 0; host < hosts.size(); ++host) {
    const std::string name = "host" + std::to_string(host);
    for (int i = 0; i < hosts[host]; ++i) {
      group.peers.push_back({.rank = group.size++,
                             .host = name,
                             .memory = name,
                             .network = "n",
                             .address = "127.0.0.1"});
    }
  }
  group.timeout = std::chrono::seconds(120);
  return group;
}

/// Calls work(group) in a thread per rank of simulated hosts. Rethrows what the first rank threw.
inline void run_ranks(const std::vector<int>& hosts,
                      const std::function<void(const Group& group)>& work) {
  const auto store = local_store();
  const int size = std::accumulate(hosts.begin(), hosts.end(), 0);
  std::vector<std::exception_ptr> failures(static_cast<std::size_t>(size));
  std::vector<std::thread> threads;
  for (int rank = 0; rank < size; ++rank) {
    threads.emplace_back([&, rank] {
      try {
        work(group_on(hosts, store, rank));
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

/// The same with all ranks on one host.
inline void run_ranks(int size, const std::function<void(const Group& group)>& work) {
  run_ranks(std::vector<int>{size}, work);
}

}  // namespace yoke::test
