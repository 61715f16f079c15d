// tests/optim/python.h: what PyTorch computes, to compare with.
#pragma once
#include <gtest/gtest.h>

#include <optional>
#include <sstream>
#include <string>
#include <vector>

#include "tests/support/support.h"

namespace yoke::test {

/// What `code` prints; nothing where Python has no torch.
inline std::optional<std::istringstream> ask_python(
    const std::string& code, const std::vector<std::string>& arguments = {}) {
  const auto result = run_python("torch", code, arguments);
  if (!result) return std::nullopt;
  EXPECT_EQ(result->status, 0) << result->output;
  return std::istringstream(result->output);
}

/// The same, with the words words_of(pair) of each of `pairs` as its arguments.
template <typename Pairs, typename WordsOf>
std::optional<std::istringstream> ask_python(const std::string& code, const Pairs& pairs,
                                             const WordsOf& words_of) {
  std::vector<std::string> arguments;
  for (const auto& pair : pairs) {
    for (const std::string& word : words_of(pair)) arguments.push_back(word);
  }
  return ask_python(code, arguments);
}

}  // namespace yoke::test
