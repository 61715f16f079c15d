// tests/train/torchvision_test.cpp: models with torchvision's weights score as torchvision's do.
#include <gtest/gtest.h>

#include <map>

#include "tests/support/support.h"
#include "yoke/data/formats/pt.h"
#include "yoke/models/model.h"
#include "yoke/train/checkpoints/weights.h"

namespace yoke {
namespace {

/// Writes the weights of a model in both formats, and images with their scores. Weights of batch
/// norms are random, and its statistics those of some images, so that all of them matter and
/// scores are near 1.
constexpr const char* kTorchvision = R"(
import json, struct, sys, torch, torchvision
name, folder = sys.argv[1:]
torch.manual_seed(7)
model = getattr(torchvision.models, name)()
for module in model.modules():
    if isinstance(module, torch.nn.BatchNorm2d):
        torch.nn.init.uniform_(module.weight, 0.5, 1.5)
        torch.nn.init.normal_(module.bias, 0, 0.1)
        module.momentum = None
model(torch.randn(8, 3, 64, 64))
model.eval()
probe = {}
for side in (224, 64):
    probe[f'images.{side}'] = torch.randn(2, 3, side, side)
    with torch.no_grad():
        probe[f'scores.{side}'] = model(probe[f'images.{side}'])
torch.save(probe, f'{folder}/probe.pt')

state = model.state_dict()
torch.save(state, f'{folder}/weights.pt')
header, data, place = {}, [], 0
for key, tensor in state.items():
    data.append(tensor.contiguous().numpy().tobytes())
    header[key] = {'dtype': {torch.float32: 'F32', torch.int64: 'I64'}[tensor.dtype],
                   'shape': list(tensor.shape), 'data_offsets': [place, place + len(data[-1])]}
    place += len(data[-1])
text = json.dumps(header).encode()
with open(f'{folder}/weights.safetensors', 'wb') as file:
    file.write(struct.pack('<Q', len(text)) + text + b''.join(data))
)";

class Torchvision : public ::testing::TestWithParam<const char*> {};

TEST_P(Torchvision, WeightsGiveTheSameScores) {
  const test::TemporaryDirectory directory;
  const auto result =
      test::run_python("torchvision", kTorchvision, {GetParam(), directory.path().string()});
  if (!result) GTEST_SKIP() << "torchvision is not installed (Debian: python3-torchvision)";
  ASSERT_EQ(result->status, 0) << result->output;
  std::map<std::string, torch::Tensor> probe;
  for (auto& [name, tensor] : read_pt(directory.path() / "probe.pt")) probe[name] = tensor;
  const torch::NoGradGuard no_grad;
  for (const char* const file : {"weights.pt", "weights.safetensors"}) {
    const Model model = make_model(GetParam(), {{3, 224, 224}, 1000}, 1);
    load_weights(*model.module, {.file = directory.path() / file, .skip = {}});
    model.module->eval();
    for (const std::string side : {"224", "64"}) {
      const auto expected = probe.at("scores." + side);
      const auto found = model.forward(probe.at("images." + side));
      EXPECT_GT(expected.abs().max().item<double>(), 0.1);
      EXPECT_LE((found - expected).abs().max().item<double>(), 1e-4) << file << " " << side;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Residual, Torchvision,
                         ::testing::Values("resnet18", "resnet34", "resnet50"),
                         [](const auto& tested) { return std::string(tested.param); });

}  // namespace
}  // namespace yoke
