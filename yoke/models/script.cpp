// yoke/models/script.cpp: a network of one's own, from a file of TorchScript.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <map>
#include <optional>

#include "yoke/core/error.h"
#include "yoke/models/model.h"
#include "yoke/models/script_file.h"
#include "yoke/models/script_module.h"

namespace yoke {
namespace {

struct ScriptOptions {
  std::string file;
  std::optional<std::int64_t> size;
};

[[noreturn]] void refuse_script(const std::filesystem::path& file, const std::string& why) {
  throw UsageError(fmt::format("model {}: {}", file.string(), why));
}

/// Parameters that Yoke can train: fp32, each in memory of its own.
void check_parameters(const torch::nn::Module& network, const std::filesystem::path& file) {
  std::map<const void*, std::string> names;
  bool learns = false;
  for (const auto& item : network.named_parameters()) {
    const auto& [name, tensor] = item.pair();
    if (tensor.scalar_type() != torch::kFloat32) {
      refuse_script(file, fmt::format("its parameter {} is {}; save it in fp32, after "
                                      "module.float()",
                                      name, c10::toString(tensor.scalar_type())));
    }
    const auto [place, is_new] = names.emplace(tensor.data_ptr(), name);
    if (!is_new && tensor.numel() > 0) {
      refuse_script(file, fmt::format("its parameters {} and {} are one tensor, which Yoke does "
                                      "not train; give each module its own",
                                      place->second, name));
    }
    learns = learns || tensor.requires_grad();
  }
  if (!learns) {
    refuse_script(file,
                  "it has no parameters that learn; save it before torch.jit.freeze(), "
                  "optimize_for_inference() or requires_grad_(False)");
  }
}

/// That two blank images get a score for each class.
void check_scores(ScriptNetwork& network, const ImageShape& image, std::int64_t classes,
                  const std::filesystem::path& file) {
  constexpr std::int64_t kImages = 2;
  const torch::NoGradGuard no_grad;
  network.eval();
  torch::Tensor scores;
  try {
    scores = network.forward(torch::zeros({kImages, image.channels, image.height, image.width}));
  } catch (const std::exception& error) {
    refuse_script(file, fmt::format("it fails on images of {} (channels x height x width): {}; "
                                    "choose data that it is made for, or the side of its images "
                                    "by script:FILE.ts,size=N",
                                    image.str(), one_line(error)));
  }
  network.train();
  if (scores.dim() == 2 && scores.size(0) == kImages && scores.size(1) == classes &&
      scores.scalar_type() == torch::kFloat32) {
    return;
  }
  refuse_script(file,
                fmt::format("it gives {} [{}] for two images, and the data has {} classes, "
                            "which takes float [{}, {}]; give its last layer {} outputs "
                            "before it is saved, or choose other data",
                            c10::toString(scores.scalar_type()), fmt::join(scores.sizes(), ", "),
                            classes, kImages, classes, classes));
}

Model make_script(const ModelInput& input, const ScriptOptions& chosen) {
  if (chosen.file.empty() && input.file.empty()) {
    throw UsageError(
        "model 'script' is one of a file; give it as --model script:FILE.ts, a TorchScript module "
        "as torch.jit.script(module).save() writes it");
  }
  const auto file = input.file.empty() ? std::filesystem::path(chosen.file) : input.file;
  const auto script = read_script(file);
  std::shared_ptr<ScriptNetwork> network;
  try {
    network = std::make_shared<ScriptNetwork>(script);
  } catch (const std::exception& error) {
    refuse_script(file, one_line(error));
  }
  ImageShape image = input.image;
  if (chosen.size) image.height = image.width = *chosen.size;
  check_parameters(*network, file);
  check_scores(*network, image, input.classes, file);
  return {.module = network,
          .forward = [network](const torch::Tensor& images) { return network->forward(images); },
          .input = image};
}

}  // namespace

ModelPlugin script_model() {
  using O = ScriptOptions;
  OptionTable<ScriptOptions> options = {
      {"file", &O::file, "what torch.jit.save() wrote; its name alone will do: `script:net.ts`"},
      {"size", &O::size, in(1, 4096), unset("that of the data"),
       "height and width in pixels that images are resized to"}};
  return {std::move(options).with_bare("file"), make_script, [](const ScriptOptions& chosen) {
            return ModelTraits{.from_file = true, .file = chosen.file};
          }};
}

}  // namespace yoke
