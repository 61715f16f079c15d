#include "yoke/forecast/network.h"

#include <algorithm>

#include "yoke/forecast/collectives.h"

namespace yoke::forecast {
namespace {

double hidden_part(Case which) {
  return which == Case::kLow ? 1 : which == Case::kTypical ? 0.5 : 0;
}

/// A sum over two ranks is two messages and n bytes. Those of the calibration have a core each.
Link software_of(const Calibration& calibration, const std::string& name, Case which,
                 double on_each_core) {
  const auto& times = calibration.communicator(name, 2);
  Link link = times.fit(which);
  const Sent sent = ring_all_reduce(times.ranks, 1);
  link.latency_seconds /= sent.messages;
  link.seconds_per_byte *= on_each_core / sent.bytes;
  return link;
}

/// Twice the ranks pass twice the bytes through the memory, or through the cores that they share.
Link shared_of(const Calibration& calibration, const std::string& name, int ranks, Case which,
               double on_each_core) {
  const auto& times = calibration.communicator(name, ranks);
  const double scale = std::max(static_cast<double>(ranks) / times.ranks, on_each_core);
  const Link link = times.fit(which);
  return {link.latency_seconds * scale, link.seconds_per_byte * scale};
}

}  // namespace

Network::Network(const Calibration& calibration, const Cluster& cluster,
                 const CommunicatorPlan& plan, Case which)
    : cluster_(cluster), plan_(plan), hidden_(hidden_part(which)) {
  if (cluster.ranks() == 1) return;
  const double on_each_core = ranks_per_core(cluster, which);
  const bool shares = !plan.within.empty() && cluster.ranks_per_host > 1;
  if (shares)
    shared_ = shared_of(calibration, plan.within, cluster.ranks_per_host, which, on_each_core);
  if (cluster.hosts > 1 || !shares) {
    software_ = software_of(calibration, plan.between, which, on_each_core);
  }
}

Sent Network::chosen(std::int64_t ranks, double bytes) const {
  const Sent ring = ring_all_reduce(ranks, bytes);
  if (!plan_.chooses) return ring;
  const Sent tree = tree_all_reduce(ranks, bytes);
  const auto seconds = [&](const Sent& sent) {
    return over(software_, sent, wire_seconds(sent.bytes)).total();
  };
  return seconds(tree) < seconds(ring) ? tree : ring;
}

/// Of all ranks of a host together, each way; nothing inside a host.
double Network::wire_seconds(double bytes) const {
  if (cluster_.hosts == 1) return 0;
  return bytes * kWireBytesPerByte / cluster_.link_bytes_per_second;
}

/// What the rank itself sends, while the wire, or a peer, takes `away_seconds`.
Cost Network::over(const Link& software, const Sent& sent, double away_seconds) const {
  Cost cost{.busy = sent.bytes * software.seconds_per_byte,
            .waiting = sent.messages * software.latency_seconds};
  if (cluster_.hosts > 1) cost.waiting += sent.messages * cluster_.link_latency_seconds;
  cost.waiting += std::max(0.0, away_seconds - hidden_ * cost.busy);
  if (plan_.throttle) {
    cost.waiting = std::max(cost.waiting, plan_.throttle->seconds(sent) - cost.busy);
  }
  return cost;
}

Cost Network::flat(std::int64_t ranks, double bytes) const {
  if (ranks == 1) return {};
  const Sent sent = chosen(ranks, bytes);
  return over(software_, sent, wire_seconds(sent.bytes));
}

Cost Network::inside(double bytes) const {
  if (!shared_) return {};
  return {.busy = bytes * shared_->seconds_per_byte, .waiting = shared_->latency_seconds};
}

Cost Network::all_reduce(double bytes) const {
  if (plan_.within.empty()) return flat(cluster_.ranks(), bytes);
  const Cost host = inside(bytes);
  if (cluster_.hosts == 1) return host;
  constexpr double kSumAndShare = 1.5;
  const double share = shared_ ? kSumAndShare : 1;
  const Cost lanes =
      over(software_, ring_all_reduce(cluster_.hosts, bytes / cluster_.ranks_per_host),
           wire_seconds(ring_all_reduce(cluster_.hosts, bytes).bytes));
  return {.busy = share * host.busy + lanes.busy, .waiting = share * host.waiting + lanes.waiting};
}

Cost Network::scatter_and_gather(double bytes) const {
  if (cluster_.hosts == 1) return all_reduce(bytes);
  return over(software_, ring_all_reduce(cluster_.ranks(), bytes),
              wire_seconds(scatter_and_gather_link_bytes(bytes)));
}

/// What connects two ranks.
const Link& Network::pairs() const {
  return shared_.has_value() && cluster_.hosts == 1 ? *shared_ : software_;
}

/// Of one rank, each way.
double Network::throttle_seconds(double bytes) const {
  return plan_.throttle ? bytes * plan_.throttle->seconds_per_byte : 0;
}

Cost Network::send(const Sent& sent, double host_bytes, double peer_bytes) const {
  const double copying = peer_bytes * pairs().seconds_per_byte;
  return over(pairs(), sent,
              std::max({wire_seconds(host_bytes), throttle_seconds(peer_bytes), copying}));
}

double Network::least_seconds(double bytes) const {
  return std::max({wire_seconds(bytes), throttle_seconds(bytes), bytes * pairs().seconds_per_byte});
}

double Network::link_bytes(double bytes) const {
  if (cluster_.hosts == 1) return 0;
  const auto ranks = plan_.within.empty() ? cluster_.ranks() : cluster_.hosts;
  return chosen(ranks, bytes).bytes;
}

double Network::scatter_and_gather_link_bytes(double bytes) const {
  if (cluster_.hosts == 1) return 0;
  const auto hosts = static_cast<double>(cluster_.hosts);
  const double scattered = cluster_.ranks_per_host * bytes * (1 - 1 / hosts);
  return scattered + ring_half(cluster_.ranks(), bytes).bytes;
}

}  // namespace yoke::forecast
