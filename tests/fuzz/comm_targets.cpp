// What ranks read of each other, from their store and as they announce what they do.
#include <chrono>
#include <cstring>
#include <filesystem>
#include <stdexcept>

#include "tests/fuzz/target.h"
#include "yoke/comm/communicators/c10d.h"
#include "yoke/comm/liveness.h"
#include "yoke/comm/rendezvous/card.h"
#include "yoke/comm/shared/segment.h"
#include "yoke/comm/signature.h"
#include "yoke/core/version.h"

namespace yoke::test {
namespace {

void read_store_value(const std::string& bytes) {
  const auto store = local_store();
  c10d_store(*store)->set("value", std::vector<std::uint8_t>(bytes.begin(), bytes.end()));
  store->get("value", std::chrono::seconds(1));
}

std::string some_card() {
  return to_text({.version = kVersion,
                  .peer = {.rank = 1,
                           .host = "node-1",
                           .memory = "3f1e:27",
                           .network = "3f1e:net:[4026531840]",
                           .address = "10.0.0.5",
                           .cores = {0, 1, 6, 7}}});
}

std::string some_beat() {
  return to_text({.number = 12,
                  .time = 1.7e9,
                  .left = false,
                  .position = {.step = 17, .operations = 122, .operation = "broadcast of 4 B"}});
}

/// What is taken for a name is that of a file right in /dev/shm, for the system too.
void read_segment_name(const std::string& bytes) {
  shared::check_segment_name(bytes);
  const std::filesystem::path path = "/dev/shm" + bytes;
  if (path.lexically_normal().parent_path() != "/dev/shm" ||
      std::strlen(path.c_str()) != path.native().size()) {
    throw std::logic_error("the name leads elsewhere");
  }
}

std::string bytes_of(const std::vector<Signature>& signatures) {
  return {reinterpret_cast<const char*>(signatures.data()), signatures.size() * sizeof(Signature)};
}

/// Of ranks that meet in shared memory, or send to each other.
void read_signatures(const std::string& bytes) {
  std::vector<Signature> signatures(bytes.size() / sizeof(Signature));
  if (signatures.empty()) return;
  std::memcpy(signatures.data(), bytes.data(), signatures.size() * sizeof(Signature));
  if (signatures.size() > 1) check_sent(signatures[0], signatures[1], 1);
  check_same(signatures);
}

}  // namespace

std::vector<FuzzTarget> comm_targets() {
  const Signature broadcast{.kind = 3, .dtype = 6, .elements = 10, .peer = 1};
  return {
      {"store_value", {"=", "=text"}, read_store_value},
      {"rank_card",
       {some_card(), R"({"version": "99.0", "host": "node-2"})"},
       [](const std::string& bytes) { to_text(parse_card(bytes, 1)); }},
      {"rank_beat", {some_beat()}, [](const std::string& bytes) { to_text(parse_beat(bytes, 1)); }},
      {"segment_name", {"/yoke-0123456789abcdef"}, read_segment_name},
      {"signatures", {bytes_of({broadcast, broadcast, broadcast})}, read_signatures}};
}

}  // namespace yoke::test
