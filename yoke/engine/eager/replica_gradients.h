// yoke/engine/eager/replica_gradients.h: flat gradients of replicas, added up on the first one's
// device.
#pragma once
#include <torch/types.h>

#include <map>
#include <mutex>
#include <utility>
#include <vector>

#include "yoke/engine/engine.h"

namespace yoke {

/// Adds elements [begin, end) of the gradients of all replicas, fp32 [P] each, in their order, so
/// that equal parts give equal bits; the sum replaces those of the first. Different ranges may be
/// added at the same time.
void add_gradients(const std::vector<torch::Tensor>& replicas, std::int64_t begin,
                   std::int64_t end);

/// For one step: the replica that completes a range last adds it up and tells of it.
class GradientHandover {
 public:
  /// `replicas` took part in the step. All references must outlive it.
  GradientHandover(const std::vector<torch::Tensor>& replicas, const GradientReady& ready)
      : replicas_(replicas), ready_(ready) {}

  /// A replica has elements [begin, end); all tell of the same ranges. Any thread.
  void completed(std::int64_t begin, std::int64_t end);

 private:
  const std::vector<torch::Tensor>& replicas_;
  const GradientReady& ready_;
  std::mutex counting_, telling_;
  std::map<std::pair<std::int64_t, std::int64_t>, std::size_t> done_;  // replicas, by range
};

}  // namespace yoke
