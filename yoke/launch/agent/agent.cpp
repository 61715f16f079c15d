#include "yoke/launch/agent/agent.h"

#include <fmt/format.h>
#include <unistd.h>

#include <csignal>
#include <random>
#include <utility>

#include "yoke/core/error.h"
#include "yoke/core/system/clock.h"
#include "yoke/core/system/exit_status.h"
#include "yoke/launch/network.h"
#include "yoke/launch/rendezvous/curve.h"

namespace yoke::launch {
namespace {

using namespace std::chrono_literals;

/// After a first failure other ranks get this long to fail by themselves and say why.
constexpr auto kSettle = 500ms;
constexpr auto kAskAgain = 1s;

Agent::Clock::duration ticks(std::chrono::duration<double> duration) {
  return std::chrono::duration_cast<Agent::Clock::duration>(duration);
}

}  // namespace

Agent::Agent(EventLoop& loop, zmq::context_t& context, Consoles consoles, AgentOptions options)
    : loop_(loop),
      context_(context),
      consoles_(consoles),
      options_(std::move(options)),
      name_(fmt::format("{}-{}-{:08x}", options_.join.host, ::getpid(), std::random_device()())),
      heard_(Clock::now()),
      ticked_(heard_),
      joining_since_(heard_) {
  connect();
}

Agent::~Agent() { loop_.forget(socket_); }

void Agent::connect() {
  constexpr int kLingerMilliseconds = 500;
  if (socket_) loop_.forget(socket_);
  socket_ = zmq::socket_t(context_, zmq::socket_type::dealer);
  socket_.set(zmq::sockopt::routing_id, name_);
  socket_.set(zmq::sockopt::ipv6, true);
  socket_.set(zmq::sockopt::maxmsgsize, kMostMessageBytes);
  socket_.set(zmq::sockopt::linger, kLingerMilliseconds);
  socket_.set(zmq::sockopt::reconnect_ivl_max, 1000);
  if (options_.key) connect_by_curve(socket_, *options_.key);
  socket_.connect(options_.endpoint);
  loop_.watch(socket_, [this] { receive(); });
}

void Agent::send(const Message& message) {
  socket_.send(zmq::buffer(encode(message)), zmq::send_flags::dontwait);
}

void Agent::receive() {
  zmq::message_t text;
  while (!outcome_ && socket_.recv(text, zmq::recv_flags::dontwait)) {
    heard_ = Clock::now();
    try {
      handle(decode(text.to_string_view()));
    } catch (const UsageError&) {
      throw;
    } catch (const Error&) {
      continue;  // not from a coordinator
    }
  }
}

void Agent::handle(const Message& message) {
  if (std::holds_alternative<Welcome>(message)) {
    member_ = true;
  } else if (const auto* const refusal = std::get_if<Refuse>(&message)) {
    end(kWrongUsage, refusal->reason);
  } else if (std::holds_alternative<Unknown>(message)) {
    if (member_) lose_coordinator();
  } else if (const auto* const asked = std::get_if<Start>(&message)) {
    if (!ranks_) start(*asked);
  } else if (const auto* const stop = std::get_if<Stop>(&message)) {
    const auto settle = stop->signal == SIGKILL ? 0ms : kSettle;
    if (ranks_)
      ranks_->stop(stop->signal, settle, ticks(std::chrono::duration<double>(stop->grace_seconds)));
  } else if (const auto* const signal = std::get_if<Signal>(&message)) {
    if (ranks_) ranks_->send(signal->number);
  } else if (const auto* const finish = std::get_if<Finish>(&message)) {
    end(finish->status, finish->report);
  }
}

void Agent::start(const Start& start) {
  told_failed_ = 0;
  stale_ = false;
  RankOptions options = options_.ranks;
  if (start.resume) options.command = options_.resume_command;
  try {
    ranks_ = std::make_unique<Ranks>(loop_, consoles_, options, start);
  } catch (const Error& error) {
    send(Ended{.attempt = start.attempt,
               .exits = {},
               .failures = {{.time = seconds_since_1970(),
                             .host = options_.join.host,
                             .exit_code = exit_status_of(error),
                             .error_file = {},
                             .message = error.what()}},
               .now = seconds_since_1970(),
               .store = store_port()});
  }
}

StorePort Agent::store_port() const {
  if (!options_.store_port) return {.port = free_port(), .problem = {}};
  const int port = *options_.store_port;
  if (port_is_free(port)) return {.port = port, .problem = {}};
  return {.port = port,
          .problem = fmt::format(
              "port {} of --master-port is taken on host {}, perhaps by another run; see by whom: "
              "ss -ltnp 'sport = :{}'; give another one, or none to have one chosen",
              port, options_.join.host, port)};
}

void Agent::tick() {
  if (outcome_) return;
  const auto now = Clock::now();
  // After this process was itself asleep, others get the time to be heard again.
  if (now - ticked_ > options_.heartbeat_timeout / 2) heard_ = now;
  ticked_ = now;
  if (ranks_) watch_ranks();
  if (ending_) {
    if (ranks_) return;
    send(Leave());
    outcome_ = ending_;
    return;
  }
  if (!member_) {
    ask_to_join(now);
  } else if (now - heard_ > options_.heartbeat_timeout) {
    lose_coordinator();
    connect();  // the old connection may hang for minutes
  } else if (now >= beat_at_) {
    send(Beat{ranks_ != nullptr});
    beat_at_ = now + ticks(options_.heartbeat_timeout / 5);
  }
}

void Agent::watch_ranks() {
  ranks_->tick();
  if (const int failed = ranks_->failed(); failed > told_failed_) {
    told_failed_ = failed;
    send(Failed{.attempt = ranks_->attempt(), .ranks = failed});
    if (failed > options_.max_lost) ranks_->stop(SIGTERM, kSettle, ticks(kFailureGrace));
  }
  if (!ranks_->ended()) return;
  if (member_ && !stale_ && !ending_) {
    send(Ended{.attempt = ranks_->attempt(),
               .exits = ranks_->exits(),
               .failures = ranks_->failures(),
               .now = seconds_since_1970(),
               .store = store_port()});
  }
  ranks_.reset();
}

void Agent::ask_to_join(Clock::time_point now) {
  if (ranks_ || now < ask_at_) return;
  if (now - joining_since_ > options_.join_timeout) {
    return end(1, fmt::format("no coordinator answers at {} within {:.0f} s: start yoke run with "
                              "node rank 0 on that host, let its port through firewalls, and give "
                              "all hosts the same --rdzv-key",
                              options_.endpoint, options_.join_timeout.count()));
  }
  Join join = options_.join;
  join.store = store_port();
  send(join);
  ask_at_ = now + kAskAgain;
}

void Agent::lose_coordinator() {
  member_ = false;
  stale_ = true;
  joining_since_ = ask_at_ = Clock::now();
  if (ranks_) ranks_->stop(SIGKILL, 0s, 0s);
  const auto sentence =
      fmt::format("host {} lost the coordinator at {}", options_.join.host, options_.endpoint);
  if (!options_.rejoin) return end(1, sentence);
  consoles_.err.write(
      fmt::format("yoke run: {}; its ranks are ended, and it tries to join again "
                  "for {:.0f} s\n",
                  sentence, options_.join_timeout.count()));
}

void Agent::signal(int number) {
  ++signals_;
  if (!member_) return end(128 + number, "stopped before the coordinator answered");
  send(Signal{number});
  if (signals_ > 1 && ranks_) ranks_->stop(SIGKILL, 0s, 0s);
}

void Agent::abandon(const std::string& reason) { end(1, reason); }

void Agent::end(int status, std::string report) {
  if (ending_) return;
  ending_ = Outcome{.status = status, .report = std::move(report)};
  if (ranks_) ranks_->stop(SIGKILL, 0s, 0s);
}

}  // namespace yoke::launch
