// tests/comm/checks.h: what every communicator must do, for ranks that are threads or processes.
#pragma once
#include <functional>
#include <string>
#include <vector>

#include "yoke/comm/rendezvous/group.h"

namespace yoke::test {

/// All ranks of a group call `run` alike, with the choice of a communicator as users write it.
struct Check {
  std::string name;
  /// @throws std::runtime_error that says what is wrong.
  std::function<void(const std::string& communicator, const Group& group)> run;
};

const std::vector<Check>& checks();

/// The same ranks with a store of their own.
Group again(const Group& group, const std::string& name);

}  // namespace yoke::test
