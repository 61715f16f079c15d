// yoke/forecast/network.h: what operations over the ranks of a cluster cost, by the communicator
// that does them.
#pragma once
#include <optional>

#include "yoke/forecast/calibration.h"
#include "yoke/forecast/case.h"
#include "yoke/forecast/cluster.h"
#include "yoke/forecast/communicator_plan.h"
#include "yoke/forecast/link.h"

namespace yoke::forecast {

/// What TCP over Ethernet puts on the wire for each byte of payload: of 1538 bytes with preamble
/// and gap, 1448 are payload.
inline constexpr double kWireBytesPerByte = 1538.0 / 1448;

/// Seconds of one operation.
struct Cost {
  double busy = 0;     ///< In which the rank's cores copy and add, so that nothing hides them.
  double waiting = 0;  ///< For the link and other ranks; computing can go on.

  double total() const { return busy + waiting; }
};

/// The ranks of a cluster, connected by a communicator. Copying takes as many times as long as
/// ranks_per_core(). Of it the wire hides all in the low case, half in the typical one and nothing
/// in the high one.
class Network {
 public:
  /// All are read here alone. @throws UsageError for a communicator that was not calibrated.
  Network(const Calibration& calibration, const Cluster& cluster, const CommunicatorPlan& plan,
          Case which);

  /// A sum of `bytes` on every rank. Over hosts with several ranks each `hierarchical` sums inside
  /// hosts, then in lanes between them, then shares (Goyal et al. 2017, section 4); sharing is
  /// taken as half a sum. Others have all ranks in a ring, `mpi` small sums along a tree.
  Cost all_reduce(double bytes) const;

  /// A reduce-scatter of `bytes`, and an all-gather. Over hosts each goes over all ranks alike: in
  /// the first every rank sends every other its part, the second is a ring.
  Cost scatter_and_gather(double bytes) const;

  /// What one rank sends to others and takes from them at once, on its own; meanwhile `host_bytes`
  /// cross the host's link, for all its ranks together, and the busiest of the others copies
  /// `peer_bytes`.
  Cost send(const Sent& sent, double host_bytes, double peer_bytes) const;

  /// The least time in which one rank takes in `bytes` in send(), by its host's link and its cores.
  double least_seconds(double bytes) const;

  /// Bytes that each host sends over its link for all_reduce().
  double link_bytes(double bytes) const;
  /// The same for scatter_and_gather().
  double scatter_and_gather_link_bytes(double bytes) const;

 private:
  Cost inside(double bytes) const;
  Cost flat(std::int64_t ranks, double bytes) const;
  Sent chosen(std::int64_t ranks, double bytes) const;
  Cost over(const Link& software, const Sent& sent, double away_seconds) const;
  const Link& pairs() const;
  double wire_seconds(double bytes) const;
  double throttle_seconds(double bytes) const;

  const Cluster cluster_;
  const CommunicatorPlan plan_;
  const double hidden_;         // of what cores copy: the part that the wire hides
  Link software_;               // of a rank, where the link costs nothing
  std::optional<Link> shared_;  // of a sum inside a host; set where ranks share memory
};

}  // namespace yoke::forecast
