#include "yoke/core/system/process_status.h"

#include <gtest/gtest.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

namespace yoke {
namespace {

TEST(ProcessStatus, TellsOfThisProcess) {
  ::prctl(PR_SET_NAME, "a) Z 1 (b");  // what the kernel puts in parentheses before the fields
  const auto status = process_status(::getpid());
  ASSERT_TRUE(status);
  EXPECT_EQ(status->parent, ::getppid());
  EXPECT_FALSE(status->ended);
  EXPECT_FALSE(status->started.empty());
  EXPECT_EQ(status->started.find_first_not_of("0123456789"), std::string::npos);
}

TEST(ProcessStatus, TellsWhetherItHasEnded) {
  const pid_t child = ::fork();
  if (child == 0) ::_exit(0);
  siginfo_t ended;
  ASSERT_EQ(::waitid(P_PID, static_cast<id_t>(child), &ended, WEXITED | WNOWAIT), 0);
  const auto status = process_status(child);
  ASSERT_TRUE(status);
  EXPECT_TRUE(status->ended);
  EXPECT_EQ(status->parent, ::getpid());
  ::waitpid(child, nullptr, 0);
  EXPECT_FALSE(process_status(child));
}

}  // namespace
}  // namespace yoke
