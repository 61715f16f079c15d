// examples/data-parallel/main.cpp: MNIST with LibTorch's own data, loop and optimizer, over ranks.
//
//   yoke run -np 2 -- ./data_parallel DIR [EPOCHS]    DIR holds MNIST's four files, unpacked;
//   also by mpirun, srun, torchrun --no-python, or by itself as one rank
#include <torch/data.h>
#include <torch/nn.h>
#include <torch/optim.h>

#include <iostream>

#include "yoke/yoke.h"

using torch::data::datasets::MNIST;
namespace nn = torch::nn;

int main(int argc, char** argv) try {
  if (argc < 2) throw yoke::UsageError("usage: data_parallel DIR [EPOCHS]");
  const int epochs = argc > 2 ? std::stoi(argv[2]) : 3;
  constexpr std::size_t kBatch = 64;  // images per rank

  yoke::keep_freed_memory();
  const auto ranks = yoke::make_communicator("auto", yoke::join(yoke::world_from_environment()));

  nn::Sequential network(nn::Conv2d(1, 16, 5), nn::ReLU(), nn::MaxPool2d(2), nn::Flatten(),
                         nn::Linear(16 * 12 * 12, 128), nn::ReLU(), nn::Linear(128, 10));
  yoke::DataParallel parallel(*network, *ranks);
  torch::optim::Adam optimizer(network->parameters(), 1e-3);

  const auto train = MNIST(argv[1]).map(torch::data::transforms::Stack<>());
  torch::data::samplers::DistributedRandomSampler sampler(*train.size(), ranks->size(),
                                                          ranks->rank());
  for (int epoch = 0; epoch < epochs; ++epoch) {
    sampler.set_epoch(epoch);  // another order
    const auto loader = torch::data::make_data_loader(train, sampler, kBatch);
    torch::Tensor loss;
    for (const auto& batch : *loader) {
      const auto scores = network->forward(batch.data);
      loss = parallel.backward(torch::cross_entropy_loss(scores, batch.target), scores.size(0));
      optimizer.step();
    }
    if (ranks->rank() == 0)
      std::cout << "Epoch " << epoch << ", loss " << loss.item<float>() << '\n';
  }

  const torch::NoGradGuard no_grad;
  const MNIST test(argv[1], MNIST::Mode::kTest);
  auto right = torch::zeros({1}, torch::kInt64);
  const std::int64_t images = test.images().size(0), step = 1000 * ranks->size();
  for (std::int64_t at = 1000 * ranks->rank(); at < images; at += step) {
    const auto scores = network->forward(test.images().slice(0, at, at + 1000));
    right += scores.argmax(1).eq(test.targets().slice(0, at, at + 1000)).sum();
  }
  ranks->all_reduce(right);
  if (ranks->rank() != 0) return 0;
  std::cout << "Test accuracy " << right.item<double>() / static_cast<double>(images) << '\n';
} catch (const std::exception& error) {
  std::cerr << error.what() << '\n';
  return 1;
}
