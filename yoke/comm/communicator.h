// yoke/comm/communicator.h: what every transport between ranks provides.
#pragma once
#include <torch/types.h>

#include <memory>
#include <string_view>

#include "yoke/core/options.h"
#include "yoke/core/registry.h"

namespace yoke {

/// A fixed group of ranks. All ranks make the same calls in the same order, with tensors of the
/// same dtype and size. Not thread safe.
class Communicator {
 public:
  virtual ~Communicator() = default;
  virtual int rank() const = 0;  ///< In [0, size()).
  virtual int size() const = 0;  ///< At least 1.

  /// Replaces `tensor` (any shape, contiguous) by its sum over ranks, bitwise equal on all of them.
  /// @throws CommError when a peer is lost; the group is then dead.
  virtual void all_reduce(torch::Tensor& tensor) = 0;
};

using MakeCommunicator = std::unique_ptr<Communicator> (*)(Options& options);

/// Every communicator of communicators.def.
const Registry<MakeCommunicator>& communicators();

/// Builds the communicator that `text` (`name:key=value,...`, or `auto`) names.
/// @throws UsageError on an unknown name or option.
std::unique_ptr<Communicator> make_communicator(std::string_view text);

}  // namespace yoke
