#include "yoke/models/module_parts.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <torch/nn/module.h>

#include "yoke/core/error.h"
#include "yoke/models/model.h"

namespace yoke {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

std::vector<std::string> meant(const Model& model, const std::string& text) {
  std::vector<std::string> names;
  const auto parameters = model.module->named_parameters();
  const auto flags = parameters_of(*model.module, text, "freeze");
  for (std::size_t i = 0; i < flags.size(); ++i) {
    if (flags[i]) names.push_back(parameters[i].key());
  }
  return names;
}

Model lenet() { return make_model("lab-cnn", {{1, 28, 28}, 10}, 1); }

TEST(ModuleParts, AreThoseOfTheModulesThatAreNamed) {
  EXPECT_THAT(meant(lenet(), "conv1+fc2"),
              testing::ElementsAre("conv1.weight", "conv1.bias", "fc2.weight", "fc2.bias"));
  EXPECT_THAT(meant(lenet(), "fc2.bias"), testing::ElementsAre("fc2.bias"));
  EXPECT_THAT(meant(lenet(), "all-but=conv1+conv2+fc1+fc2"),
              testing::ElementsAre("fc3.weight", "fc3.bias"));
  EXPECT_EQ(meant(lenet(), "backbone"), meant(lenet(), "all-but=fc3"));
  EXPECT_THAT(meant(make_model("resnet18", {{3, 32, 32}, 10}, 1), "layer1"),
              AllOf(testing::SizeIs(12), testing::Each(testing::StartsWith("layer1."))));
}

TEST(ModuleParts, RefuseANameThatIsNotThere) {
  EXPECT_THAT([] { meant(lenet(), "conv1+fc4"); },
              testing::ThrowsMessage<UsageError>(AllOf(HasSubstr("--freeze conv1+fc4"),
                                                       HasSubstr("no module 'fc4'"),
                                                       HasSubstr("did you mean 'fc"))));
  EXPECT_THAT([] { meant(lenet(), "classifier"); },
              testing::ThrowsMessage<UsageError>(
                  HasSubstr("allowed: backbone, conv1, conv2, fc1, fc2, fc3")));
  EXPECT_THAT([] { meant(lenet(), "bacbone"); },
              testing::ThrowsMessage<UsageError>(HasSubstr("did you mean 'backbone'?")));
  for (const auto* const text : {"", "+", "conv1+", "all-but=", "conv", "conv1.", "fc1.weigh"}) {
    EXPECT_THROW(meant(lenet(), text), UsageError) << text;
  }
}

TEST(ModuleParts, DoNotAllFreeze) {
  const Model model = lenet();
  EXPECT_THAT([&] { freeze(*model.module, "conv1+conv2+fc1+fc2+fc3"); },
              testing::ThrowsMessage<UsageError>(HasSubstr("nothing is left that learns")));
}

TEST(ModuleParts, LeaveFrozenBatchNormsInEvaluation) {
  const Model model = make_model("resnet18", {{3, 32, 32}, 10}, 1);
  freeze(*model.module, "bn1+layer1.0.bn2+layer2.0.bn1.weight");
  const auto training = [&] {
    std::vector<std::string> names;
    for (const auto& item : model.module->named_modules("", /*include_self=*/false)) {
      if (!item.value()->is_training()) names.push_back(item.key());
    }
    return names;
  };
  set_training(*model.module, true);
  EXPECT_THAT(training(), testing::ElementsAre("bn1", "layer1.0.bn2"));
  set_training(*model.module, false);
  EXPECT_THAT(training(), Not(testing::Contains(testing::HasSubstr("none"))));
  EXPECT_FALSE(model.module->is_training());
}

}  // namespace
}  // namespace yoke
