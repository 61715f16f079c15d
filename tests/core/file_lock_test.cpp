#include "yoke/core/files/file_lock.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <memory>
#include <thread>

#include "tests/support/support.h"
#include "yoke/core/error.h"

namespace yoke {
namespace {

TEST(FileLock, IsHeldByOne) {
  const test::TemporaryDirectory directory;
  const auto path = directory.path() / "lock";
  {
    const FileLock first(path, "busy");
    EXPECT_THROW(FileLock(path, "busy"), UsageError);
  }
  EXPECT_NO_THROW(FileLock(path, "busy"));
}

TEST(FileLock, WaitsForTheOneThatHoldsIt) {
  const test::TemporaryDirectory directory;
  const auto path = directory.path() / "lock";
  auto first = std::make_unique<FileLock>(path);
  std::atomic<bool> taken = false, given_back = false;
  std::thread other([&] {
    const FileLock second(path);
    EXPECT_TRUE(given_back);
    taken = true;
  });
  std::this_thread::sleep_for(std::chrono::milliseconds(100));  // in which it could take it
  EXPECT_FALSE(taken);
  given_back = true;
  first.reset();
  other.join();
  EXPECT_TRUE(taken);
}

TEST(FileLock, NamesAFileThatCannotBeOpened) { EXPECT_THROW(FileLock("/absent/lock"), Error); }

}  // namespace
}  // namespace yoke
