// yoke/comm/operation_copy.h: operations on GPUs' tensors, for transports that know processors
// alone.
#pragma once
#include "yoke/comm/operation.h"

namespace yoke {

/// An operation with copies of its tensors on the processor.
class OperationCopy {
 public:
  /// Waits for what the current stream was given.
  explicit OperationCopy(const Operation& operation);

  const Operation& operation() const { return copy_; }

  /// Gives the operation's own tensors what it has made of the copies, once it is done.
  void bring_back() const;

 private:
  const Operation own_;
  const Operation copy_;
};

}  // namespace yoke
