#include "yoke/export/onnx.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/export/own_forwards.h"
#include "tests/export/own_model.h"
#include "tests/export/scored_model.h"
#include "tests/support/model_forms.h"
#include "tests/support/support.h"
#include "yoke/core/error.h"

namespace yoke {
namespace {

namespace fs = std::filesystem;
using testing::AllOf;
using testing::HasSubstr;
using testing::ThrowsMessage;

// Runtimes add up in another order, and approximate tanh and exp by other polynomials.
constexpr double kTolerance = 1e-4;
constexpr std::int64_t kMostImages = 5;  // more than a trace sees
constexpr int kMissing = 77;

/// Where scripts/install-onnxruntime puts it.
fs::path onnxruntime() { return fs::path(YOKE_SOURCE_DIR) / "build" / "onnxruntime"; }

/// Writes a model, images and their scores in files that begin with `stem`.
void write_case(const std::string& stem, const Model& model, bool fold) {
  write_onnx(stem + ".onnx", model,
             {.fold_batch_norm = fold, .metadata = {{"yoke", "{}"}, {"classes", "a\nb"}}});
  const auto images = test::noise_images(model, kMostImages);
  test::write_numbers(stem + ".input", images);
  test::write_numbers(stem + ".scores", test::scores_of(model, images));
}

/// ONNX Runtime scores `names` in `folder`, each with 1, 4 and 5 images of `shape`; skips without.
void expect_equal_scores(const fs::path& folder, const std::vector<std::string>& cases) {
  std::vector<std::string> words = {"env",  // which says by its status that there is no node
                                    "node",
                                    "-e",
                                    R"(
const fs = require('fs');
const [, runtime, folder, most, limit, ...cases] = process.argv;
let ort;
try { ort = require(runtime + '/node_modules/onnxruntime-node'); }
catch (error) { console.log(error.message); process.exit(77); }
const numbers = (file) => {
  const bytes = fs.readFileSync(file);
  return new Float32Array(bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.length));
};
(async () => {
  for (const one of cases) {
    const [name, shape] = one.split(':');
    const stem = folder + '/' + name;
    const session = await ort.InferenceSession.create(stem + '.onnx', {intraOpNumThreads: 1});
    if (session.inputNames.join() !== 'input') throw Error(name + ': ' + session.inputNames);
    const input = numbers(stem + '.input'), expected = numbers(stem + '.scores');
    for (const images of [1, most - 1, Number(most)]) {
      const part = input.slice(0, input.length / most * images);
      const tensor = new ort.Tensor('float32', part, [images, ...shape.split(',').map(Number)]);
      const { scores } = await session.run({ input: tensor });
      if (scores.dims[0] !== images || scores.data.length !== expected.length / most * images) {
        throw Error(name + ': scores of sizes ' + scores.dims);
      }
      const off = Math.max(...scores.data.map((value, i) => Math.abs(value - expected[i])));
      if (!(off <= limit)) throw Error(name + ': ' + images + ' images, off by ' + off);
      console.log(name, images, off);
    }
  }
  console.log('all alike');
})().catch((error) => { console.log(error.message); process.exit(1); });
)",
                                    onnxruntime().string(),
                                    folder.string(),
                                    fmt::format("{}", kMostImages),
                                    fmt::format("{}", kTolerance)};
  words.insert(words.end(), cases.begin(), cases.end());
  const auto result = test::run_program(words);
  if (result.status == kMissing || result.status == 127) {
    GTEST_SKIP() << "ONNX Runtime is not there (scripts/install-onnxruntime): " << result.output;
  }
  EXPECT_EQ(result.status, 0) << result.output;
  EXPECT_THAT(result.output, HasSubstr("all alike"));
  testing::Test::RecordProperty("differences", result.output);
}

/// Python's onnx finds nothing wrong with the files of `cases`, all shapes included; skips without.
void expect_valid(const fs::path& folder, const std::vector<std::string>& cases) {
  std::vector<std::string> arguments = {folder.string()};
  arguments.insert(arguments.end(), cases.begin(), cases.end());
  const auto result = test::run_python("onnx", R"(
import sys, onnx
for case in sys.argv[2:]:
    name, shape = case.split(':')
    model = onnx.load(sys.argv[1] + '/' + name + '.onnx')
    onnx.checker.check_model(model, full_check=True)
    graph = onnx.shape_inference.infer_shapes(model, strict_mode=True, data_prop=True).graph
    def sizes(value): return [d.dim_param or d.dim_value for d in value.type.tensor_type.shape.dim]
    assert [i.name for i in graph.input] == ['input'], graph.input
    assert sizes(graph.input[0]) == ['N', *map(int, shape.split(','))], graph.input
    assert [o.name for o in graph.output] == ['scores'], graph.output
    assert sizes(graph.output[0])[0] == 'N' and len(sizes(graph.output[0])) == 2, graph.output
    texts = {entry.key: entry.value for entry in model.metadata_props}
    assert texts == {'yoke': '{}', 'classes': 'a\nb'}, texts
    assert model.opset_import[0].version == 17 and model.producer_name == 'yoke'
print('all valid')
)",
                                       arguments);
  if (!result) GTEST_SKIP() << "Debian's python3-onnx is not installed";
  EXPECT_EQ(result->status, 0) << result->output;
  EXPECT_THAT(result->output, HasSubstr("all valid"));
}

