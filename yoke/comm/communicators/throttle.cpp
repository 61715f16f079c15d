// yoke/comm/communicators/throttle.cpp: another communicator, as slow as if each rank had a slow
// link.
//
// A message leaves when its bytes have passed the sender's link, after those of others that it
// sends at once, and is there when a latency and its bytes' way through the receiver's link are
// over. It goes in pieces, which others come between.
//
// A collective operation holds both ways of the rank's link for the bytes that it sends, and takes
// as many latencies as it sends messages one after the other, by the usual algorithms (Thakur,
// Rabenseifner and Gropp, "Optimization of Collective Communication Operations in MPICH", 2005): of
// n bytes over p ranks, an all-reduce sends 2(p-1) messages and 2n(p-1)/p bytes; a reduce-scatter
// or all-gather half of that; a broadcast ceil(log2 p) messages and n bytes.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <thread>

#include "yoke/comm/communicators/rank_link.h"
#include "yoke/comm/factory.h"
#include "yoke/core/plugins/inner_plugin.h"

namespace yoke {
namespace {

constexpr std::int64_t kPieces = 8;
constexpr std::int64_t kUndividedBytes = 4096;

/// Of a collective operation over p ranks, what each sends.
forecast::Sent sent_by(const Operation& operation, double p) {
  const auto n = static_cast<double>(operation.bytes());
  switch (operation.kind) {
    case Collective::kAllReduce:
      return {.messages = 2 * (p - 1), .bytes = 2 * n * (p - 1) / p};
    case Collective::kReduceScatter:
    case Collective::kAllGather:
      return {.messages = p - 1, .bytes = n * (p - 1) / p};
    default:  // a broadcast
      return {.messages = std::ceil(std::log2(p)), .bytes = n};
  }
}

/// A send or receive as several, of which sender and receiver have as many only if they agree.
std::vector<Operation> pieces_of(const Operation& message) {
  if (message.bytes() <= kUndividedBytes) return {message};
  const auto all = message.input.view({-1});
  std::vector<Operation> pieces;
  for (const auto& piece : all.tensor_split(kPieces)) {
    pieces.push_back(message);
    pieces.back().input = pieces.back().output = piece;
  }
  return pieces;
}

class Throttle final : public Transport {
 public:
  Throttle(const Group& group, const std::string& over, const forecast::Link& rate)
      : size_(group.size),
        rate_(rate),
        latency_(std::chrono::duration_cast<Way::Time::duration>(
            std::chrono::duration<double>(rate.latency_seconds))),
        link_(RankLink::of(group.peers[static_cast<std::size_t>(group.rank)].rank)),
        inner_(make_inner_transport(over, group, "over")) {}

  std::string describe() const override {
    return fmt::format("throttle ({:g} MB/s, {:g} ms, over {})", 1e-6 / rate_.seconds_per_byte,
                       rate_.latency_seconds * 1e3, inner_->describe());
  }

  void run(const Operation& operation) override {
    const Way::Time now = std::chrono::steady_clock::now();
    if (operation.kind == Collective::kSend) return send(operation, now);
    if (operation.kind == Collective::kReceive) return receive(operation);
    const auto sent = sent_by(operation, size_);
    const double seconds = sent.bytes * rate_.seconds_per_byte;
    const auto end = std::max(link_->out.pass(now, seconds), link_->in.pass(now, seconds));
    inner_->run(operation);
    std::this_thread::sleep_until(end + static_cast<int>(sent.messages) * latency_);
  }

  torch::Tensor allocate(std::int64_t elements) override { return inner_->allocate(elements); }

 private:
  void send(const Operation& message, Way::Time begin) {
    for (const auto& piece : pieces_of(message)) {
      begin = link_->out.pass(begin, seconds(piece));
      std::this_thread::sleep_until(begin + latency_);
      inner_->run(piece);
    }
  }

  // A piece alone on the link had come through it when it was there.
  void receive(const Operation& message) {
    for (const auto& piece : pieces_of(message)) {
      inner_->run(piece);
      const std::chrono::duration<double> way(seconds(piece));
      const auto begun =
          std::chrono::steady_clock::now() - std::chrono::duration_cast<Way::Time::duration>(way);
      std::this_thread::sleep_until(link_->in.pass(begun, way.count()));
    }
  }

  double seconds(const Operation& piece) const {
    return static_cast<double>(piece.bytes()) * rate_.seconds_per_byte;
  }

  const int size_;
  const forecast::Link rate_;
  const Way::Time::duration latency_;
  const std::shared_ptr<RankLink> link_;
  const std::unique_ptr<Transport> inner_;
};

struct ThrottleOptions {
  std::string over = kGloo;
  double megabytes_per_second = 125;  // a gigabit
  double latency_milliseconds = 0.05;
};

OptionTable<ThrottleOptions> throttle_options() {
  using O = ThrottleOptions;
  return {
      {"over", &O::over, choice_format(communicators), "the communicator that carries"},
      {"megabytes_per_second", &O::megabytes_per_second, at_least(1e-6),
       "of a rank's link, each way"},
      {"latency_milliseconds", &O::latency_milliseconds, at_least(0), "of each message"},
  };
}

forecast::Link rate_of(const ThrottleOptions& options) {
  return {.latency_seconds = options.latency_milliseconds / 1e3,
          .seconds_per_byte = 1 / (options.megabytes_per_second * 1e6)};
}

std::unique_ptr<Transport> make_throttle(const Group& group, const ThrottleOptions& options) {
  if (group.size == 1) return nullptr;
  return std::make_unique<Throttle>(group, options.over, rate_of(options));
}

}  // namespace

CommunicatorPlugin throttle_communicator() {
  return {throttle_options(), make_throttle, [](const ThrottleOptions& options) {
            return CommunicatorTraits{.plan = forecast::CommunicatorPlan{
                                          .between = options.over, .throttle = rate_of(options)}};
          }};
}

}  // namespace yoke
