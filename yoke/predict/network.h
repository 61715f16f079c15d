// yoke/predict/network.h: what operations over the ranks of a cluster cost, by the communicator
// that does them.
#pragma once
#include <optional>

#include "yoke/predict/calibration.h"
#include "yoke/predict/case.h"
#include "yoke/predict/cluster.h"
#include "yoke/predict/communicator_plan.h"
#include "yoke/predict/link.h"

namespace yoke::predict {

/// Seconds of one operation.
struct Cost {
  double busy = 0;     ///< In which the rank's cores copy and add, so that nothing hides them.
  double waiting = 0;  ///< For the link and other ranks; computing can go on.

  double total() const { return busy + waiting; }
};

/// The ranks of a cluster, connected by a communicator.
class Network {
 public:
  /// All are read here alone. @throws UsageError for a communicator that was not calibrated.
  Network(const Calibration& calibration, const Cluster& cluster, const CommunicatorPlan& plan,
          Case which);

  /// A sum of `bytes` on every rank. Over hosts with several ranks each `hierarchical` sums inside
  /// hosts, then in lanes between them, then shares (Goyal et al. 2017, section 4); sharing is
  /// taken as half a sum. Others have all ranks in a ring, `mpi` the better of ring and
  /// halving-doubling.
  Cost all_reduce(double bytes) const;

  /// What one rank sends to others and takes from them at once, on its own; `host_bytes` cross the
  /// host's link meanwhile, for all its ranks together.
  Cost send(const Sent& sent, double host_bytes) const;

  /// Bytes that each host sends over its link for all_reduce().
  double link_bytes(double bytes) const;

 private:
  Cost inside(double bytes) const;
  Cost flat(std::int64_t ranks, double bytes) const;
  Sent chosen(std::int64_t ranks, double bytes) const;
  Cost over_link(const Sent& software, const Sent& wire) const;

  const Cluster cluster_;
  const CommunicatorPlan plan_;
  Link software_;               // of a rank, where the link costs nothing
  std::optional<Link> shared_;  // of a sum inside a host; set where ranks share memory
};

}  // namespace yoke::predict
