// tests/engine/aligned_bytes_test.cpp: memory begins where vectors, or huge pages, want it.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>

#include "yoke/engine/compiled/memory/aligned.h"

namespace yoke::compiled {
namespace {

constexpr std::size_t kLine = 64, kHugePage = 2 << 20;

class AlignedBytesOfSize : public testing::TestWithParam<std::size_t> {};
INSTANTIATE_TEST_SUITE_P(Sizes, AlignedBytesOfSize,
                         testing::Values(1, 100, kHugePage - 1, kHugePage, 2 * kHugePage + 3));

TEST_P(AlignedBytesOfSize, AreZeroFromALineOrAHugePageOn) {
  const std::size_t size = GetParam();
  const AlignedBytes bytes(size);
  ASSERT_EQ(bytes.size(), size);
  EXPECT_EQ(reinterpret_cast<std::uintptr_t>(bytes.data()) % (size < kHugePage ? kLine : kHugePage),
            0U);
  EXPECT_TRUE(std::all_of(bytes.data(), bytes.data() + size,
                          [](std::byte byte) { return byte == std::byte{}; }));
}

}  // namespace
}  // namespace yoke::compiled
