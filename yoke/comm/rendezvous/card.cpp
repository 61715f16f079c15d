#include "yoke/comm/rendezvous/card.h"

#include <fmt/format.h>

#include <vector>

#include "yoke/comm/received.h"
#include "yoke/core/version.h"

namespace yoke {
namespace {

std::vector<int> cores_from(const nlohmann::json& json) {
  constexpr int kHighestCore = 1 << 20;
  std::vector<int> cores;
  std::int64_t least = 0;
  for (const auto& core : json.get_ref<const nlohmann::json::array_t&>()) {
    cores.push_back(static_cast<int>(whole_number(core, least, kHighestCore)));
    least = cores.back() + 1;  // they ascend
  }
  return cores;
}

}  // namespace

std::string to_text(const Card& card) {
  const Peer& peer = card.peer;
  return nlohmann::json{{"host", peer.host},       {"memory", peer.memory},
                        {"network", peer.network}, {"address", peer.address},
                        {"cores", peer.cores},     {"version", card.version}}
      .dump();
}

Card parse_card(const std::string& text, int rank) {
  const auto what = fmt::format("rank {} does not say in the ranks' store who it is", rank);
  return read_received(text, what, [rank](const nlohmann::json& json) {
    Card card;
    card.version = json.at("version").get<std::string>();
    card.peer.rank = rank;
    card.peer.host = json.at("host").get<std::string>();
    if (card.version != kVersion) return card;  // which may say other things
    card.peer.memory = json.at("memory").get<std::string>();
    card.peer.network = json.at("network").get<std::string>();
    card.peer.address = json.at("address").get<std::string>();
    card.peer.cores = cores_from(json.at("cores"));
    return card;
  });
}

}  // namespace yoke
