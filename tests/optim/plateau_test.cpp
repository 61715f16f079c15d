// tests/optim/plateau_test.cpp: rates that fall with evaluations, beside PyTorch's
// ReduceLROnPlateau.
#include "yoke/optim/plateau.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/optim/python.h"
#include "yoke/core/error.h"
#include "yoke/optim/saved_state.h"
#include "yoke/optim/schedule.h"

namespace yoke {
namespace {

constexpr double kPlateauRate = 0.4;
constexpr int kEvaluations = 40;

/// Falls, then wanders; Python computes the same.
double wandering(int i) { return 2.0 / (1 + i % 17) + (i * 37 % 11) / 64.0 + (i > 20 ? 0.25 : 0); }

Plateau plateau_of(const std::string& text) {
  return Plateau(*schedules().choose(text).traits.plateau);
}

/// The rates after each of the evaluations.
std::vector<double> rates_of(Plateau& plateau) {
  std::vector<double> rates;
  for (int i = 0; i < kEvaluations; ++i) {
    plateau.add(wandering(i), wandering(i) / 4);
    rates.push_back(plateau.rate(kPlateauRate));
  }
  return rates;
}

constexpr const char* kReduceOnPlateau = R"(
import sys, torch
from torch.optim.lr_scheduler import ReduceLROnPlateau
o = torch.optim.SGD([torch.zeros(1, requires_grad=True)], 0.4)
s = eval('ReduceLROnPlateau(o, ' + sys.argv[1] + ', eps=0)')
for i in range(40):
    value = 2.0 / (1 + i % 17) + (i * 37 % 11) / 64.0 + (0.25 if i > 20 else 0)
    s.step(value / 4 if s.mode == 'max' else value)
    print(o.param_groups[0]['lr'])
)";

TEST(Plateau, FallsAsThatOfPyTorch) {
  for (const auto& [ours, theirs] :
       {std::pair("plateau:patience=3", "'min', patience=3"),
        std::pair("plateau:patience=0,factor=0.9", "'min', 0.9, 0"),
        std::pair("plateau:patience=2,factor=0.5,cooldown=4", "'min', 0.5, 2, cooldown=4"),
        std::pair("plateau:patience=1,threshold=0.2", "'min', patience=1, threshold=0.2"),
        std::pair("plateau:patience=1,factor=0.3,min_lr=0.02", "'min', 0.3, 1, min_lr=0.02"),
        std::pair("plateau:metric=top1,patience=4,threshold=0.1",
                  "'max', patience=4, threshold=0.1")}) {
    auto printed = test::ask_python(kReduceOnPlateau, {theirs});
    if (!printed) GTEST_SKIP() << "Python has no torch here";
    Plateau plateau = plateau_of(ours);
    const auto rates = rates_of(plateau);
    EXPECT_LT(rates.back(), kPlateauRate) << ours;
    for (std::size_t i = 0; i < rates.size(); ++i) {
      double expected = 0;
      ASSERT_TRUE(*printed >> expected) << ours << " " << i;
      EXPECT_NEAR(rates[i], expected, 1e-12 + 1e-9 * expected) << ours << " " << i;
    }
  }
}

TEST(Plateau, GoesOnFromItsState) {
  const char* const text = "plateau:patience=1,factor=0.5,cooldown=1";
  Plateau whole = plateau_of(text);
  for (int i = 0; i < kEvaluations; ++i) {
    Plateau rest = plateau_of(text);
    rest.state().front().second.copy_(whole.state().front().second);
    EXPECT_EQ(whole.add(wandering(i), 0), rest.add(wandering(i), 0)) << i;
    EXPECT_EQ(whole.rate(1), rest.rate(1)) << i;
  }
}

/// A warm-up's first rates are lower than min_lr.
TEST(Plateau, RaisesNoRate) {
  Plateau plateau = plateau_of("warmup:then=plateau,patience=0,min_lr=0.1");
  EXPECT_EQ(plateau.rate(0.01), 0.01);
  plateau.add(1, 0);
  EXPECT_TRUE(plateau.add(1, 0));
  EXPECT_EQ(plateau.rate(0.01), 0.01);
  EXPECT_EQ(plateau.rate(0.4), 0.1);
}

TEST(Plateau, IsAskedForByItsScheduleAlone) {
  EXPECT_FALSE(schedules().choose("cosine").traits.plateau);
  EXPECT_FALSE(schedules().choose("warmup:then=cosine").traits.plateau);
  EXPECT_TRUE(schedules().choose("warmup:then=plateau").traits.plateau);
}

TEST(SavedState, KeepsLeavesOutOrTakesWhatAnotherRunCarried) {
  const auto zero = torch::zeros({1}), one = torch::ones({1});
  const NamedTensors own = {{"a", zero}};
  const auto names = [](const NamedTensors& tensors) {
    std::vector<std::string> names;
    for (const auto& [name, tensor] : tensors) names.push_back(name);
    return names;
  };
  using testing::ElementsAre;
  EXPECT_THAT(names(with_own_state({{"x", one}}, {"a"}, own)), ElementsAre("x", "a"));
  EXPECT_THAT(names(with_own_state({{"x", one}, {"a", one}}, {"a"}, {})), ElementsAre("x"));
  const auto kept = with_own_state({{"x", one}, {"a", one}}, {"a"}, own);
  EXPECT_THAT(names(kept), ElementsAre("x", "a"));
  EXPECT_TRUE(kept[1].second.equal(one));
}

}  // namespace
}  // namespace yoke
