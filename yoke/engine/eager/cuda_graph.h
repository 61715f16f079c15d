// yoke/engine/eager/cuda_graph.h: what cuda_graph.cpp gives, which is built where LibTorch has
// CUDA.
#pragma once
#include <memory>

#include "yoke/core/step_graph.h"

namespace yoke {

/// See make_step_graph(). `device` is a GPU.
std::unique_ptr<StepGraph> make_cuda_graph(torch::Device device);

}  // namespace yoke
