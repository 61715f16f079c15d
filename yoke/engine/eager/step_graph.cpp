#include "yoke/engine/eager/step_graph.h"

#include "yoke/core/error.h"
#ifdef YOKE_WITH_CUDA
#include "yoke/engine/eager/cuda_graph.h"
#endif

namespace yoke {

std::unique_ptr<StepGraph> make_step_graph(torch::Device device) {
  if (!device.is_cuda()) {
    throw UsageError(
        "--cuda-graph is 'on', but the step runs on a processor; give --cuda-graph off, or "
        "--device cuda on a machine with a GPU");
  }
#ifdef YOKE_WITH_CUDA
  return make_cuda_graph(device);
#else
  throw UnavailableError(
      "--cuda-graph is 'on', but this yoke was built without CUDA's headers; give --cuda-graph "
      "off, or build it with -DYOKE_WITH_CUDA=ON");
#endif
}

}  // namespace yoke
