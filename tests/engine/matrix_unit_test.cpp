// tests/engine/matrix_unit_test.cpp: bf16 products use the matrix unit of a processor that has one.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <oneapi/dnnl/dnnl.hpp>

#include "tests/engine/trained.h"

namespace yoke::test {
namespace {

class MatrixUnit : public testing::TestWithParam<const char*> {};

TEST_P(MatrixUnit, ComputesTheSecondConvolution) {
  if (const auto why = why_not(Precision::kBf16); !why.empty()) GTEST_SKIP() << why;
  if (dnnl::get_effective_cpu_isa() < dnnl::cpu_isa::avx512_core_amx) {
    GTEST_SKIP() << "this processor has no matrix unit (AMX)";
  }
  Compiled compiled(make_model(GetParam(), {{1, 28, 28}, 10}, 1), {.precision = Precision::kBf16});
  std::string passes;
  for (const StepCost& step : compiled.engine->profile(random_batch(compiled.model, 32), 1)) {
    if (step.layer != "conv2" || !step.primitive) continue;
    EXPECT_THAT(step.operation, testing::HasSubstr("amx")) << step.pass;
    passes += step.pass + " ";
  }
  EXPECT_THAT(passes, testing::HasSubstr("forward"));
}

INSTANTIATE_TEST_SUITE_P(Models, MatrixUnit, testing::Values("six-layer", "bn-cnn"));

}  // namespace
}  // namespace yoke::test
