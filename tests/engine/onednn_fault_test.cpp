// tests/engine/onednn_fault_test.cpp: a oneDNN that computes wrongly is found, and not used.
#include "yoke/engine/onednn_fault.h"

#include <ATen/Context.h>
#include <dlfcn.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <oneapi/dnnl/dnnl.hpp>

#include "yoke/core/error.h"
#include "yoke/engine/make_engine.h"

namespace yoke::test {
namespace {

std::atomic<bool> g_spoils = false;

using Execute = decltype(&dnnl_primitive_execute);

}  // namespace
}  // namespace yoke::test

/// In place of oneDNN's: the first number of a result is 1000 too much, where it shall be.
extern "C" __attribute__((visibility("default"))) dnnl_status_t dnnl_primitive_execute(
    const_dnnl_primitive_t primitive, dnnl_stream_t stream, int count,
    const dnnl_exec_arg_t* arguments) {
  static const auto next =
      reinterpret_cast<yoke::test::Execute>(dlsym(RTLD_NEXT, "dnnl_primitive_execute"));
  const auto status = next(primitive, stream, count, arguments);
  for (int i = 0; yoke::test::g_spoils && i < count; ++i) {
    void* data = nullptr;
    if (arguments[i].arg != DNNL_ARG_DST) continue;
    dnnl_memory_get_data_handle(arguments[i].memory, &data);
    *static_cast<float*>(data) += 1000;
  }
  return status;
}

namespace yoke::test {
namespace {

using testing::HasSubstr;

/// oneDNN computes wrongly while this lives.
struct Spoiled {
  Spoiled() { g_spoils = true; }
  ~Spoiled() {
    g_spoils = false;
    at::globalContext().setUserEnabledMkldnn(true);
  }
};

struct Lenet {
  EngineChoice engine(EngineKind kind) { return make_engine(model, parameters, {.kind = kind}); }
  float loss(EngineKind kind) {
    torch::manual_seed(1);
    const Batch batch{torch::randn({5, 1, 32, 32}), torch::zeros({5}, torch::kInt64)};
    return engine(kind).engine->gradient(batch, {}).loss.item<float>();
  }

  Model model = make_model("lenet", {{1, 32, 32}, 10}, 1);
  FlatParameters parameters{*model.module};
};

TEST(OnednnFault, IsNotHere) { EXPECT_EQ(onednn_fault(), ""); }

TEST(OnednnFault, IsFound) {
  const Spoiled spoiled;
  EXPECT_THAT(onednn_fault(), HasSubstr("multiplies wrongly on this machine: 17 rows of 100"));
}

TEST(OnednnFault, KeepsAutoAndLibTorchFromOnednn) {
  Lenet lenet;
  const float expected = lenet.loss(EngineKind::kEager);
  const Spoiled spoiled;
  const auto choice = lenet.engine(EngineKind::kAuto);
  EXPECT_EQ(choice.kind, EngineKind::kEager);
  EXPECT_THAT(choice.note, HasSubstr("multiplies wrongly"));
  EXPECT_NEAR(lenet.loss(EngineKind::kAuto), expected, 1e-4);
  EXPECT_NEAR(lenet.loss(EngineKind::kEager), expected, 1e-4);
}

TEST(OnednnFault, IsWhyTheCompiledEngineIsRefused) {
  Lenet lenet;
  const Spoiled spoiled;
  try {
    lenet.engine(EngineKind::kCompiled);
    FAIL();
  } catch (const UsageError& error) {
    EXPECT_THAT(error.what(), HasSubstr("multiplies wrongly"));
    EXPECT_THAT(error.what(), HasSubstr("--engine eager"));
  }
}

}  // namespace
}  // namespace yoke::test
