// yoke/comm/communicators/c10d_nccl.h: LibTorch's group over NCCL, where LibTorch has it.
#pragma once
#ifndef USE_C10D_NCCL
#define USE_C10D_NCCL
#endif
#include <torch/csrc/distributed/c10d/ProcessGroupNCCL.hpp>

#include "yoke/comm/communicators/c10d.h"

namespace yoke {

using NcclGroup = c10::intrusive_ptr<c10d::ProcessGroupNCCL>;
using NcclWork = c10::intrusive_ptr<c10d::Work>;

/// A group of one GPU a rank, that which is current when an operation begins.
inline NcclGroup nccl_group(const C10dStore& store, int rank, int size,
                            std::chrono::milliseconds timeout) {
  const auto options = c10d::ProcessGroupNCCL::Options::create();
  options->timeout = timeout;
  return c10::make_intrusive<c10d::ProcessGroupNCCL>(store, rank, size, options);
}

}  // namespace yoke
