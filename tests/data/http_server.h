// tests/data/http_server.h: an HTTP server on this machine that behaves as well or badly as told.
#pragma once
#include <arpa/inet.h>
#include <fmt/format.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <atomic>
#include <cstdio>
#include <functional>
#include <mutex>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

namespace yoke::test {

struct HttpRequest {
  std::string path;
  long range_start = -1;  ///< Of `Range: bytes=N-`, or -1.
  std::string text;       ///< The whole head.
};

struct HttpReply {
  int status = 200;
  std::string headers{};  ///< Whole lines, each ending with \r\n.
  std::string body{};
  std::size_t cut_after = std::string::npos;  ///< Closes after so many bytes of the body.
  bool stall = false;                         ///< Sends nothing more, but does not close.
  bool tell_length = true;
};

/// The reply of a good server that has `content`.
inline HttpReply serve(const HttpRequest& request, const std::string& content) {
  if (request.range_start < 0) return {.body = content};
  const auto start = static_cast<std::size_t>(request.range_start);
  if (start >= content.size()) return {.status = 416};
  return {.status = 206,
          .headers = fmt::format("Content-Range: bytes {}-{}/{}\r\n", start, content.size() - 1,
                                 content.size()),
          .body = content.substr(start)};
}

/// Answers requests on 127.0.0.1, one after the other, by what `handler` says.
class HttpServer {
 public:
  using Handler = std::function<HttpReply(const HttpRequest&)>;

  explicit HttpServer(Handler handler) : handler_(std::move(handler)) {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof address;
    auto* const generic = reinterpret_cast<sockaddr*>(&address);
    if (::bind(listener_, generic, size) != 0 || ::listen(listener_, 8) != 0 ||
        ::getsockname(listener_, generic, &size) != 0) {
      throw std::runtime_error("cannot listen on 127.0.0.1");
    }
    url_ = fmt::format("http://127.0.0.1:{}/", ntohs(address.sin_port));
    thread_ = std::thread([this] { run(); });
  }
  ~HttpServer() {
    stop_ = true;
    thread_.join();
    ::close(listener_);
  }
  HttpServer(const HttpServer&) = delete;
  HttpServer& operator=(const HttpServer&) = delete;

  const std::string& url() const { return url_; }  ///< Ends with '/'.
  std::vector<HttpRequest> requests() const {
    const std::scoped_lock lock(mutex_);
    return requests_;
  }

 private:
  void run() {
    while (!stop_) {
      if (!readable(listener_)) continue;
      const int connection = ::accept(listener_, nullptr, nullptr);
      if (connection < 0) continue;
      answer(connection);
      ::close(connection);
    }
  }

  static bool readable(int socket) {
    pollfd wait{.fd = socket, .events = POLLIN, .revents = 0};
    return ::poll(&wait, 1, 10) > 0;
  }

  void answer(int connection) {
    HttpRequest request;
    while (request.text.find("\r\n\r\n") == std::string::npos) {
      if (stop_) return;
      if (!readable(connection)) continue;
      char buffer[4096];
      const auto size = ::recv(connection, buffer, sizeof buffer, 0);
      if (size <= 0) return;
      request.text.append(buffer, static_cast<std::size_t>(size));
    }
    const auto space = request.text.find(' ');
    request.path = request.text.substr(space + 1, request.text.find(' ', space + 1) - space - 1);
    const auto range = request.text.find("Range: bytes=");
    if (range != std::string::npos)
      request.range_start = std::stol(request.text.substr(range + 13));
    {
      const std::scoped_lock lock(mutex_);
      requests_.push_back(request);
    }
    send(connection, handler_(request));
  }

  void send(int connection, const HttpReply& reply) {
    std::string text = fmt::format("HTTP/1.1 {} Status\r\nConnection: close\r\n", reply.status);
    if (reply.tell_length) text += fmt::format("Content-Length: {}\r\n", reply.body.size());
    text += reply.headers + "\r\n" + reply.body.substr(0, reply.cut_after);
    for (std::size_t sent = 0; sent < text.size();) {
      const auto size = ::send(connection, text.data() + sent, text.size() - sent, MSG_NOSIGNAL);
      if (size <= 0) return;
      sent += static_cast<std::size_t>(size);
    }
    while (reply.stall && !stop_ && !has_ended(connection)) {
    }
  }

  /// Whether the client has closed its end; waits a moment for that.
  static bool has_ended(int connection) {
    char end = 0;
    return readable(connection) && ::recv(connection, &end, 1, 0) <= 0;
  }

  Handler handler_;
  std::string url_;
  int listener_ = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  std::atomic<bool> stop_ = false;
  mutable std::mutex mutex_;
  std::vector<HttpRequest> requests_;
  std::thread thread_;
};

}  // namespace yoke::test
