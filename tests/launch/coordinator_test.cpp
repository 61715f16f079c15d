// Who may talk to a coordinator that listens: whoever has its key, and nobody else.
#include "yoke/launch/rendezvous/coordinator.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <filesystem>
#include <optional>
#include <thread>
#include <vector>

#include "tests/launch/messages.h"
#include "tests/launch/sockets.h"
#include "tests/launch/tap.h"
#include "tests/support/support.h"
#include "yoke/core/files/descriptor.h"
#include "yoke/core/files/file.h"
#include "yoke/core/system/network.h"
#include "yoke/core/version.h"
#include "yoke/launch/network.h"

namespace yoke::launch {
namespace {

namespace fs = std::filesystem;
using namespace std::chrono_literals;
using testing::HasSubstr;

class Listening : public testing::Test {
 protected:
  /// An agent's socket; nullopt: it has no key at all.
  zmq::socket_t agent(const std::string& name, const std::optional<CurveKey>& key) {
    return agent_at(port_, name, key);
  }
  zmq::socket_t agent_at(int port, const std::string& name, const std::optional<CurveKey>& key) {
    zmq::socket_t socket(context_, zmq::socket_type::dealer);
    socket.set(zmq::sockopt::routing_id, name);
    socket.set(zmq::sockopt::linger, 0);
    if (key) connect_by_curve(socket, *key);
    socket.connect(tcp({.host = "127.0.0.1", .port = port}));
    return socket;
  }

  /// What the coordinator answers to a Join in `wait`.
  std::optional<Message> join(zmq::socket_t& socket, int node_rank, std::chrono::seconds wait) {
    const Join words{.run = "r",
                     .version = kVersion,
                     .host = "h",
                     .address = "127.0.0.1",
                     .node_rank = node_rank,
                     .store = {20000, ""}};
    socket.send(zmq::buffer(encode(words)), zmq::send_flags::dontwait);
    const auto end = std::chrono::steady_clock::now() + wait;
    zmq::message_t answer;
    while (std::chrono::steady_clock::now() < end) {
      work();
      if (socket.recv(answer, zmq::recv_flags::dontwait)) return decode(answer.to_string_view());
    }
    return std::nullopt;
  }

  void work() {
    loop_.step(10ms);
    coordinator_.tick();
  }

  void expect_to_serve_agents() {
    auto socket = agent("own", key_);
    const auto answer = join(socket, 0, 60s);
    ASSERT_TRUE(answer);
    EXPECT_TRUE(std::holds_alternative<Welcome>(*answer)) << encode(*answer);
    EXPECT_THAT(coordinator_.rounds().agents(), testing::ElementsAre("own"));
  }

