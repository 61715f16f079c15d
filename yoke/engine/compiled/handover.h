// yoke/engine/compiled/handover.h: gradients handed over while the backward pass goes on.
#pragma once
#include <atomic>
#include <mutex>
#include <vector>

#include "yoke/engine/compiled/memory/reduce.h"
#include "yoke/engine/engine.h"

namespace yoke::compiled {

/// For one step: the replica that completes a parameter last adds up all replicas' gradients of it,
/// always in the replicas' order, and tells of it.
class Handover {
 public:
  /// All references must outlive it.
  Handover(GradientReducer& reducer, const FlatParameters& parameters,
           std::vector<const GradientStore*> replicas, const GradientReady& ready);

  /// A replica has the gradient of `id`; `stream` is its own. Any thread.
  void completed(ParameterId id, dnnl::stream& stream);
  /// Tells of the parameters that took no part; `stream` is anyone's.
  void finish(dnnl::stream& stream);

 private:
  void hand_over(ParameterId id, dnnl::stream& stream);

  GradientReducer& reducer_;
  const FlatParameters& parameters_;
  const std::vector<const GradientStore*> replicas_;
  const GradientReady& ready_;
  std::vector<std::atomic<int>> done_;  // replicas, by parameter
  std::mutex telling_;
};

}  // namespace yoke::compiled
