// yoke/parallel/compression.h: how gradients are written while they go between ranks.
#pragma once
#include <memory>
#include <optional>
#include <string_view>

#include "yoke/comm/communicator.h"
#include "yoke/core/flat_parameters.h"
#include "yoke/core/named_tensors.h"
#include "yoke/core/plugins/plugin.h"
#include "yoke/core/plugins/registry.h"
#include "yoke/parallel/buckets.h"

namespace yoke {

/// Sums the flat gradient over ranks, bucket by bucket. All ranks end with equal bits.
class Compression {
 public:
  virtual ~Compression() = default;
  /// Starts to sum a bucket, whose gradient is there. Buckets come in the same order on all ranks.
  virtual void start(const Bucket& bucket) = 0;
  /// Waits until all buckets hold their sums.
  virtual void finish() = 0;
  /// Makes what it carries from step to step, state(), equal to what restored() takes.
  virtual void synchronise() {}
  /// By name; rank 0's is the whole after synchronise().
  virtual NamedTensors state() { return {}; }
  /// After state() was set on all ranks to what rank 0's was.
  virtual void restored() {}
};

/// What is asked of a choice of method before one is made.
struct CompressionTraits {
  /// Of an element of the gradient on its way; nothing where that depends on the gradient's shape.
  std::optional<double> element_bytes = sizeof(float);
};

/// A method as its file declares it; the references must outlive what it makes.
using CompressionPlugin =
    Plugin<std::unique_ptr<Compression>(FlatParameters& parameters, Communicator& communicator),
           CompressionTraits>;

/// Every method of compressions.def.
const Registry<CompressionPlugin>& compressions();

/// What is asked of the method that `text` names. @throws UsageError on an unknown name or option.
CompressionTraits compression_traits(std::string_view text);

/// Builds the method that `text` (`name:key=value+key=value`) names; the references must outlive
/// it.
/// @throws UsageError on an unknown name or option.
std::unique_ptr<Compression> make_compression(std::string_view text, FlatParameters& parameters,
                                              Communicator& communicator);

}  // namespace yoke
