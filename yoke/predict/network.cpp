#include "yoke/predict/network.h"

#include <algorithm>

#include "yoke/predict/collectives.h"

namespace yoke::predict {
namespace {

/// A sum over two ranks is two messages and n bytes, as a ring or halving and doubling.
Link software_of(const Calibration& calibration, const std::string& name, Case which) {
  const auto& times = calibration.communicator(name, 2);
  Link link = times.fit(which);
  const Sent sent = ring_all_reduce(times.ranks, 1);
  link.latency_seconds /= sent.messages;
  link.seconds_per_byte /= sent.bytes;
  return link;
}

Link shared_of(const Calibration& calibration, int ranks, Case which) {
  const auto& times = calibration.communicator("shared-memory", ranks);
  const double scale = static_cast<double>(ranks) / times.ranks;
  const Link link = times.fit(which);
  return {link.latency_seconds * scale, link.seconds_per_byte * scale};
}

}  // namespace

Network::Network(const Calibration& calibration, const Cluster& cluster,
                 const CommunicatorPlan& plan, Case which)
    : cluster_(cluster), plan_(plan) {
  if (cluster.ranks() == 1) return;
  const bool shares = plan.shares_memory && cluster.ranks_per_host > 1;
  if (shares) shared_ = shared_of(calibration, cluster.ranks_per_host, which);
  if (cluster.hosts > 1 || !shares) software_ = software_of(calibration, plan.between, which);
}

Sent Network::chosen(std::int64_t ranks, double bytes) const {
  const Sent ring = ring_all_reduce(ranks, bytes);
  if (!plan_.chooses) return ring;
  const Sent halving = halving_doubling_all_reduce(ranks, bytes);
  return over_link(halving, halving).total() < over_link(ring, ring).total() ? halving : ring;
}

/// The rank itself sends `software`; `wire` crosses the link of its host.
Cost Network::over_link(const Sent& software, const Sent& wire) const {
  Cost cost{.busy = software.bytes * software_.seconds_per_byte,
            .waiting = software.messages * software_.latency_seconds};
  if (plan_.throttle) {
    cost.waiting = std::max(cost.waiting, plan_.throttle->seconds(software) - cost.busy);
  } else if (cluster_.hosts > 1) {
    cost.waiting += wire.messages * cluster_.link_latency_seconds;
    cost.waiting += std::max(0.0, wire.bytes / cluster_.link_bytes_per_second - cost.busy);
  }
  return cost;
}

Cost Network::flat(std::int64_t ranks, double bytes) const {
  if (ranks == 1) return {};
  const Sent sent = chosen(ranks, bytes);
  return over_link(sent, sent);
}

Cost Network::inside(double bytes) const {
  if (!shared_) return {};
  return {.busy = bytes * shared_->seconds_per_byte, .waiting = shared_->latency_seconds};
}

Cost Network::all_reduce(double bytes) const {
  if (!plan_.shares_memory) return flat(cluster_.ranks(), bytes);
  const Cost host = inside(bytes);
  if (cluster_.hosts == 1) return host;
  constexpr double kSumAndShare = 1.5;
  const double share = shared_ ? kSumAndShare : 1;
  const Cost lanes = over_link(ring_all_reduce(cluster_.hosts, bytes / cluster_.ranks_per_host),
                               ring_all_reduce(cluster_.hosts, bytes));
  return {.busy = share * host.busy + lanes.busy, .waiting = share * host.waiting + lanes.waiting};
}

Cost Network::send(const Sent& sent, double host_bytes) const {
  const bool in_memory = shared_.has_value() && cluster_.hosts == 1;
  if (!in_memory) return over_link(sent, {.messages = sent.messages, .bytes = host_bytes});
  return {.busy = sent.bytes * shared_->seconds_per_byte,
          .waiting = sent.messages * shared_->latency_seconds};
}

double Network::link_bytes(double bytes) const {
  if (cluster_.hosts == 1) return 0;
  const auto ranks = plan_.shares_memory ? cluster_.hosts : cluster_.ranks();
  return chosen(ranks, bytes).bytes;
}

}  // namespace yoke::predict
