#include "yoke/comm/rendezvous/join.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "yoke/comm/received.h"
#include "yoke/comm/rendezvous/address.h"
#include "yoke/comm/rendezvous/card.h"
#include "yoke/comm/rendezvous/identity.h"
#include "yoke/comm/rendezvous/rendezvous.h"
#include "yoke/core/error.h"
#include "yoke/core/system/network.h"
#include "yoke/core/system/threads.h"
#include "yoke/core/version.h"

namespace yoke {
namespace {

std::string card_key(int rank) { return fmt::format("rank/{}", rank); }

Card own_card(const World& world, const StoreAddress& store) {
  return {.version = kVersion,
          .peer = {.rank = world.rank,
                   .host = host_name(),
                   .memory = memory_id(),
                   .network = network_id(),
                   .address = local_address(world.interface, store.host),
                   .cores = cpu_budget().cores}};
}

/// The cards of all ranks.
std::vector<Card> collect(Store& store, int size, std::chrono::milliseconds timeout) {
  std::vector<Card> cards;
  const auto deadline = std::chrono::steady_clock::now() + timeout;
  try {
    for (int rank = 0; rank < size; ++rank) {
      const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(
          deadline - std::chrono::steady_clock::now());
      cards.push_back(parse_card(
          store.get(card_key(rank), std::max(left, std::chrono::milliseconds(1))), rank));
    }
  } catch (const Garbled&) {
    throw;
  } catch (const CommError&) {
    std::vector<int> missing;
    for (int rank = 0; rank < size; ++rank) {
      if (!store.has(card_key(rank))) missing.push_back(rank);
    }
    throw CommError(fmt::format(
        "of {} ranks, {} did not come within {:.0f} s: {}; are they started, with the same "
        "MASTER_ADDR and MASTER_PORT?",
        size, missing.size(), std::chrono::duration<double>(timeout).count(),
        fmt::join(missing, ", ")));
  }
  return cards;
}

void check_versions(const std::vector<Card>& cards) {
  const Card& first = cards.front();
  for (const Card& card : cards) {
    if (card.version == first.version) continue;
    throw UsageError(fmt::format(
        "rank 0 (on {}) is yoke {} and rank {} (on {}) is yoke {}; install the same on all hosts",
        first.peer.host, first.version, card.peer.rank, card.peer.host, card.version));
  }
}

void check_addresses(const std::vector<Peer>& peers) {
  for (std::size_t rank = 0; rank < peers.size(); ++rank) {
    const Peer& peer = peers[rank];
    for (const Peer& other : peers) {
      if (!is_loopback_address(peer.address) || other.network == peer.network) continue;
      throw UsageError(fmt::format(
          "rank {} on {} has the address {}, which rank 0's host {} cannot reach: it is a loopback "
          "address; give MASTER_ADDR as an address that every host knows, or --network-interface",
          rank, peer.host, peer.address, other.host));
    }
  }
}

}  // namespace

Group join(const World& world, const Timeouts& timeouts) {
  if (world.size == 1) return {};
  StoreAddress address = world.store;
  const auto opened = address.host.empty() ? agreed_store(world, address, timeouts.join)
                                           : open_store(address, world.serves, timeouts.join);
  const auto store = below(opened, fmt::format("yoke/{}", world.restarts));
  if (store->add(card_key(world.rank) + "/claims", 1) > 1) {
    throw UsageError(
        fmt::format("there are two processes with rank {}; give each its own RANK, or "
                    "another MASTER_PORT to each run",
                    world.rank));
  }
  store->set(card_key(world.rank), to_text(own_card(world, address)));
  const auto cards = collect(*store, world.size, timeouts.join);
  check_versions(cards);
  Group group{.rank = world.rank,
              .size = world.size,
              .peers = {},
              .store = store,
              .timeout = timeouts.operation};
  for (const Card& card : cards) group.peers.push_back(card.peer);
  check_addresses(group.peers);
  return group;
}

}  // namespace yoke
