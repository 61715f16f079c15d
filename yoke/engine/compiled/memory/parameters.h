// yoke/engine/compiled/memory/parameters.h: parameters and their gradients in the formats of
// primitives.
#pragma once
#include <deque>
#include <memory>
#include <vector>

#include "yoke/core/flat_parameters.h"
#include "yoke/engine/compiled/memory/aligned.h"
#include "yoke/engine/compiled/onednn.h"
#include "yoke/engine/compiled/plan.h"

namespace yoke::compiled {

/// The format in which LibTorch keeps a parameter of shape `dims`: fp32, contiguous.
dnnl::memory::desc contiguous_desc(const dnnl::memory::dims& dims);

/// Copies of the parameters in the formats and number types that primitives want, shared by all
/// replicas, which only read them.
class WeightStore {
 public:
  WeightStore(const dnnl::engine& engine, FlatParameters& parameters);

  /// Parameter `id`, seen as `dims`, in the format `wanted`; without a copy where that is its own.
  dnnl::memory get(ParameterId id, const dnnl::memory::dims& dims,
                   const dnnl::memory::desc& wanted);

  /// Writes a copy of a parameter, `from` as LibTorch keeps it.
  using Convert = void (*)(const float* from, const dnnl::memory::dims& dims,
                           const dnnl::memory& to);

  /// Parameter `id`, seen as `dims`, as `convert` makes it, in the format `made`.
  dnnl::memory get(ParameterId id, const dnnl::memory::dims& dims, const dnnl::memory::desc& made,
                   Convert convert);

  /// Brings every `parts`-th copy up to date, from the `part`-th on.
  void refresh(int part, int parts, dnnl::stream& stream);

  const FlatParameters& parameters() const { return parameters_; }

 private:
  struct Copy {
    ParameterId id;
    dnnl::memory source;
    dnnl::memory target;
    dnnl::reorder reorder;
    Convert convert;  // null: it is reordered
    AlignedBytes bytes;
  };

  dnnl::memory source(ParameterId id, const dnnl::memory::dims& dims) const;
  const Copy* find(ParameterId id, const dnnl::memory::desc& wanted, Convert convert) const;

  dnnl::engine engine_;
  FlatParameters& parameters_;
  std::deque<Copy> copies_;
};

/// The gradients of one replica, each in the format of the primitive that makes it.
class GradientStore {
 public:
  /// The sum over the micro-batches of a step.
  struct Sum {
    ParameterId id = 0;
    dnnl::memory::dims dims;
    dnnl::memory memory;
    AlignedBytes bytes;

    float* data() const { return reinterpret_cast<float*>(bytes.data()); }
    std::size_t size() const { return memory.get_desc().get_size() / sizeof(float); }
  };

  /// Takes the formats of `leader`, where that is not null, for what it has, so that the sums of
  /// both can be added up as they lie.
  explicit GradientStore(const dnnl::engine& engine, const GradientStore* leader = nullptr)
      : engine_(engine), leader_(leader) {}

  /// The sum of parameter `id`; where there is none yet, made in the leader's format, else in
  /// `desc`.
  const Sum& sum(ParameterId id, const dnnl::memory::dims& dims, const dnnl::memory::desc& desc);

  /// As it is; null where there is none.
  const Sum* find(ParameterId id) const;

 private:
  const Sum& add(ParameterId id, const dnnl::memory::dims& dims, const dnnl::memory::desc& desc);

  dnnl::engine engine_;
  const GradientStore* leader_;
  std::deque<Sum> sums_;
};

/// Where a primitive writes the gradient of a parameter: into the sum the first time, else aside,
/// to be added.
class GradientTarget {
 public:
  GradientTarget() = default;
  /// `aside` has the format that the primitive writes, of a parameter seen as `dims`. `always_add`
  /// where the parameter was met before in the same pass.
  GradientTarget(const GradientStore::Sum& sum, dnnl::memory aside, const dnnl::memory::dims& dims,
                 bool always_add);

  /// What to write to.
  const dnnl::memory& memory(bool accumulate) const;
  /// After it was written.
  void finish(bool accumulate, dnnl::stream& stream) const;

 private:
  bool aside(bool accumulate) const { return accumulate || always_add_ || convert_; }

  const GradientStore::Sum* sum_ = nullptr;
  dnnl::memory aside_;
  bool always_add_ = false;
  bool convert_ = false;  // the formats differ
  bool reshape_ = false;  // the shapes differ: only in plain formats do elements keep their order
  dnnl::memory plain_, from_;
  dnnl::reorder to_plain_, replace_, add_;
};

}  // namespace yoke::compiled
