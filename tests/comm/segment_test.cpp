// Shared memory whose name came from others.
#include "yoke/comm/shared/segment.h"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <fstream>

#include "tests/support/support.h"
#include "yoke/core/system/dead_segments.h"

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

TEST(Segment, WithANameThatGoesOnAfterItsEndIsRefused) {
  const Segment own(kBytes);
  EXPECT_THROW(Segment(own.name() + std::string(1, '\0') + "other", kBytes), NoSharedMemory);
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

/// Makes it another user's, as root alone may.
bool give_away(const std::string& segment) {
  return ::chown((kSegmentFolder + segment).c_str(), 1, static_cast<gid_t>(-1)) == 0;
}

TEST(Segment, OfAnotherUserIsRefusedAndStays) {
  std::string name;
  {
    const Segment own(kBytes);
    name = own.name();
    if (!give_away(name)) GTEST_SKIP() << "needs root, who may give files away";
    EXPECT_THROW(Segment(name, kBytes), NoSharedMemory);
    std::filesystem::create_hard_link(kSegmentFolder + name, kSegmentFolder + name + "-left");
  }
  remove_dead_segments();
  EXPECT_TRUE(std::filesystem::remove(kSegmentFolder + name + "-left"));
}

TEST(Segment, OfAProcessThatWasKilledGoesAndOthersStay) {
  int line[2];
  ASSERT_EQ(::pipe(line), 0);
  const Segment living(kBytes);
  const pid_t child = ::fork();
  if (child == 0) {
    const Segment left(kBytes);
    const auto sent = ::write(line[1], left.name().data(), left.name().size());
    ::_exit(sent > 0 ? 0 : 1);  // nothing is destroyed
  }
  ::waitpid(child, nullptr, 0);
  std::string name(100, '\0');
  name.resize(static_cast<std::size_t>(::read(line[0], name.data(), name.size())));
  for (const int end : line) ::close(end);
  ASSERT_TRUE(std::filesystem::exists(kSegmentFolder + name));
  remove_dead_segments();
  EXPECT_FALSE(std::filesystem::exists(kSegmentFolder + name));
  EXPECT_TRUE(std::filesystem::exists(kSegmentFolder + living.name()));
}

}  // namespace
}  // namespace yoke::shared
