#include "yoke/predict/network.h"

#include <fmt/format.h>

#include <algorithm>

#include "yoke/core/error.h"
#include "yoke/core/options.h"
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

Network::Network(const Calibration& calibration, const Cluster& cluster, std::string_view comm,
                 Case which)
    : cluster_(cluster) {
  if (cluster.ranks() == 1) return;
  Choice choice = Choice::parse(comm, "communicator");
  std::string between = "gloo";
  bool shares = cluster.ranks_per_host > 1;
  if (choice.name == "throttle") {
    kind_ = Kind::kRing;
    shares = false;
    between = choice.options.get("over", std::string("gloo"));
    const double megabytes = choice.options.get("megabytes_per_second", 125.0, 1e-6);
    const double latency = choice.options.get("latency_milliseconds", 0.05, 0.0);
    throttle_ = Link{.latency_seconds = latency / 1e3, .seconds_per_byte = 1 / (megabytes * 1e6)};
  } else if (choice.name == "gloo" || choice.name == "mpi") {
    kind_ = choice.name == "gloo" ? Kind::kRing : Kind::kBest;
    shares = false;
    between = choice.name;
  } else if (choice.name == "hierarchical") {
    between = choice.options.get("between", "gloo", {"gloo", "mpi"});
  } else if (choice.name == "shared-memory" && cluster.hosts > 1) {
    throw UsageError(fmt::format(
        "--comm shared-memory connects the ranks of one host, and {} hosts are asked for; give "
        "--comm auto",
        cluster.hosts));
  } else if (choice.name != "auto" && choice.name != "shared-memory") {
    throw UsageError(fmt::format(
        "--comm {}: yoke predict has no model of it; allowed: auto, gloo, hierarchical, mpi, "
        "shared-memory, throttle",
        comm));
  }
  choice.options.finish();
  if (shares) shared_ = shared_of(calibration, cluster.ranks_per_host, which);
  if (cluster.hosts > 1 || !shares) software_ = software_of(calibration, between, which);
}

Sent Network::chosen(std::int64_t ranks, double bytes) const {
  const Sent ring = ring_all_reduce(ranks, bytes);
  if (kind_ != Kind::kBest) return ring;
  const Sent halving = halving_doubling_all_reduce(ranks, bytes);
  return over_link(halving, halving).total() < over_link(ring, ring).total() ? halving : ring;
}

/// The rank itself sends `software`; `wire` crosses the link of its host.
Cost Network::over_link(const Sent& software, const Sent& wire) const {
  Cost cost{.busy = software.bytes * software_.seconds_per_byte,
            .waiting = software.messages * software_.latency_seconds};
  if (throttle_) {
    cost.waiting = std::max(cost.waiting, throttle_->seconds(software) - cost.busy);
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
  if (kind_ != Kind::kHierarchical) return flat(cluster_.ranks(), bytes);
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
  const auto ranks = kind_ == Kind::kHierarchical ? cluster_.hosts : cluster_.ranks();
  return chosen(ranks, bytes).bytes;
}

}  // namespace yoke::predict
