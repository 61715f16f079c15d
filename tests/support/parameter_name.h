// tests/support/parameter_name.h: names of tests by what they are given.
#pragma once
#include <gtest/gtest.h>

#include <algorithm>
#include <string>

namespace yoke::test {

/// What is typed as `lab-cnn`, as a test may be called.
inline std::string parameter_name(const testing::TestParamInfo<std::string>& info) {
  std::string name = info.param;
  std::erase(name, '-');
  return name;
}

}  // namespace yoke::test
