#include "yoke/study/report/live.h"

#include <arpa/inet.h>
#include <fmt/format.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>

#include <algorithm>
#include <cctype>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <exception>
#include <future>
#include <memory>
#include <mutex>
#include <string_view>
#include <vector>

#include "yoke/core/error.h"
#include "yoke/core/files/descriptor.h"
#include "yoke/core/split.h"
#include "yoke/core/system/clock.h"
#include "yoke/study/report/html.h"

namespace yoke::study {
namespace {

constexpr double kHeadSeconds = 2;         // in which a browser says what it wants
constexpr double kPageSeconds = 60;        // and takes a page: through a tunnel it may be slow
constexpr std::size_t kMostBrowsers = 16;  // at once, a thread each; others wait

/// Waits a tenth of a second at most, so that a signal to stop is seen.
bool is_ready(int socket, short what) {
  pollfd waiting{.fd = socket, .events = what, .revents = 0};
  return ::poll(&waiting, 1, 100) > 0;
}

Descriptor listen_here(int port) {
  Descriptor socket(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  const int yes = 1;
  ::setsockopt(socket.get(), SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  address.sin_port = htons(static_cast<std::uint16_t>(port));
  if (::bind(socket.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0 ||
      ::listen(socket.get(), SOMAXCONN) != 0) {
    throw UsageError(
        fmt::format("cannot serve on port {} of 127.0.0.1: {}; give another --port, or 0 for any",
                    port, std::strerror(errno)));
  }
  return socket;
}

int port_of(int socket) {
  sockaddr_in address{};
  socklen_t size = sizeof address;
  ::getsockname(socket, reinterpret_cast<sockaddr*>(&address), &size);
  return ntohs(address.sin_port);
}

/// A connection to a browser, which may be anyone: all of it together has a limit of time.
class Browser {
 public:
  Browser(int listening, const std::atomic<bool>& stop)
      : socket_(::accept4(listening, nullptr, nullptr, SOCK_CLOEXEC)), stop_(stop) {}

  /// The head of its request; empty when none comes in time.
  std::string head() {
    constexpr std::size_t kMostBytes = 16384;
    const Stopwatch watch;
    std::string head;
    char bytes[2048];
    while (head.find("\r\n\r\n") == std::string::npos) {
      if (head.size() > kMostBytes || !comes(POLLIN, kHeadSeconds - watch.seconds())) return "";
      const auto count = ::recv(socket_.get(), bytes, sizeof bytes, MSG_DONTWAIT);
      if (count <= 0) return "";
      head.append(bytes, static_cast<std::size_t>(count));
    }
    return head.substr(0, head.find("\r\n\r\n"));
  }

  void answer(const char* status, std::string_view page) {
    send(fmt::format(
        "HTTP/1.1 {}\r\nContent-Type: text/html; charset=utf-8\r\nContent-Length: {}\r\n"
        "Cache-Control: no-store\r\nConnection: close\r\n\r\n{}",
        status, page.size(), page));
  }

 private:
  void send(std::string_view bytes) {
    const Stopwatch watch;
    while (!bytes.empty() && comes(POLLOUT, kPageSeconds - watch.seconds())) {
      const auto count =
          ::send(socket_.get(), bytes.data(), bytes.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
      if (count <= 0) return;
      bytes.remove_prefix(static_cast<std::size_t>(count));
    }
  }

  bool comes(short what, double seconds) const {
    const Stopwatch watch;
    while (!stop_ && watch.seconds() < seconds) {
      if (is_ready(socket_.get(), what)) return true;
    }
    return false;
  }

  Descriptor socket_;
  const std::atomic<bool>& stop_;
};

/// Whether a request names this machine. A page of the network whose own name was made to lead here
/// (DNS rebinding) names itself.
bool asks_this_machine(std::string_view head) {
  std::vector<std::string> hosts;
  for (const auto line : split(head, '\n')) {
    const auto colon = line.find(':');
    std::string name(line.substr(0, colon));
    std::transform(name.begin(), name.end(), name.begin(),
                   [](unsigned char letter) { return std::tolower(letter); });
    if (colon == std::string_view::npos || name != "host") continue;
    auto host = line.substr(colon + 1);
    host.remove_prefix(std::min(host.find_first_not_of(" \t"), host.size()));
    hosts.emplace_back(host.substr(0, host.find_first_of(": \t\r")));  // a tunnel has its own port
  }
  return hosts.size() == 1 && (hosts[0] == "127.0.0.1" || hosts[0] == "localhost");
}

std::string make(const LiveOptions& options) {
  try {
    return options.page();
  } catch (const std::exception& error) {
    return fmt::format(
        "<!DOCTYPE html><meta http-equiv=\"refresh\" content=\"3\"><title>yoke</title><p>{}</p>\n",
        html_text(error.what()));
  }
}

/// The page, made anew when it is old.
class Page {
 public:
  explicit Page(const LiveOptions& options) : options_(options) {}

  std::string get() {
    const std::lock_guard lock(mutex_);
    if (page_.empty() || age_.seconds() >= options_.oldest_seconds) {
      page_ = make(options_);
      age_ = Stopwatch();
    }
    return page_;
  }

 private:
  const LiveOptions& options_;
  std::mutex mutex_;
  std::string page_;
  Stopwatch age_;
};

void answer(Browser& browser, Page& page) {
  const std::string head = browser.head();
  if (head.empty()) return;
  if (!asks_this_machine(head)) {
    browser.answer("403 Forbidden", "Ask for it as http://127.0.0.1 or http://localhost.\n");
  } else if (!head.starts_with("GET / ")) {
    browser.answer("404 Not Found", "There is only /.\n");
  } else {
    browser.answer("200 OK", page.get());
  }
}

}  // namespace

void serve_live(const LiveOptions& options) {
  const Descriptor listening = listen_here(options.port);
  options.ready(fmt::format("http://127.0.0.1:{}/", port_of(listening.get())));
  Page page(options);
  std::vector<std::future<void>> answers;  // the destructors wait
  while (!*options.stop) {
    std::erase_if(answers, [](const auto& done) {
      return done.wait_for(std::chrono::seconds(0)) == std::future_status::ready;
    });
    if (answers.size() >= kMostBrowsers) {
      answers.front().wait_for(std::chrono::milliseconds(100));
    } else if (is_ready(listening.get(), POLLIN)) {
      auto browser = std::make_unique<Browser>(listening.get(), *options.stop);
      answers.push_back(std::async(std::launch::async,
                                   [&page, own = std::move(browser)] { answer(*own, page); }));
    }
  }
}

}  // namespace yoke::study
