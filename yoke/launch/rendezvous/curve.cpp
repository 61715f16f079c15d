#include "yoke/launch/rendezvous/curve.h"

#include <array>
#include <cstdint>
#include <vector>

namespace yoke::launch {
namespace {

/// The 32 bytes that Z85 writes so.
std::string binary(const std::string& text) {
  std::array<std::uint8_t, 32> bytes{};
  ::zmq_z85_decode(bytes.data(), text.c_str());
  return {bytes.begin(), bytes.end()};
}

}  // namespace

void serve_by_curve(zmq::socket_t& socket, const CurveKey& key) {
  socket.set(zmq::sockopt::curve_server, true);
  socket.set(zmq::sockopt::curve_publickey, key.public_key);
  socket.set(zmq::sockopt::curve_secretkey, key.secret_key);
  socket.set(zmq::sockopt::zap_domain, "yoke");  // without one, nobody asks the guard
}

void connect_by_curve(zmq::socket_t& socket, const CurveKey& key) {
  socket.set(zmq::sockopt::curve_serverkey, key.public_key);
  socket.set(zmq::sockopt::curve_publickey, key.public_key);
  socket.set(zmq::sockopt::curve_secretkey, key.secret_key);
}

CurveGuard::CurveGuard(EventLoop& loop, zmq::context_t& context, const CurveKey& key)
    : loop_(loop), socket_(context, zmq::socket_type::rep), allowed_(binary(key.public_key)) {
  socket_.bind("inproc://zeromq.zap.01");
  loop_.watch(socket_, [this] { answer(); });
}

CurveGuard::~CurveGuard() { loop_.forget(socket_); }

void CurveGuard::answer() {
  // Version, request, domain, address, identity, mechanism, credentials.
  constexpr std::size_t kParts = 7, kVersion = 0, kRequest = 1, kMechanism = 5, kCredentials = 6;
  zmq::message_t part;
  while (socket_.recv(part, zmq::recv_flags::dontwait)) {
    std::vector<std::string> parts = {part.to_string()};
    while (part.more() && socket_.recv(part)) parts.push_back(part.to_string());
    if (parts.size() < 2) parts.resize(2);
    const bool allowed =
        parts.size() == kParts && parts[kMechanism] == "CURVE" && parts[kCredentials] == allowed_;
    const std::array<std::string, 6> reply = {
        parts[kVersion], parts[kRequest], allowed ? "200" : "400", "", "", ""};
    for (std::size_t i = 0; i < reply.size(); ++i) {
      const auto more = i + 1 < reply.size() ? zmq::send_flags::sndmore : zmq::send_flags::none;
      socket_.send(zmq::buffer(reply[i]), more);
    }
  }
}

}  // namespace yoke::launch
