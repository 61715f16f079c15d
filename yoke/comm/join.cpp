#include "yoke/comm/join.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <system_error>

#include "yoke/comm/address.h"
#include "yoke/core/error.h"
#include "yoke/core/file.h"
#include "yoke/core/threads.h"
#include "yoke/core/version.h"

namespace yoke {
namespace {

using Json = nlohmann::json;

std::string host_name() {
  std::array<char, 256> name{};
  return ::gethostname(name.data(), name.size() - 1) == 0 ? name.data() : "?";
}

std::string boot_id() { return read_file("/proc/sys/kernel/random/boot_id").substr(0, 36); }

/// A mount of /dev/shm has a device number of its own, in each container too.
std::string memory_id() {
  struct stat status {};
  const bool there = ::stat("/dev/shm", &status) == 0;
  return fmt::format("{}:{}", boot_id(), there ? static_cast<long>(status.st_dev) : ::getpid());
}

std::string network_id() {
  std::error_code error;
  const auto space = std::filesystem::read_symlink("/proc/self/ns/net", error);
  return fmt::format("{}:{}", boot_id(), space.string());
}

std::string key(int rank) { return fmt::format("rank/{}", rank); }

Json card(const World& world) {
  return {{"host", host_name()},
          {"memory", memory_id()},
          {"network", network_id()},
          {"address", local_address(world.interface, world.store.host, world.store.port)},
          {"cores", cpu_budget().cores},
          {"version", kVersion}};
}

/// The cards of all ranks.
std::vector<Json> collect(Store& store, int size, std::chrono::milliseconds patience) {
  std::vector<Json> cards;
  const auto deadline = std::chrono::steady_clock::now() + patience;
  try {
    for (int rank = 0; rank < size; ++rank) {
      const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(
          deadline - std::chrono::steady_clock::now());
      cards.push_back(
          Json::parse(store.get(key(rank), std::max(left, std::chrono::milliseconds(1)))));
    }
  } catch (const CommError&) {
    std::vector<int> missing;
    for (int rank = 0; rank < size; ++rank) {
      if (!store.has(key(rank))) missing.push_back(rank);
    }
    throw CommError(fmt::format(
        "of {} ranks, {} did not come within {:.0f} s: {}; are they started, with the same "
        "MASTER_ADDR and MASTER_PORT?",
        size, missing.size(), std::chrono::duration<double>(patience).count(),
        fmt::join(missing, ", ")));
  }
  return cards;
}

void check_versions(const std::vector<Json>& cards) {
  for (std::size_t rank = 1; rank < cards.size(); ++rank) {
    if (cards[rank].at("version") == cards[0].at("version")) continue;
    throw UsageError(fmt::format(
        "rank 0 (on {}) is yoke {} and rank {} (on {}) is yoke {}; install the same on all hosts",
        cards[0].at("host").get<std::string>(), cards[0].at("version").get<std::string>(), rank,
        cards[rank].at("host").get<std::string>(), cards[rank].at("version").get<std::string>()));
  }
}

void check_addresses(const std::vector<Peer>& peers) {
  for (std::size_t rank = 0; rank < peers.size(); ++rank) {
    const Peer& peer = peers[rank];
    for (const Peer& other : peers) {
      if (!is_loopback(peer.address) || other.network == peer.network) continue;
      throw UsageError(fmt::format(
          "rank {} on {} has the address {}, which rank 0's host {} cannot reach: it is a loopback "
          "address; give MASTER_ADDR as an address that every host knows, or --network-interface",
          rank, peer.host, peer.address, other.host));
    }
  }
}

}  // namespace

Group join(const World& world, const Patience& patience) {
  if (world.size == 1) return {};
  StoreAddress address = world.store;
  const auto opened = open_store(address, world.serves, patience.join);
  const auto store = below(opened, fmt::format("yoke/{}", world.restarts));
  if (store->add(key(world.rank) + "/claims", 1) > 1) {
    throw UsageError(
        fmt::format("there are two processes with rank {}; give each its own RANK, or "
                    "another MASTER_PORT to each run",
                    world.rank));
  }
  store->set(key(world.rank), card(world).dump());
  const auto cards = collect(*store, world.size, patience.join);
  check_versions(cards);
  Group group{.rank = world.rank,
              .size = world.size,
              .peers = {},
              .store = store,
              .timeout = patience.operation};
  for (const auto& card : cards) {
    group.peers.push_back({card.at("host"), card.at("memory"), card.at("network"),
                           card.at("address"), card.at("cores")});
  }
  check_addresses(group.peers);
  return group;
}

}  // namespace yoke
