#include "yoke/train/checkpoints/export.h"

#include <gtest/gtest.h>

#include "tests/train/run.h"
#include "yoke/core/error.h"
#include "yoke/data/formats/pt.h"

namespace yoke {
namespace {

namespace fs = std::filesystem;
using test::expect_equal;

/// Views of one large storage, a transposed, a 0-rank and an empty tensor; several dtypes.
NamedTensors example() {
  const auto flat = torch::arange(100000, torch::kFloat32);
  return {{"conv.weight", flat.narrow(0, 10, 6).view({2, 3})},
          {"conv.bias", flat.narrow(0, 16, 4)},
          {"transposed", torch::arange(6).view({2, 3}).t()},
          {"batches", torch::scalar_tensor(12, torch::kInt64)},
          {"half", torch::full({2}, 0.5, torch::kFloat16)},
          {"empty", torch::empty({0, 3})}};
}

TEST(WritePt, RoundTripKeepsOrderAndValues) {
  const test::TemporaryDirectory directory;
  const auto path = directory.path() / "model.pt";
  write_pt(path, example());
  expect_equal(read_pt(path), example());
}

TEST(WritePt, LeavesOutTheRestOfASharedStorage) {
  const test::TemporaryDirectory directory;
  const auto path = directory.path() / "model.pt";
  write_pt(path, example());
  EXPECT_LT(fs::file_size(path), 10000u);
}

TEST(WritePt, PythonLoadsADictOfTensors) {
  const test::TemporaryDirectory directory;
  const auto path = directory.path() / "model.pt";
  write_pt(path, example());
  const auto result = test::run_python("torch", R"(
import inspect, sys, torch
flat = torch.arange(100000, dtype=torch.float32)
expected = {'conv.weight': flat[10:16].view(2, 3), 'conv.bias': flat[16:20],
            'transposed': torch.arange(6).view(2, 3).t(), 'batches': torch.tensor(12),
            'half': torch.full((2,), 0.5, dtype=torch.float16), 'empty': torch.empty(0, 3)}
for options in [dict(), dict(weights_only=True)]:
    if not options.keys() <= inspect.signature(torch.load).parameters.keys(): continue
    loaded = torch.load(sys.argv[1], **options)
    assert isinstance(loaded, dict), type(loaded)
    assert list(loaded) == list(expected), list(loaded)
    for name, tensor in expected.items():
        assert loaded[name].dtype == tensor.dtype and torch.equal(loaded[name], tensor), name
        assert not loaded[name].requires_grad
print('equal')
)",
                                       {path.string()});
  if (!result) GTEST_SKIP() << "Python's torch is not installed (Debian: python3-torch)";
  EXPECT_EQ(result->output, "equal\n");
}

}  // namespace
}  // namespace yoke
