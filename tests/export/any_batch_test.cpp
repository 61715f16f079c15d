// tests/export/any_batch_test.cpp: modules of one's own, whose traces hold the number of images.
#include "yoke/export/any_batch.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <torch/csrc/jit/serialization/import.h>

#include "tests/export/own_model.h"
#include "tests/export/scored_model.h"
#include "tests/support/support.h"
#include "yoke/core/error.h"
#include "yoke/export/torchscript.h"

namespace yoke {
namespace {

using test::Forward;
using testing::HasSubstr;
using testing::ThrowsMessage;

Model own_model(Forward forward) { return test::own_model(std::move(forward), {3, 2, 2}); }

TEST(AnyBatch, FollowsSizesThatTheModelAskedFor) {
  const test::TemporaryDirectory directory;
  const auto file = (directory.path() / "model.ts").string();
  const Forward cases[] = {
      [](auto fc, auto x) {
        return fc(x.view({x.size(0), 12}));
      },
      [](auto fc, auto x) {
        return fc(x.view({x.size(0), -1}));
      },
      [](auto fc, auto x) {  // three rows of each image
        return fc(x.reshape({x.size(0) * 3, 4}).repeat({1, 3})).view({x.size(0), 3, 4}).mean(1);
      },
      [](auto fc, auto x) {
        return fc(x.flatten(1) + torch::ones({1, 12}).expand({x.size(0), 12}));
      },
      [](auto fc, auto x) {  // two heads of six features of each row, behind a token of its own
        x = x.flatten(2).permute({0, 2, 1}).repeat({1, 1, 12});  // [N, 4, 36]
        x = torch::cat({fc->weight.view({1, 1, 48}).slice(2, 0, 36).expand({x.size(0), -1, -1}), x},
                       1);
        const auto parts = x.chunk(3, -1);
        const auto by_head = [&](const auto& part) {
          return part.view({x.size(0), 5, 2, 6}).transpose(1, 2);
        };
        const auto scores = torch::matmul(by_head(parts[0]), by_head(parts[1]).transpose(2, 3));
        const auto mixed = torch::matmul(torch::softmax(scores, -1), by_head(parts[2]));
        return fc(mixed.transpose(1, 2).reshape({x.size(0), 5, 12})).select(1, 0);
      },
  };
  for (const auto& forward : cases) {
    const Model model = own_model(forward);
    write_torchscript(file, model);
    auto loaded = torch::jit::load(file);
    for (const std::int64_t images : {1, 2, 7}) {
      const auto input = torch::randn({images, 3, 2, 2});
      EXPECT_TRUE(torch::allclose(test::scores_of(loaded, input), model.forward(input)));
    }
  }
}

TEST(AnyBatch, RefusesWhatDependsOnItOtherwise) {
  const test::TemporaryDirectory directory;
  const auto file = directory.path() / "model.ts";
  const auto refused = [&](Forward forward, const std::string& what) {
    EXPECT_THAT([&] { write_torchscript(file, own_model(std::move(forward))); },
                ThrowsMessage<Error>(HasSubstr(what)));
    EXPECT_FALSE(std::filesystem::exists(file));
  };
  refused([](auto fc, auto x) { return fc(x.flatten(1)) * (1.0 / x.size(0)); },
          "aten::mul after fc depends on how many there are");
  refused(
      [](auto fc, auto x) {
        auto scores = fc(x.flatten(1));
        return x.size(0) > 2 ? scores.relu() : scores;
      },
      "depends on how many there are");
  refused([](auto fc, auto x) { return fc(x.flatten(1)).narrow(0, 0, x.size(0) - 1); },
          "aten::narrow after fc");
}

}  // namespace
}  // namespace yoke
