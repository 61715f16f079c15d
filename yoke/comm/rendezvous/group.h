// yoke/comm/rendezvous/group.h: who is in a group of ranks, and how they find each other.
#pragma once
#include <chrono>
#include <memory>
#include <string>
#include <vector>

#include "yoke/comm/rendezvous/store.h"

namespace yoke {

/// One rank, as the others see it.
struct Peer {
  int rank = 0;                 ///< In the run: that of the group from join().
  std::string host;             ///< Its host's name.
  std::string memory;           ///< Equal where ranks share /dev/shm: one kernel, one mount.
  std::string network;          ///< Equal where they share a loopback interface.
  std::string address;          ///< Of the network interface that it uses: `10.0.0.5`.
  std::vector<int> cores = {};  ///< That it may run on, ascending.
};

/// What a communicator is made from.
struct Group {
  int rank = 0;
  int size = 1;
  std::vector<Peer> peers = {};            ///< By rank.
  std::shared_ptr<Store> store = nullptr;  ///< Of this group alone; null in a group of one.
  /// How long an operation may wait for another rank.
  std::chrono::milliseconds timeout = std::chrono::minutes(10);

  /// The ranks that share this one's memory, ascending, itself among them.
  std::vector<int> neighbours() const;
  bool one_host() const { return static_cast<int>(neighbours().size()) == size; }
  /// The group of some of its ranks, ascending, this rank among them; `name` is its own among the
  /// groups made of this one.
  Group part(const std::vector<int>& ranks, const std::string& name) const;
};

}  // namespace yoke
