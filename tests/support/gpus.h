// tests/support/gpus.h: for tests that need GPUs.
#pragma once
#include <gtest/gtest.h>
#include <torch/cuda.h>

/// Skips the test, and says why, where LibTorch sees fewer than `count` GPUs. By this word ctest
/// knows such tests: they have the label `gpu`, those of several GPUs `gpus`.
#define YOKE_NEEDS_GPUS(count)                                                        \
  if (const int gpus = static_cast<int>(torch::cuda::device_count()); gpus < (count)) \
  GTEST_SKIP() << "LibTorch sees " << gpus << " GPUs; this needs " << (count)
