// Shared memory whose name came from others.
#include "yoke/comm/shared/segment.h"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <fstream>

#include "tests/support/support.h"

namespace yoke::shared {
namespace {

constexpr std::size_t kBytes = 4096;

TEST(Segment, OfAnotherIsTheSameMemory) {
  const Segment own(kBytes);
  const Segment other(own.name(), kBytes);
  own.data()[7] = std::byte{42};
  EXPECT_EQ(other.data()[7], std::byte{42});
}

TEST(Segment, WithANameThatLeadsElsewhereIsRefused) {
  const test::TemporaryDirectory directory;
  const auto file = directory.path() / "file";
  std::ofstream(file) << std::string(kBytes, 'x');
  EXPECT_THROW(Segment("/../.." + file.string(), kBytes), NoSharedMemory);
  EXPECT_THROW(Segment("/yoke-/../../.." + file.string(), kBytes), NoSharedMemory);
  EXPECT_THROW(Segment("", kBytes), NoSharedMemory);
}

TEST(Segment, ThatIsALinkIsRefused) {
  const test::TemporaryDirectory directory;
  const auto file = directory.path() / "file";
  std::ofstream(file) << std::string(kBytes, 'x');
  const std::string name = "/yoke-link-" + std::to_string(::getpid());
  std::filesystem::create_symlink(file, "/dev/shm" + name);
  EXPECT_THROW(Segment(name, kBytes), Error);
  std::filesystem::remove("/dev/shm" + name);
}

TEST(Segment, OfAnotherSizeIsRefused) {
  const Segment own(kBytes);
  EXPECT_THROW(Segment(own.name(), 2 * kBytes), NoSharedMemory);  // reading it would be a SIGBUS
}

}  // namespace
}  // namespace yoke::shared
