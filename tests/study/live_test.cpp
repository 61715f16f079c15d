// A page that follows a run.
#include "yoke/study/report/live.h"

#include <arpa/inet.h>
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include <future>
#include <thread>

#include "tests/support/support.h"
#include "yoke/core/error.h"
#include "yoke/core/files/descriptor.h"

namespace yoke::study {
namespace {

using testing::AllOf;
using testing::EndsWith;
using testing::HasSubstr;
using testing::StartsWith;

Descriptor connect(int port) {
  Descriptor socket(::socket(AF_INET, SOCK_STREAM, 0));
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  address.sin_port = htons(static_cast<std::uint16_t>(port));
  EXPECT_EQ(::connect(socket.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address),
            0);
  return socket;
}

/// All that the server answers to `request`.
std::string ask(int port, const std::string& request) {
  const Descriptor socket = connect(port);
  ::send(socket.get(), request.data(), request.size(), 0);
  std::string answer;
  char bytes[4096];
  for (ssize_t count = 0; (count = ::recv(socket.get(), bytes, sizeof bytes, 0)) > 0;) {
    answer.append(bytes, static_cast<std::size_t>(count));
  }
  return answer;
}

/// All that it answers to a browser that asks for `path`.
std::string get(int port, const std::string& path) {
  return ask(port, fmt::format("GET {} HTTP/1.1\r\nHost: 127.0.0.1:{}\r\n\r\n", path, port));
}

/// A page served in a thread, until the test ends.
class Live : public testing::Test {
 protected:
  /// The port to ask.
  int begin(std::function<std::string()> page) {
    std::promise<std::string> ready;
    auto address = ready.get_future();
    serving_ = std::thread([&ready, this, page = std::move(page)] {
      serve_live({.oldest_seconds = 0,
                  .page = page,
                  .ready = [&](const std::string& at) { ready.set_value(at); },
                  .stop = &stop_});
    });
    const std::string url = address.get();
    EXPECT_THAT(url, testing::MatchesRegex("http://127.0.0.1:[0-9]+/"));
    return std::stoi(url.substr(url.rfind(':') + 1));
  }
  ~Live() override {
    stop_ = true;
    if (serving_.joinable()) serving_.join();
  }

  std::atomic<bool> stop_ = false;
  std::thread serving_;
};

TEST_F(Live, ServesThePageAnewEachTime) {
  std::atomic<int> count = 0;
  const int port = begin([&] { return fmt::format("page {}", ++count); });
  EXPECT_THAT(get(port, "/"), AllOf(StartsWith("HTTP/1.1 200 OK\r\n"), EndsWith("\r\npage 1")));
  EXPECT_THAT(get(port, "/"), EndsWith("\r\npage 2"));
  EXPECT_THAT(get(port, "/other"), StartsWith("HTTP/1.1 404"));
}

TEST_F(Live, ShowsWhatWentWrongAndGoesOn) {
  std::atomic<bool> fails = true;
  const int port = begin([&]() -> std::string {
    if (fails) throw Error("no <run>");
    return "page";
  });
  EXPECT_THAT(get(port, "/"), HasSubstr("no &lt;run&gt;"));
  fails = false;
  EXPECT_THAT(get(port, "/"), EndsWith("\r\npage"));
}

TEST_F(Live, SendsALargePageWhole) {
  const std::string page(3'000'000, 'x');
  const int port = begin([&] { return std::string(page); });
  EXPECT_THAT(get(port, "/").size(), testing::Gt(page.size()));
}

TEST_F(Live, AnswersOnlyWhoAsksForThisMachine) {
  const int port = begin([] { return std::string("page"); });
  const auto answer = [port](const std::string& headers) {
    return ask(port, "GET / HTTP/1.1\r\n" + headers + "\r\n");
  };
  for (const char* const host : {"127.0.0.1", "localhost:9000"}) {
    EXPECT_THAT(answer(fmt::format("Accept: */*\r\nhOsT:{}\r\n", host)), EndsWith("\r\npage"));
  }
  for (const char* const headers :
       {"", "Host: evil.example\r\n", "Host: 127.0.0.1.evil.example\r\n", "Host:\r\n",
        "Host: localhost\r\nHost: evil.example\r\n"}) {
    EXPECT_THAT(answer(headers), AllOf(StartsWith("HTTP/1.1 403"), testing::Not(HasSubstr("page"))))
        << headers;
  }
}

TEST_F(Live, IsNotHeldUpByAClientThatTakesItsTime) {
  const int port = begin([] { return std::string("page"); });
  const Descriptor silent = connect(port);
  std::atomic<bool> answered = false, gone = false;
  std::thread slow([&] {  // says a letter now and then, to whoever still listens
    Descriptor socket = connect(port);
    for (int i = 0; i < 200 && !answered; ++i) {
      if (::send(socket.get(), "G", 1, MSG_NOSIGNAL) != 1) socket = connect(port);
      std::this_thread::sleep_for(std::chrono::milliseconds(50));
    }
    gone = true;
  });
  std::this_thread::sleep_for(std::chrono::milliseconds(200));  // both are there first
  EXPECT_THAT(get(port, "/"), EndsWith("\r\npage"));
  EXPECT_FALSE(gone) << "answered only after the slow client had gone";
  answered = true;
  slow.join();
}

TEST_F(Live, HasABoundForItsThreads) {
  constexpr std::size_t kMost = 16;
  const int port = begin([] { return std::string("page"); });
  const std::size_t before = test::count_entries("/proc/self/task");
  std::vector<Descriptor> silent;
  for (std::size_t i = 0; i < 3 * kMost; ++i) silent.push_back(connect(port));
  for (int look = 0; look < 10; ++look) {
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
    EXPECT_LE(test::count_entries("/proc/self/task"), before + kMost);
  }
  silent.clear();
  EXPECT_THAT(get(port, "/"), EndsWith("\r\npage"));
}

TEST_F(Live, RefusesAPortThatIsTaken) {
  const int port = begin([] { return std::string("page"); });
  EXPECT_THROW(serve_live({.port = port, .page = {}, .ready = {}, .stop = &stop_}), UsageError);
}

}  // namespace
}  // namespace yoke::study
