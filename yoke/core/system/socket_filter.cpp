#include "yoke/core/system/socket_filter.h"

#include <arpa/inet.h>
#include <fmt/format.h>
#include <linux/filter.h>
#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdint>
#include <cstring>
#include <optional>
#include <utility>
#include <vector>

#include "yoke/core/error.h"
#include "yoke/core/system/network.h"

namespace yoke {
namespace {

using Program = std::vector<sock_filter>;  // of classic BPF, see bpf(4) and Linux's filter.rst

constexpr std::uint32_t kNetworkHeader = static_cast<std::uint32_t>(SKF_NET_OFF);
constexpr std::uint32_t kDestination4 = kNetworkHeader + 16, kDestination6 = kNetworkHeader + 24;
constexpr std::uint32_t kDrop = 0, kKeep = ~0U;

void add(Program& program, int code, std::uint32_t value, std::uint8_t jump_if = 0,
         std::uint8_t jump_else = 0) {
  program.push_back({static_cast<std::uint16_t>(code), jump_if, jump_else, value});
}

/// Drops the packet unless the word at `offset`, but for bits that `mask` lacks, is `value`.
void need(Program& program, std::uint32_t offset, std::uint32_t mask, std::uint32_t value) {
  add(program, BPF_LD | BPF_W | BPF_ABS, offset);
  add(program, BPF_ALU | BPF_AND | BPF_K, mask);
  add(program, BPF_JMP | BPF_JEQ | BPF_K, value, 1, 0);
  add(program, BPF_RET | BPF_K, kDrop);
}

/// What packets of IPv4, or else of IPv6, must have, and what happens to those of the other.
struct Addressed {
  std::optional<std::pair<std::uint32_t, std::uint32_t>> four;  // mask and value
  std::optional<std::array<std::uint32_t, 4>> six;
};

std::optional<Addressed> addressed_to(const std::string& address) {
  std::array<std::uint32_t, 4> words{};
  if (is_loopback_address(address) || address == "localhost") {
    return Addressed{.four = {{0xff000000, 0x7f000000}}, .six = {{0, 0, 0, 1}}};
  }
  const auto interfaces = network_interfaces();
  const bool own = std::any_of(interfaces.begin(), interfaces.end(),
                               [&](const auto& interface) { return interface.address == address; });
  if (!own) return std::nullopt;
  if (::inet_pton(AF_INET, address.c_str(), words.data()) == 1) {
    return Addressed{.four = {{~0U, ntohl(words[0])}}, .six = {}};
  }
  if (::inet_pton(AF_INET6, address.c_str(), words.data()) == 1) {
    for (auto& word : words) word = ntohl(word);
    return Addressed{.four = {}, .six = words};
  }
  return std::nullopt;
}

Program program_for(const Addressed& to) {
  Program six;
  for (std::uint32_t i = 0; to.six && i < to.six->size(); ++i) {
    need(six, kDestination6 + 4 * i, ~0U, (*to.six)[i]);
  }
  add(six, BPF_RET | BPF_K, to.six ? kKeep : kDrop);
  Program all;
  add(all, BPF_LD | BPF_B | BPF_ABS, kNetworkHeader);
  add(all, BPF_ALU | BPF_RSH | BPF_K, 4);
  add(all, BPF_JMP | BPF_JEQ | BPF_K, 4, static_cast<std::uint8_t>(six.size()), 0);
  all.insert(all.end(), six.begin(), six.end());
  if (to.four) need(all, kDestination4, to.four->first, to.four->second);
  add(all, BPF_RET | BPF_K, to.four ? kKeep : kDrop);
  return all;
}

}  // namespace

void accept_only_at(int socket, const std::string& address) {
  const auto to = addressed_to(address);
  if (!to) return;
  Program program = program_for(*to);
  const sock_fprog filter{.len = static_cast<std::uint16_t>(program.size()),
                          .filter = program.data()};
  if (::setsockopt(socket, SOL_SOCKET, SO_ATTACH_FILTER, &filter, sizeof filter) != 0) {
    throw Error(fmt::format("cannot keep strangers from a socket at {}: {}", address,
                            std::strerror(errno)));
  }
}

}  // namespace yoke
