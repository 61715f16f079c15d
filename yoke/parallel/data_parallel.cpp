#include "yoke/parallel/data_parallel.h"

#include <fmt/format.h>
#include <torch/utils.h>

#include "yoke/core/error.h"
#include "yoke/parallel/agreement.h"

namespace yoke {
namespace {

void check(const torch::Tensor& loss, std::int64_t images) {
  if (images < 0) throw Error(fmt::format("{} images; a rank has 0 or more", images));
  if (images > 0 && (!loss.defined() || loss.numel() != 1)) {
    throw Error(fmt::format(
        "the loss of {} images is {}; give one number that depends on the parameters, their mean",
        images, loss.defined() ? fmt::format("of shape {}", c10::str(loss.sizes())) : "undefined"));
  }
}

}  // namespace

DataParallel::DataParallel(torch::nn::Module& module, Communicator& communicator,
                           const DataParallelOptions& options)
    : module_(module),
      communicator_(communicator),
      parameters_(module, [&](std::int64_t size) { return communicator.allocate(size); }),
      hooks_(module, parameters_),
      filler_(cut_into_buckets(parameters_, options), [this](std::size_t i) {
        const auto [begin, end] = filler_.buckets()[i];
        works_.push_back(communicator_.start(
            Operation::all_reduce(parameters_.gradients().narrow(0, begin, end - begin))));
      }) {
  broadcast_model(parameters_, module.buffers(), communicator);
  attach_gradients();
}

torch::Tensor DataParallel::backward(const torch::Tensor& loss, std::int64_t images) {
  check(loss, images);
  const double share = share_of_step(images);
  attach_gradients();
  parameters_.gradients().zero_();
  filler_.reset();
  works_.clear();
  torch::Tensor part = torch::zeros({}, parameters_.values().options());
  if (images > 0) part = loss.reshape({}).to(part.options()) * share;
  hooks_.during([this](std::int64_t begin, std::int64_t end) { filler_.fill(begin, end); },
                [&] {
                  if (images > 0) part.backward();
                });
  const torch::Tensor mean = part.detach().clone();
  works_.push_back(communicator_.start(Operation::all_reduce(mean)));
  for (const Work& work : works_) work.wait();
  return mean;
}

void DataParallel::synchronise() { average_buffers(module_.buffers(), communicator_); }

/// The part of the step's images that this rank has; all ranks wait for each other.
double DataParallel::share_of_step(std::int64_t images) {
  const auto device = parameters_.values().device();
  const auto sum = torch::full({1}, images, torch::dtype(torch::kInt64).device(device));
  communicator_.all_reduce(sum);
  const auto total = sum.item<std::int64_t>();
  if (total == 0) {
    throw Error("no rank has images in this step; end the epoch on all ranks alike");
  }
  return static_cast<double>(images) / static_cast<double>(total);
}

/// Makes gradients views of the flat vector, also where an optimizer has dropped them. A frozen
/// parameter has none, as optimizers expect.
void DataParallel::attach_gradients() {
  const auto parameters = module_.parameters();
  for (std::size_t i = 0; i < parameters.size(); ++i) {
    const auto& parameter = parameters[i];
    const auto& slice = parameters_.slices()[i];
    const auto view =
        parameters_.gradients().narrow(0, slice.offset, slice.elements).view(slice.shape);
    parameter.mutable_grad() = parameter.requires_grad() ? view : torch::Tensor();
  }
}

}  // namespace yoke