std::string case_of(const std::string& name, const Model& model) {
  const auto& [channels, height, width] = model.input;
  return fmt::format("{}:{},{},{}", name, channels, height, width);
}

/// Files of every model of the registry, written once.
class OnnxOfRegistry : public testing::Test {
 protected:
  static void SetUpTestSuite() {
    directory_ = std::make_unique<test::TemporaryDirectory>();
    const auto add = [](const std::string& name, const Model& model, bool fold) {
      const std::string key = name + (fold ? "-folded" : "");
      write_case((directory_->path() / key).string(), model, fold);
      cases_.push_back(case_of(key, model));
    };
    for (const auto& form : test::model_forms()) {
      for (const bool fold : {false, true}) {
        add(test::test_name(form), test::trained_model(form), fold);
      }
    }
    add("grey", test::trained_model("resnet18", {1, 28, 28}), false);
    add("photos", test::trained_model("resnet18", {3, 96, 64}), true);
  }
  static void TearDownTestSuite() {
    directory_.reset();
    cases_.clear();
  }

  static inline std::unique_ptr<test::TemporaryDirectory> directory_;
  static inline std::vector<std::string> cases_;
};

TEST_F(OnnxOfRegistry, IsValid) { expect_valid(directory_->path(), cases_); }

TEST_F(OnnxOfRegistry, ScoresAlikeInOnnxRuntime) {
  expect_equal_scores(directory_->path(), cases_);
}

TEST(Onnx, OwnModulesScoreAlike) {
  const test::TemporaryDirectory directory;
  std::vector<std::string> cases;
  for (const auto& [name, forward] : test::own_forwards()) {
    const Model model = test::own_model(forward, {3, 8, 8});
    write_case((directory.path() / name).string(), model, false);
    cases.push_back(case_of(name, model));
  }
  expect_valid(directory.path(), cases);
  expect_equal_scores(directory.path(), cases);
}

TEST(Onnx, RefusesAnOperatorThatItLacks) {
  const test::TemporaryDirectory directory;
  const auto file = directory.path() / "model.onnx";
  const auto refused = [&](test::Forward forward, const std::string& where,
                           const std::string& why) {
    const Model model = test::own_model(std::move(forward), {3, 2, 2});
    EXPECT_THAT(
        [&] { write_onnx(file, model); },
        ThrowsMessage<UsageError>(AllOf(HasSubstr(where), HasSubstr(why), HasSubstr("model.ts"))));
    EXPECT_FALSE(fs::exists(file));
  };
  refused([](auto fc, auto x) { return fc(x.flatten(1)).cumsum(1); }, "aten::cumsum after fc",
          "operators.def");
  refused([](auto fc, auto x) { return fc(x.flip({3}).flatten(1)); }, "aten::flip on the images",
          "operators.def");
  refused([](auto fc, auto x) { return fc(x.flatten(1).add_(1)) + x.flatten(1).narrow(1, 0, 4); },
          "aten::add_ on the images", "in place");
  refused([](auto fc, auto x) { return fc(x.flatten(1)).chunk(2)[1]; }, "aten::chunk after fc",
          "parts the images");
  refused([](auto fc, auto x) { return torch::softplus(fc(x.flatten(1)), 2); },
          "aten::softplus after fc", "scaled");
  refused(
      [](auto fc, auto x) {
        return torch::batch_norm(fc(x.flatten(1)), {}, {}, {}, {}, true, 0.1, 1e-5, false);
      },
      "aten::batch_norm after fc", "no running statistics");
}

TEST(Onnx, RefusesWeightsBeyondTheFormat) {
  const test::TemporaryDirectory directory;
  const auto file = directory.path() / "model.onnx";
  const Model model = test::own_model([](auto fc, auto x) { return fc(x.flatten(1)); }, {3, 2, 2},
                                      torch::zeros({1}).expand({600'000'000}));  // of no memory
  EXPECT_THAT([&] { write_onnx(file, model); },
              ThrowsMessage<UsageError>(AllOf(HasSubstr("2.4 GB"), HasSubstr("holds 2 GB"))));
  EXPECT_FALSE(fs::exists(file));
}

}  // namespace
}  // namespace yoke
