// yoke/comm/signature.h: what an operation is, for ranks to see that they all do the same one.
#pragma once
#include <torch/types.h>

#include <cstdint>
#include <string>
#include <vector>

#include "yoke/comm/operation.h"
#include "yoke/core/error.h"

namespace yoke {

/// An operation in numbers that travel and lie in shared memory.
struct Signature {
  std::int64_t kind = 0;
  std::int64_t dtype = 0;
  std::int64_t elements = 0;  ///< Of the input.
  std::int64_t peer = 0;      ///< Of a broadcast, else 0.

  friend bool operator==(const Signature&, const Signature&) = default;
  /// `all-reduce of 12 fp32`, of whatever numbers.
  std::string str() const;
  /// int64 [4].
  torch::Tensor tensor() const;
};

Signature signature_of(const Operation& operation);

/// Ranks do different operations: it says which.
class Mismatch final : public CommError {
 public:
  using CommError::CommError;
  /// Of all ranks, in whose order they are.
  explicit Mismatch(std::vector<Signature> by_rank);

  /// The same, where `ranks` are the numbers of these ranks among all of the run.
  Mismatch of(const std::vector<int>& ranks) const;

 private:
  std::vector<Signature> by_rank_;  // empty where it is of two ranks alone
};

/// @throws Mismatch that names ranks and operations unless all ranks, in whose order they are, have
/// the same.
void check_same(const std::vector<Signature>& by_rank);
/// Of int64 [ranks, 4].
void check_same(const torch::Tensor& by_rank);

/// @throws Mismatch unless dtype and elements are the same of what rank `from` sends and of what
/// this rank receives.
void check_sent(const Signature& sent, const Signature& received, int from);

}  // namespace yoke
