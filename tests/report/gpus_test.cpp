// tests/report/gpus_test.cpp: what is told of GPUs, by a library that stands in for the driver's.
#include "tests/support/gpus.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "yoke/report/machine/gpu_counters.h"
#include "yoke/report/machine/nvml.h"

namespace yoke {
namespace {

constexpr const char* kFirst = "0000:01:00.0";
constexpr const char* kSecond = "0000:02:00.0";

TEST(Nvml, IsNullWhereThereIsNoLibrary) {
  EXPECT_EQ(Nvml::open("libno-such-library.so.1"), nullptr);
  EXPECT_EQ(Nvml::open("libz.so.1"), nullptr) << "a library of something else";
}

TEST(Nvml, TellsOfDriverAndGpus) {
  const auto library = Nvml::open(YOKE_FAKE_NVML);
  ASSERT_NE(library, nullptr);
  EXPECT_EQ(library->driver_version(), "123.45");
  const auto gpus = library->gpus();
  ASSERT_EQ(gpus.size(), 2u);
  EXPECT_EQ(gpus[0].name, "Fake GPU A");
  EXPECT_EQ(gpus[0].memory_bytes, 16'000'000'000);
  EXPECT_EQ(gpus[1].name, "Fake GPU B");
}

TEST(GpuCounters, ReadTheGpuAtAnAddress) {
  const GpuUse use = GpuCounters({kFirst}, Nvml::open(YOKE_FAKE_NVML)).read();
  EXPECT_EQ(use.percent, 42);
  EXPECT_EQ(use.memory_bytes, 3'000'000'000);
}

TEST(GpuCounters, AddUpWhatAllOfThemTell) {
  const GpuUse use = GpuCounters({kFirst, kSecond}, Nvml::open(YOKE_FAKE_NVML)).read();
  EXPECT_EQ(use.percent, std::nullopt) << "the second does not tell";
  EXPECT_EQ(use.memory_bytes, 3'500'000'000);
  const GpuUse twice = GpuCounters({kFirst, kFirst}, Nvml::open(YOKE_FAKE_NVML)).read();
  EXPECT_EQ(twice.percent, 84);
}

TEST(GpuCounters, KnowNothingWithoutGpusOrLibrary) {
  const auto library = Nvml::open(YOKE_FAKE_NVML);
  for (const auto& counters : {GpuCounters({}, library), GpuCounters({kFirst}, nullptr),
                               GpuCounters({"0000:7f:00.0"}, library)}) {
    EXPECT_EQ(counters.read().percent, std::nullopt);
    EXPECT_EQ(counters.read().memory_bytes, std::nullopt);
  }
}

TEST(GpuAddress, IsEmptyForGpusThatAreNotThere) { EXPECT_EQ(gpu_address(1000), ""); }

TEST(GpuCounters, ReadTheFirstGpuOfThisMachine) {
  YOKE_NEEDS_GPUS(1);
  const auto library = Nvml::open();
  ASSERT_NE(library, nullptr) << "the driver's libnvidia-ml.so.1 is missing";
  EXPECT_FALSE(library->driver_version().empty());
  EXPECT_GE(library->gpus().size(), 1u);
  const std::string address = gpu_address(0);
  EXPECT_THAT(address, testing::HasSubstr(":"));
  const GpuUse use = GpuCounters({address}).read();
  EXPECT_GT(use.memory_bytes.value_or(0), 0);
  EXPECT_GE(use.percent.value_or(-1), 0);
}

}  // namespace
}  // namespace yoke
