// Graphs by LibTorch's CUDAGraph, which keeps the memory of the recorded step, and at each replay
// gives dropout the numbers that the generator would have given.
#include "yoke/engine/eager/cuda_graph.h"

#include <ATen/cuda/CUDAGeneratorImpl.h>
#include <ATen/cuda/CUDAGraph.h>
#include <c10/core/Event.h>
#include <c10/core/StreamGuard.h>
#include <c10/cuda/CUDACachingAllocator.h>
#include <c10/cuda/CUDAStream.h>
#include <fmt/format.h>
#include <torch/cuda.h>
#include <torch/version.h>

#include "yoke/core/error.h"

namespace yoke {

#if TORCH_VERSION_MAJOR > 2 || (TORCH_VERSION_MAJOR == 2 && TORCH_VERSION_MINOR >= 2)
namespace {

/// What `stream` is given from now on waits for what `other` was given.
void wait_for(c10::Stream other, c10::Stream stream) {
  c10::Event event(torch::kCUDA);
  event.record(other);
  event.block(stream);
}

/// The generator of random numbers may take what it is asked from now on for a part of a recording
/// that LibTorch could not end; a copy of it knows of none.
void forget_recording(torch::Device device) {
#if TORCH_VERSION_MAJOR > 2 || (TORCH_VERSION_MAJOR == 2 && TORCH_VERSION_MINOR >= 5)
  at::Generator generator = at::cuda::detail::getDefaultCUDAGenerator(device.index());
  generator.graphsafe_set_state(generator.clone());
#else
  static_cast<void>(device);
#endif
}

class CudaGraph final : public StepGraph {
 public:
  explicit CudaGraph(torch::Device device)
      : device_(device),
        // LibTorch hands out streams by turns, those of no priority also to threads that copy.
        stream_(c10::cuda::getStreamFromPool(/*isHighPriority=*/true, device.index()).unwrap()) {}

  void rehearse(const std::function<void()>& work) override {
    const c10::Stream caller = c10::cuda::getCurrentCUDAStream(device_.index()).unwrap();
    wait_for(caller, stream_);
    {
      const c10::StreamGuard guard(stream_);
      work();
    }
    wait_for(stream_, caller);
  }

  void record(const std::function<void()>& work) override {
    torch::cuda::synchronize(device_.index());
    c10::cuda::CUDACachingAllocator::emptyCache();  // of the rehearsals: the graph has its own
    const c10::StreamGuard guard(stream_);
    // Threads that make batches go on meanwhile.
    graph_.capture_begin({0, 0}, cudaStreamCaptureModeThreadLocal);
    try {
      work();
      graph_.capture_end();
    } catch (const std::exception& error) {
      abandon();
      throw Error(
          fmt::format("the step cannot be recorded as a CUDA graph, which no model can that waits "
                      "for numbers from the GPU; give --cuda-graph off ({})",
                      error.what()));
    }
  }

  void replay() override { graph_.replay(); }

 private:
  /// Ends the recording of work that threw.
  void abandon() noexcept {
    try {
      graph_.capture_end();
    } catch (const std::exception&) {  // says again what was said
      forget_recording(device_);
    }
  }

  const torch::Device device_;
  const c10::Stream stream_;
  at::cuda::CUDAGraph graph_;
};

}  // namespace

std::unique_ptr<StepGraph> make_cuda_graph(torch::Device device) {
  return std::make_unique<CudaGraph>(device);
}

#else

std::unique_ptr<StepGraph> make_cuda_graph(torch::Device) {
  throw UnavailableError(fmt::format(
      "--cuda-graph is 'on', but this LibTorch is {}, and only from 2.2 on may other threads "
      "allocate while a graph is recorded; give --cuda-graph off, or build against a newer one",
      TORCH_VERSION));
}

#endif

}  // namespace yoke
