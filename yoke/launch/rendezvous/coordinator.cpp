#include "yoke/launch/rendezvous/coordinator.h"

#include <fmt/format.h>

#include <cerrno>
#include <utility>

#include "yoke/core/parse_number.h"

namespace yoke::launch {
namespace {

constexpr int kLingerMilliseconds = 1000;

}  // namespace

Coordinator::Coordinator(EventLoop& loop, zmq::context_t& context, const RoundsOptions& options,
                         std::function<void(const std::string&)> say,
                         std::function<void(int node_rank)> lost)
    : loop_(loop),
      context_(context),
      socket_(context, zmq::socket_type::router),
      heartbeat_timeout_(options.heartbeat_timeout),
      rounds_(options,
              {.send = [this](const std::string& agent, const Message& m) { send(agent, m); },
               .say = std::move(say),
               .lost = std::move(lost)},
              Rounds::Clock::now()) {
  socket_.set(zmq::sockopt::router_handover, true);  // an agent that reconnects keeps its name
  socket_.set(zmq::sockopt::ipv6, true);
  socket_.set(zmq::sockopt::maxmsgsize, kMostMessageBytes);
  socket_.set(zmq::sockopt::linger, kLingerMilliseconds);
  socket_.bind(kInsideEndpoint);
  loop_.watch(socket_, [this] { receive(); });
}

Coordinator::~Coordinator() { loop_.forget(socket_); }

int Coordinator::listen(const std::string& endpoint, const CurveKey& key) {
  if (!guard_) {
    guard_.emplace(loop_, context_, key);
    serve_by_curve(socket_, key);
  }
  try {
    socket_.bind(endpoint);
  } catch (const zmq::error_t& error) {
    if (error.num() == EADDRINUSE) {
      throw PortTaken(fmt::format(
          "cannot listen at {}: another program has the port, perhaps another yoke run; see it by "
          "ss -ltnp, or give another port by --rdzv-endpoint HOST:PORT on each host",
          endpoint));
    }
    throw Error(fmt::format("cannot listen at {}: {}; is this an address of this host?", endpoint,
                            error.what()));
  }
  const std::string bound = socket_.get(zmq::sockopt::last_endpoint);
  return parse_number<int>(std::string_view(bound).substr(bound.rfind(':') + 1)).value_or(0);
}

void Coordinator::receive() {
  zmq::message_t agent, text;
  while (socket_.recv(agent, zmq::recv_flags::dontwait)) {
    bool whole = false;
    while (agent.more()) {  // an agent's message has one part after its name
      if (!socket_.recv(text, zmq::recv_flags::dontwait)) break;
      whole = !text.more();
      if (whole) break;
    }
    if (!whole) continue;
    try {
      rounds_.receive(agent.to_string(), decode(text.to_string_view()), Rounds::Clock::now());
    } catch (const Error&) {
      continue;  // a stranger
    }
  }
}

void Coordinator::send(const std::string& agent, const Message& message) {
  try {
    socket_.send(zmq::buffer(agent), zmq::send_flags::sndmore | zmq::send_flags::dontwait);
    socket_.send(zmq::buffer(encode(message)), zmq::send_flags::dontwait);
  } catch (const zmq::error_t& error) {
    if (error.num() != EHOSTUNREACH) throw;  // it is gone, which heartbeats will tell
  }
}

void Coordinator::tick() {
  const auto now = Rounds::Clock::now();
  if (now >= beat_at_) {
    for (const auto& agent : rounds_.agents()) send(agent, Beat());
    beat_at_ = now + std::chrono::duration_cast<Rounds::Clock::duration>(heartbeat_timeout_ / 5);
  }
  rounds_.tick(now);
  if (rounds_.outcome() && !over_since_) over_since_ = now;
}

bool Coordinator::finished() const {
  return over_since_ &&
         (rounds_.agents().empty() || Rounds::Clock::now() - *over_since_ > 2 * heartbeat_timeout_);
}

}  // namespace yoke::launch
