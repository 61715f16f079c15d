// yoke/engine/compiled/memory/reduce.h: the gradients of all replicas into the flat gradient.
#pragma once
#include <memory>
#include <vector>

#include "yoke/core/flat_parameters.h"
#include "yoke/engine/compiled/memory/parameters.h"

namespace yoke::compiled {

/// Adds up the gradients of replicas in their order, so that equal parts give equal bits.
class GradientReducer {
 public:
  GradientReducer(const dnnl::engine& engine, FlatParameters& parameters, int members);

  /// The part of `member` of the team: some parameters. `replicas` took part in the step; their
  /// gradients have equal formats.
  void run(int member, const std::vector<const GradientStore*>& replicas, dnnl::stream& stream);

  /// One parameter; others may be reduced at the same time.
  void reduce(ParameterId id, const std::vector<const GradientStore*>& replicas,
              dnnl::stream& stream);

 private:
  /// Into LibTorch's order. Made once: glibc's heap grows with each one made and gone.
  struct Reorder {
    dnnl::memory from, to;
    dnnl::reorder primitive;
  };

  dnnl::engine engine_;
  FlatParameters& parameters_;
  std::vector<std::vector<ParameterId>> shares_;    // by member
  std::vector<std::unique_ptr<Reorder>> reorders_;  // by ParameterId, where there was need of one
};

}  // namespace yoke::compiled
