// tests/optim/lbfgs_python_test.cpp: L-BFGS against torch.optim.LBFGS.
#include <gtest/gtest.h>

#include "tests/optim/python.h"
#include "tests/optim/small_net.h"

namespace yoke {
namespace {

/// Options of Yoke's, and of PyTorch's.
struct Counterpart {
  std::string ours;
  std::string theirs;
  double lr;
  int steps;
};

// Rates far from 1 make line searches go further, or zoom in.
const Counterpart kCounterparts[] = {
    {"lbfgs", "line_search_fn='strong_wolfe'", 1, 1},
    {"lbfgs:max_iter=3,max_eval=1000", "max_iter=3, max_eval=1000, line_search_fn='strong_wolfe'",
     1, 8},
    {"lbfgs:history=3,max_iter=2,max_eval=1000",
     "history_size=3, max_iter=2, max_eval=1000, line_search_fn='strong_wolfe'", 0.05, 5},
    {"lbfgs:max_iter=2,max_eval=1000,tolerance_change=1e-4",
     "max_iter=2, max_eval=1000, tolerance_change=1e-4, line_search_fn='strong_wolfe'", 20, 12},
    {"lbfgs:max_iter=1,max_eval=1000,tolerance_grad=0.06",
     "max_iter=1, max_eval=1000, tolerance_grad=0.06, line_search_fn='strong_wolfe'", 1, 4},
    {"lbfgs:max_iter=3,max_eval=1000,line_search=none", "max_iter=3, max_eval=1000", 0.3, 7},
    {"lbfgs:history=2,max_iter=9,max_eval=4,line_search=none",
     "history_size=2, max_iter=9, max_eval=4", 0.3, 8},
};

// For each (options, lr, steps) prints of each step the loss before it, the evaluations and the
// parameters after it.
constexpr const char* kLbfgsCode = R"(
start = {name: p.clone() for name, p in net.state_dict().items()}
for i in range(1, len(sys.argv), 3):
    net.load_state_dict(start)
    options = {'history_size': 10, **eval('dict(%s)' % sys.argv[i])}
    o = torch.optim.LBFGS(net.parameters(), lr=float(sys.argv[i + 1]), **options)
    for step in range(int(sys.argv[i + 2])):
        calls = []
        def closure():
            calls.append(1)
            return loss()
        before = o.step(closure).item()
        values = torch.cat([p.detach().view(-1) for p in net.parameters()])
        print('%.9g' % before, len(calls), ' '.join('%.9g' % v for v in values.tolist()))
)";

void expect_like_python(const Counterpart& pair, std::istream& output) {
  SCOPED_TRACE(pair.ours);
  const auto run = test::run_small_net(pair.ours, pair.steps, pair.lr);
  for (std::size_t i = 0; i < run.losses.size(); ++i) {
    double loss = 0;
    int evaluations = 0;
    output >> loss >> evaluations;
    auto values = torch::empty_like(run.values());
    for (std::int64_t k = 0; k < values.numel(); ++k) {
      float value = 0;
      output >> value;
      values[k] = value;
    }
    ASSERT_TRUE(output) << "no line for step " << i;
    // Dot products are added in fp64 here and in fp32 there; iterations make of a difference a few
    // times as much, from 1e-7 after the first to 3e-4 after twenty. Later, where a line search is
    // close to choosing otherwise, a processor's rounding makes the choice: so few steps.
    EXPECT_NEAR(run.losses[i], loss, 1e-4 * loss) << "step " << i;
    EXPECT_EQ(run.evaluations[i], evaluations) << "step " << i;
    EXPECT_TRUE(torch::allclose(run.iterates[i], values, 0, 3e-3))
        << "step " << i << ": " << (run.iterates[i] - values).abs().max().item<double>();
  }
}

TEST(Lbfgs, EqualsPythonsStepByStep) {
  auto output = test::ask_python(
      test::kSmallNetInPython + kLbfgsCode, kCounterparts, [](const Counterpart& pair) {
        return std::vector{pair.theirs, std::to_string(pair.lr), std::to_string(pair.steps)};
      });
  if (!output) GTEST_SKIP() << "Python has no torch to compare with";
  for (const auto& pair : kCounterparts) expect_like_python(pair, *output);
}

}  // namespace
}  // namespace yoke
