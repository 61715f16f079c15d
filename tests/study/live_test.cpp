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

/// All that the server answers to a browser that asks for `path`.
std::string get(int port, const std::string& path) {
  const Descriptor socket(::socket(AF_INET, SOCK_STREAM, 0));
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  address.sin_port = htons(static_cast<std::uint16_t>(port));
  ::connect(socket.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address);
  const std::string request = fmt::format("GET {} HTTP/1.1\r\nHost: here\r\n\r\n", path);
  ::send(socket.get(), request.data(), request.size(), 0);
  std::string answer;
  char bytes[4096];
  for (ssize_t count = 0; (count = ::recv(socket.get(), bytes, sizeof bytes, 0)) > 0;) {
    answer.append(bytes, static_cast<std::size_t>(count));
  }
  return answer;
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
  const int port = begin([&] { return page; });
  EXPECT_THAT(get(port, "/").size(), testing::Gt(page.size()));
}

TEST_F(Live, RefusesAPortThatIsTaken) {
  const int port = begin([] { return std::string("page"); });
  EXPECT_THROW(serve_live({.port = port, .page = {}, .ready = {}, .stop = &stop_}), UsageError);
}

}  // namespace
}  // namespace yoke::study
