#include "yoke/study/report/live.h"

#include <arpa/inet.h>
#include <fmt/format.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>

#include <cerrno>
#include <cstring>
#include <exception>
#include <string_view>

#include "yoke/core/error.h"
#include "yoke/core/files/descriptor.h"
#include "yoke/core/system/clock.h"
#include "yoke/study/report/html.h"

namespace yoke::study {
namespace {

constexpr int kPatienceMilliseconds = 2000;  // for a browser that says nothing, or takes nothing

bool comes(int socket, short what, int milliseconds) {
  pollfd waiting{.fd = socket, .events = what, .revents = 0};
  return ::poll(&waiting, 1, milliseconds) > 0;
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

/// The first line of a request, once its head has come; empty when it does not.
std::string request_line(int socket) {
  constexpr std::size_t kMostBytes = 16384;
  std::string head;
  char bytes[2048];
  while (head.find("\r\n\r\n") == std::string::npos) {
    if (head.size() > kMostBytes || !comes(socket, POLLIN, kPatienceMilliseconds)) return "";
    const auto count = ::recv(socket, bytes, sizeof bytes, 0);
    if (count <= 0) return "";
    head.append(bytes, static_cast<std::size_t>(count));
  }
  return head.substr(0, head.find("\r\n"));
}

void send_all(int socket, std::string_view bytes) {
  while (!bytes.empty() && comes(socket, POLLOUT, kPatienceMilliseconds)) {
    const auto count = ::send(socket, bytes.data(), bytes.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
    if (count <= 0) return;
    bytes.remove_prefix(static_cast<std::size_t>(count));
  }
}

std::string response(const char* status, const std::string& page) {
  return fmt::format(
      "HTTP/1.1 {}\r\nContent-Type: text/html; charset=utf-8\r\nContent-Length: {}\r\n"
      "Cache-Control: no-store\r\nConnection: close\r\n\r\n{}",
      status, page.size(), page);
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

}  // namespace

void serve_live(const LiveOptions& options) {
  const Descriptor listening = listen_here(options.port);
  options.ready(fmt::format("http://127.0.0.1:{}/", port_of(listening.get())));
  std::string page;
  Stopwatch age;
  while (!*options.stop) {
    if (!comes(listening.get(), POLLIN, 100)) continue;
    const Descriptor browser(::accept4(listening.get(), nullptr, nullptr, SOCK_CLOEXEC));
    const std::string line = request_line(browser.get());
    if (line.starts_with("GET / ")) {
      if (page.empty() || age.seconds() >= options.oldest_seconds) {
        page = make(options);
        age = Stopwatch();
      }
      send_all(browser.get(), response("200 OK", page));
    } else if (!line.empty()) {
      send_all(browser.get(), response("404 Not Found", "There is only /.\n"));
    }
  }
}

}  // namespace yoke::study
