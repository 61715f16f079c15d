// Words for a shell, read back by one.
#include "yoke/core/system/shell.h"

#include <gtest/gtest.h>

#include "tests/support/support.h"

namespace yoke {
namespace {

std::string said_by_shell(const std::string& words) {
  return test::run_program({"sh", "-c", "printf '[%s]' " + words}).output;
}

TEST(Shell, TakesAnyTextAsOneWord) {
  for (const std::string text : {"", "a b", "it's", "$HOME `id` \\ \"x\" *", "line\nline", "-n"}) {
    EXPECT_EQ(said_by_shell(shell_word(text)), "[" + text + "]");
  }
}

TEST(Shell, QuotesOnlyWhatItMust) {
  EXPECT_EQ(shell_line({"yoke", "train", "--out", "runs/a b", "--lr", "0.1", ""}),
            "yoke train --out 'runs/a b' --lr 0.1 ''");
  EXPECT_EQ(said_by_shell(shell_line({"a=b", "$c", "d;e"})), "[a=b][$c][d;e]");
}

}  // namespace
}  // namespace yoke
