// examples/mnist/main.cpp: trains a module of one's own with Yoke's data, optimizers and reports.
//
//   mnist [DATA [DATA_DIR [RUN_DIR]]]    DATA as for `yoke train --data`: mnist, glyphs, ...
//   yoke run -np 2 -- ./mnist            over ranks; likewise with mpirun, srun, torchrun
#include <torch/nn/modules/conv.h>
#include <torch/nn/modules/linear.h>

#include <exception>
#include <iostream>

#include "yoke/yoke.h"

namespace {

struct NetworkImpl : torch::nn::Module {
  NetworkImpl(const yoke::ImageShape& image, std::int64_t classes) {
    const auto side = [](std::int64_t pixels) { return (pixels - 4) / 2; };
    conv = register_module("conv", torch::nn::Conv2d(image.channels, 32, 5));
    hidden = register_module("hidden",
                             torch::nn::Linear(32 * side(image.height) * side(image.width), 128));
    output = register_module("output", torch::nn::Linear(128, classes));
  }

  torch::Tensor forward(torch::Tensor x) {  // [N, C, H, W] to [N, classes]
    x = torch::max_pool2d(torch::relu(conv->forward(x)), 2);
    return output->forward(torch::relu(hidden->forward(x.flatten(1))));
  }

  torch::nn::Conv2d conv{nullptr};
  torch::nn::Linear hidden{nullptr}, output{nullptr};
};
TORCH_MODULE(Network);

}  // namespace

int main(int argc, char** argv) try {
  yoke::keep_freed_memory();
  yoke::TrainConfig config;
  config.model = "mine";  // A name for the reports.
  config.data = argc > 1 ? argv[1] : "glyphs";
  config.data_dir = argc > 2 ? argv[2] : "data";
  if (argc > 3) config.out = argv[3];
  config.epochs = 2;
  config.optimizer = "adam";
  config.lr = 1e-3;

  const yoke::TrainParts parts{.model = [](const yoke::ModelInput& input) {
    return yoke::wrap_module(Network(input.image, input.classes), input.image);
  }};
  const auto world = yoke::world_from_environment();
  const auto result =
      yoke::train(config, parts, {.output = {.stream = &std::cout}, .world = world});
  if (world.rank != 0) return 0;
  std::cout << "Validation accuracy " << result.summary.at("val_top1") << ", results in "
            << result.directory << '\n';
} catch (const std::exception& error) {
  std::cerr << error.what() << '\n';
  return 1;
}
