// tests/train/torchvision_test.cpp: models with torchvision's weights score as torchvision's do.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <map>

#include "tests/support/support.h"
#include "yoke/data/download/published_weights.h"
#include "yoke/data/formats/pt.h"
#include "yoke/models/model.h"
#include "yoke/train/checkpoints/weights.h"

namespace yoke {
namespace {

/// Writes the weights of a model in both formats, and images with their scores. Weights of norms
/// and what begins at or near zero are random, and statistics those of some images, so that all of
/// them matter and scores are near 1.
constexpr const char* kTorchvision = R"(
import json, re, struct, sys, torch, torchvision
name, folder = sys.argv[1:]
torch.manual_seed(7)
sides = (224,) if name == 'vit_small' else (224, 64)
if name == 'vit_small':
    model = torchvision.models.VisionTransformer(image_size=224, patch_size=16, num_layers=12,
                                                 num_heads=6, hidden_dim=384, mlp_dim=1536)
else:
    model = getattr(torchvision.models, name)()
for key, parameter in model.named_parameters():
    if key.endswith('layer_scale'):
        torch.nn.init.uniform_(parameter, 0.1, 1)
    elif key == 'class_token' or key == 'heads.head.weight' or key.endswith('in_proj_bias'):
        torch.nn.init.normal_(parameter, 0, 0.1)
if name == 'mobilenet_v3_large':
    torch.nn.init.normal_(model.classifier[-1].weight, 0, 0.1)
for module in model.modules():
    if isinstance(module, (torch.nn.BatchNorm2d, torch.nn.LayerNorm)):
        torch.nn.init.uniform_(module.weight, 0.5, 1.5)
        torch.nn.init.normal_(module.bias, 0, 0.1)
        module.momentum = None
model(torch.randn(8, 3, 224, 224))  # statistics of smaller images make scores of thousands
model.eval()
probe = {}
for side in sides:
    probe[f'images.{side}'] = torch.randn(2, 3, side, side)
    with torch.no_grad():
        probe[f'scores.{side}'] = model(probe[f'images.{side}'])
torch.save(probe, f'{folder}/probe.pt')

state = model.state_dict()
torch.save(state, f'{folder}/weights.pt')
# As those of 2017 are: without counts of batches, and with DenseNets' older names.
older = {re.sub(r'(denselayer\d+\.)(norm|conv)(\d)', r'\1\2.\3', key): tensor
         for key, tensor in state.items() if not key.endswith('num_batches_tracked')}
torch.save(older, f'{folder}/weights.pth', _use_new_zipfile_serialization=False)
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

/// A model by its two names.
struct Pair {
  std::string yoke, torchvision;

  friend void PrintTo(const Pair& pair, std::ostream* out) { *out << pair.yoke; }
};

class Torchvision : public ::testing::TestWithParam<Pair> {};

TEST_P(Torchvision, WeightsGiveTheSameScores) {
  const test::TemporaryDirectory directory;
  const auto& [name, function] = GetParam();
  const auto result =
      test::run_python("torchvision", kTorchvision, {function, directory.path().string()});
  if (!result) GTEST_SKIP() << "torchvision is not installed (Debian: python3-torchvision)";
  ASSERT_EQ(result->status, 0) << result->output;
  std::map<std::string, torch::Tensor> probe;
  for (auto& [name, tensor] : read_pt(directory.path() / "probe.pt")) probe[name] = tensor;
  const torch::NoGradGuard no_grad;
  for (const char* const file : {"weights.pt", "weights.pth", "weights.safetensors"}) {
    const Model model = make_model(name, {{3, 224, 224}, 1000}, 1);
    load_weights(*model.module, choose_weights((directory.path() / file).string(), name, ""));
    model.module->eval();
    for (const std::string side : {"224", "64"}) {
      if (!probe.contains("scores." + side)) continue;  // torchvision's takes one size alone
      const auto expected = probe.at("scores." + side);
      const auto found = model.forward(probe.at("images." + side));
      EXPECT_GT(expected.abs().max().item<double>(), 0.1);
      EXPECT_LE((found - expected).abs().max().item<double>(), 1e-4) << file << " " << side;
    }
  }
}

/// Prints where torchvision has the file of each weights, and their accuracy.
constexpr const char* kPublished = R"(
import sys, torchvision
versions = {'imagenet': 'IMAGENET1K_V1', 'imagenet-v2': 'IMAGENET1K_V2'}
others = {'vgg11': 'vgg11_bn', 'vgg16': 'vgg16_bn'}
renamed = {'3dd342df': '7f5810bc'}  # by torchvision 0.15: after the file's digest, as the others
for full_name in sys.argv[1:]:
    model, name = full_name.split(':')
    model = others.get(model, model)
    kind = next(value for key, value in vars(torchvision.models).items()
                if key.lower() == model.replace('-', '_') + '_weights')
    weights = kind[versions[name]]
    url = weights.url
    for old, new in renamed.items():
        url = url.replace(old, new)
    print(url, weights.meta['_metrics']['ImageNet-1K']['acc@1'])
)";

TEST(TorchvisionWeights, AreThoseThatHaveNames) {
  std::vector<std::string> names;
  std::string expected;
  for (const auto& weights : published_weights()) {
    names.push_back(weights.full_name());
    expected +=
        fmt::format("{}{} {}\n", weights.remote().mirrors.front(), weights.file, weights.top1);
  }
  const auto result = test::run_python("torchvision", kPublished, names);
  if (!result) GTEST_SKIP() << "torchvision is not installed (Debian: python3-torchvision)";
  EXPECT_EQ(result->output, expected);
}

INSTANTIATE_TEST_SUITE_P(
    Models, Torchvision,
    ::testing::Values(Pair{"resnet18", "resnet18"}, Pair{"resnet34", "resnet34"},
                      Pair{"resnet50", "resnet50"},  //
                      Pair{"vgg11", "vgg11_bn"},     //
                      Pair{"vgg16", "vgg16_bn"}, Pair{"mobilenet-v2", "mobilenet_v2"},
                      Pair{"mobilenet-v3-large", "mobilenet_v3_large"},
                      Pair{"efficientnet-b0", "efficientnet_b0"},
                      Pair{"densenet121", "densenet121"}, Pair{"convnext-tiny", "convnext_tiny"},
                      Pair{"vit-small", "vit_small"}),
    [](const auto& tested) { return tested.param.torchvision; });

}  // namespace
}  // namespace yoke