  EventLoop loop_;
  zmq::context_t context_;
  const CurveKey key_ = new_curve_key();
  Coordinator coordinator_{
      loop_,
      context_,
      {.run = "r", .name = "n", .nodes = {.least = 2, .most = 2}, .master_addr = {}, .hosts = {}},
      [](const std::string&) {},
      [](int) {}};
  const int port_ = coordinator_.listen("tcp://127.0.0.1:*", key_);
};

TEST_F(Listening, WelcomesAnAgentWithItsKey) { expect_to_serve_agents(); }

TEST_F(Listening, IsDeafToWhoHasNoKeyOrAnother) {
  const CurveKey other = new_curve_key();
  // Who knows where to knock, since it has seen the public key, but not the secret one.
  const CurveKey half{.public_key = key_.public_key, .secret_key = other.secret_key};
  for (const std::optional<CurveKey>& key : {std::optional<CurveKey>(), {other}, {half}}) {
    auto stranger = agent("stranger", key);
    EXPECT_FALSE(join(stranger, 0, 1s));
    EXPECT_TRUE(coordinator_.rounds().agents().empty());
  }
  expect_to_serve_agents();
}

TEST_F(Listening, LetsInNobodyWhoOnlyKnowsItsPublicKey) {
  const CurveKey other = new_curve_key();
  zmq::socket_t stranger(context_, zmq::socket_type::dealer);
  stranger.set(zmq::sockopt::linger, 0);
  stranger.set(zmq::sockopt::curve_serverkey, key_.public_key);
  stranger.set(zmq::sockopt::curve_publickey, other.public_key);
  stranger.set(zmq::sockopt::curve_secretkey, other.secret_key);
  stranger.connect(tcp({.host = "127.0.0.1", .port = port_}));
  EXPECT_FALSE(join(stranger, 0, 1s));
  EXPECT_TRUE(coordinator_.rounds().agents().empty());
  expect_to_serve_agents();
}

TEST_F(Listening, StandsWhateverStrangersSend) {
  std::vector<Descriptor> silent;
  for (int i = 0; i < 100; ++i) silent.push_back(test::connect_to_loopback(port_));
  std::array<char, 1 << 16> rubbish;
  rubbish.fill('\x7f');
  const std::string greeting("\xff\0\0\0\0\0\0\0\1\x7f\3\0", 12);  // how ZeroMQ begins
  for (const bool greets : {false, true}) {
    const Descriptor stranger = test::connect_to_loopback(port_);
    if (greets) ::send(stranger.get(), greeting.data(), greeting.size(), MSG_NOSIGNAL);
    for (int i = 0; i < 400; ++i) {  // 25 MiB, or less where it hangs up
      ::send(stranger.get(), rubbish.data(), rubbish.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
      work();
    }
  }
  expect_to_serve_agents();
}

TEST_F(Listening, CannotBeUnderstoodByWhoSeesTheWire) {
  const test::Tap tap(port_);
  auto socket = agent_at(tap.port(), "own", key_);
  const auto answer = join(socket, 0, 60s);
  ASSERT_TRUE(answer);
  const std::string heard = tap.heard();
  EXPECT_THAT(heard, HasSubstr("CURVE"));
  // What both have said: the agent its address, the coordinator its name.
  for (const char* words : {"127.0.0.1", "node_rank", "\"name\"", kVersion}) {
    EXPECT_THAT(heard, testing::Not(HasSubstr(words)));
  }
}

/// The error of kept_curve_key().
std::string refusal(const fs::path& file) {
  try {
    kept_curve_key(file, [] {});
  } catch (const UsageError& error) {
    return error.what();
  }
  return "no error";
}

TEST(CurveKey, IsMadeOnceAndKeptFromOthers) {
  const test::TemporaryDirectory folder;
  const auto file = folder.path() / "new" / "key";
  int made = 0;
  const auto first = kept_curve_key(file, [&] { ++made; });
  const auto second = kept_curve_key(file, [&] { ++made; });
  EXPECT_EQ(made, 1);
  EXPECT_EQ(first.secret_key, second.secret_key);
  EXPECT_EQ(first.public_key, second.public_key);
  EXPECT_EQ(fs::status(file).permissions(), fs::perms::owner_read | fs::perms::owner_write);
  EXPECT_EQ(test::count_entries(file.parent_path()), 1U);
  EXPECT_THAT(read_file(file), testing::MatchesRegex("[0-9a-f]{64}\n"));
}

TEST(CurveKey, IsTheSameForAllWhoMakeItAtOnce) {
  const test::TemporaryDirectory folder;
  std::array<std::string, 8> secrets;
  std::vector<std::jthread> threads;
  for (auto& secret : secrets) {
    threads.emplace_back([&] { secret = kept_curve_key(folder.path() / "key", [] {}).secret_key; });
  }
  threads.clear();
  EXPECT_THAT(secrets, testing::Each(secrets[0]));
}

TEST(CurveKey, OfAnotherUserIsRefused) {
  const test::TemporaryDirectory folder;
  const auto file = folder.path() / "key";
  kept_curve_key(file, [] {});
  if (::chown(file.c_str(), 1, static_cast<gid_t>(-1)) != 0) {
    GTEST_SKIP() << "needs root, who may give files away";
  }
  EXPECT_THAT(refusal(file), HasSubstr("is of user 1"));
}

TEST(CurveKey, IsRefusedWhereOthersMayReadItAndWhereItIsNone) {
  const test::TemporaryDirectory folder;
  const auto file = folder.path() / "key";
  kept_curve_key(file, [] {});
  fs::permissions(file, fs::perms::others_read, fs::perm_options::add);
  EXPECT_THAT(refusal(file), HasSubstr("chmod 600 " + file.string()));
  fs::permissions(file, fs::perms::owner_read | fs::perms::owner_write);
  const std::vector<std::string> none = {"", "f00", "no such digits", std::string(64, 'g')};
  for (const auto& text : none) {
    write_file(file, text);
    fs::permissions(file, fs::perms::owner_read | fs::perms::owner_write);
    EXPECT_THAT(refusal(file), HasSubstr("64 hexadecimal digits")) << text;
  }
}

}  // namespace
}  // namespace yoke::launch
