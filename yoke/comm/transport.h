// yoke/comm/transport.h: what carries operations between ranks; every communicator is one.
#pragma once
#include <torch/types.h>

#include <cstdint>
#include <optional>
#include <string>

#include "yoke/comm/operation.h"
#include "yoke/comm/signature.h"
#include "yoke/comm/work.h"

namespace yoke {

/// A fixed group of at least two ranks. All ranks run the same operations in the same order, one at
/// a time; sends and receives concern two ranks alone. Where they do not, run() throws Mismatch
/// before any data is taken for what it is not.
class Transport {
 public:
  virtual ~Transport() = default;

  /// For people: `shared-memory (2 ranks of this host)`, `gloo (eth0, 10.0.0.5)`.
  virtual std::string describe() const = 0;

  /// Does `operation`, which was checked, is not empty and whose tensors are the processor's, and
  /// returns when it is done.
  /// @throws CommError when a peer is lost or late; the group is then dead.
  virtual void run(const Operation& operation) = 0;

  /// Meets the other ranks, for a transport that is a part of another, to see that all are to do
  /// the collective operation `signature`. @throws Mismatch.
  virtual void compare(const Signature& /*signature*/) {}

  /// Starts it in the caller's stream of work, where the transport has a better way than a
  /// background thread that calls run(): GPUs do.
  virtual std::optional<Work> start(const Operation&) { return std::nullopt; }

  /// Zeros, fp32 [elements], for large tensors to be operated on where they lie. All ranks call it
  /// alike.
  virtual torch::Tensor allocate(std::int64_t elements) { return torch::zeros({elements}); }
};

}  // namespace yoke
