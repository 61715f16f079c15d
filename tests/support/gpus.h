// tests/support/gpus.h: for tests that need GPUs.
#pragma once
#include <gtest/gtest.h>
#include <torch/cuda.h>

/// Skips the test, and says why, where LibTorch sees fewer than `count` GPUs. By this word ctest
/// knows such tests: they have the label `gpu`, those of several GPUs `gpus`.
#define YOKE_NEEDS_GPUS(count)                            \
  if (torch::cuda::device_count() < std::size_t{(count)}) \
  GTEST_SKIP() << "LibTorch sees " << torch::cuda::device_count() << " GPUs; this needs " << (count)
