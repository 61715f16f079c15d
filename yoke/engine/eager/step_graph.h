// yoke/engine/eager/step_graph.h: a step recorded once and played again, by CUDA graphs.
#pragma once
#include "yoke/core/step_graph.h"

namespace yoke {

/// A CUDA graph on `device`. @throws UsageError on a processor, and where LibTorch has no CUDA or
/// is older than 2.2, whose recording forbids all other threads to allocate.
std::unique_ptr<StepGraph> make_step_graph(torch::Device device);

}  // namespace yoke
