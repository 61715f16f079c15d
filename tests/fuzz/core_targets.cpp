// Weights and recipes.
#include "tests/fuzz/target.h"
#include "yoke/core/files/recipe.h"
#include "yoke/core/files/safetensors.h"

namespace yoke::test {
namespace {

std::string weights() {
  const NamedTensors tensors = {{"w", torch::arange(6).to(torch::kFloat32).reshape({2, 3})},
                                {"n", torch::full({}, 7, torch::kInt64)},
                                {"h", torch::ones({3}, torch::kBFloat16)}};
  return bytes_written_by([&](const auto& path) {
    write_safetensors(path, tensors, {{"format", "pt"}});
  });
}

}  // namespace

std::vector<FuzzTarget> core_targets() {
  return {{"safetensors",
           {weights()},
           [file = InputFile()](const std::string& bytes) {
             for (const auto& [name, tensor] : read_safetensors(file.holding(bytes))) {
               tensor.to(torch::kFloat64).sum();
             }
           }},
          {"recipe",
           {"model = \"lenet\"\nlr = 0.1\nepochs = 2\nflip = true\n", "# nothing\n",
            "a = 'b'\nc = \"\\u0041\"\nbatch_size = 0x40\nd = 1e-3 # e\n"},
           [file = InputFile()](const std::string& bytes) {
             recipe_text(read_recipe(file.holding(bytes)));
           }}};
}

}  // namespace yoke::test
