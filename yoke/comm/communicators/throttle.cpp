// yoke/comm/communicators/throttle.cpp: another communicator, as slow as if each rank had a slow
// link.
//
// An operation takes at least `latency` for each message that a rank sends one after the other, and
// the bytes that it sends at the link's rate, as the usual algorithms send them (Thakur,
// Rabenseifner and Gropp, "Optimization of Collective Communication Operations in MPICH", 2005): of
// n bytes over p ranks, an all-reduce sends 2(p-1) messages and 2n(p-1)/p bytes; a reduce-scatter
// or all-gather half of that; a broadcast ceil(log2 p) messages and n bytes; a send one message and
// n bytes.
#include <fmt/format.h>

#include <cmath>
#include <thread>

#include "yoke/comm/factory.h"
#include "yoke/core/plugins/inner_plugin.h"
#include "yoke/core/system/clock.h"

namespace yoke {
namespace {

class Throttle final : public Transport {
 public:
  Throttle(const Group& group, const std::string& over, double bytes_per_second,
           double latency_seconds)
      : size_(group.size),
        bytes_per_second_(bytes_per_second),
        latency_seconds_(latency_seconds),
        inner_(make_inner_transport(over, group, "over")) {}

  std::string describe() const override {
    return fmt::format("throttle ({:g} MB/s, {:g} ms, over {})", bytes_per_second_ / 1e6,
                       latency_seconds_ * 1e3, inner_->describe());
  }

  void run(const Operation& operation) override {
    const Stopwatch watch;
    inner_->run(operation);
    const double left = seconds(operation) - watch.seconds();
    if (left > 0) std::this_thread::sleep_for(std::chrono::duration<double>(left));
  }

  torch::Tensor allocate(std::int64_t elements) override { return inner_->allocate(elements); }

 private:
  double seconds(const Operation& operation) const {
    const double p = size_, n = static_cast<double>(operation.bytes());
    const auto link = [&](double messages, double bytes) {
      return messages * latency_seconds_ + bytes / bytes_per_second_;
    };
    switch (operation.kind) {
      case Collective::kAllReduce:
        return link(2 * (p - 1), 2 * n * (p - 1) / p);
      case Collective::kReduceScatter:
      case Collective::kAllGather:
        return link(p - 1, n * (p - 1) / p);
      case Collective::kBroadcast:
        return link(std::ceil(std::log2(p)), n);
      case Collective::kSend:
      case Collective::kReceive:
        return link(1, n);
    }
    return 0;
  }

  const int size_;
  const double bytes_per_second_;
  const double latency_seconds_;
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
      {"megabytes_per_second", &O::megabytes_per_second, at_least(1e-6), "no rank sends faster"},
      {"latency_milliseconds", &O::latency_milliseconds, at_least(0), "of each message"},
  };
}

std::unique_ptr<Transport> make_throttle(const Group& group, const ThrottleOptions& options) {
  if (group.size == 1) return nullptr;
  return std::make_unique<Throttle>(group, options.over, options.megabytes_per_second * 1e6,
                                    options.latency_milliseconds / 1e3);
}

forecast::CommunicatorPlan plan_throttle(const ThrottleOptions& options) {
  return {.between = options.over,
          .throttle = forecast::Link{.latency_seconds = options.latency_milliseconds / 1e3,
                                     .seconds_per_byte = 1 / (options.megabytes_per_second * 1e6)}};
}

}  // namespace

CommunicatorPlugin throttle_communicator() {
  return {throttle_options(), make_throttle, [](const ThrottleOptions& options) {
            return CommunicatorTraits{.plan = plan_throttle(options)};
          }};
}

}  // namespace yoke
