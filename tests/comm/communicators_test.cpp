// What every communicator must do, in groups of several sizes whose ranks are threads.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <tuple>

#include "tests/comm/checks.h"
#include "tests/support/ranks.h"
#include "yoke/comm/factory.h"
#include "yoke/core/error.h"

namespace yoke::test {
namespace {

/// A communicator, and how many ranks each host has.
struct Setting {
  std::string communicator;
  std::vector<int> hosts;
};

void PrintTo(const Setting& setting, std::ostream* out) {
  *out << setting.communicator << " " << testing::PrintToString(setting.hosts);
}

class EveryCommunicatorInAGroup : public testing::TestWithParam<Setting> {};

TEST_P(EveryCommunicatorInAGroup, DoesWhatItMust) {
  const auto& [name, hosts] = GetParam();
  for (const Check& check : checks()) {
    try {
      run_ranks(hosts, [&](const Group& group) { check.run(name, group); });
    } catch (const std::exception& error) {
      ADD_FAILURE() << check.name << ": " << error.what();
    }
  }
}

TEST_P(EveryCommunicatorInAGroup, TellsWhenARankIsGone) {
  const auto& [name, hosts] = GetParam();
  run_ranks(hosts, [&](const Group& group) {
    const auto comm = make_communicator(name, group);
    const torch::Tensor tensor = torch::ones({100'000});
    comm->all_reduce(tensor);
    if (group.size == 1 || group.rank == group.size - 1) return;  // goes
    EXPECT_THROW(comm->all_reduce(tensor), CommError);
    EXPECT_THROW(comm->all_reduce(tensor), CommError);  // dead for good
  });
}

/// Every communicator of this build that works between threads.
std::vector<Setting> settings() {
  std::vector<Setting> list;
  for (const std::string& name : communicators().available()) {
    if (name == "single" || name == "mpi" || name == "nccl") continue;  // one rank; one a process
    const bool wraps = name == "check" || name == "throttle";           // what is tested by itself
    for (const int ranks : {1, 2, 3, 4, 8}) {
      if (!wraps || ranks <= 3) list.push_back({name, {ranks}});
    }
  }
  for (const std::vector<int>& hosts :
       std::vector<std::vector<int>>{{1, 1}, {2, 1}, {3, 1, 2}, {2, 2, 4}}) {
    list.push_back({"hierarchical", hosts});
  }
  list.push_back({"auto", {2, 1}});
  list.push_back({"check:a=throttle:over=gloo+latency_milliseconds=0.1,b=hierarchical", {2, 1}});
  return list;
}

std::string label(const testing::TestParamInfo<Setting>& info) {
  std::string text = info.param.communicator;
  for (const int ranks : info.param.hosts) text += fmt::format("_{}", ranks);
  std::replace_if(
      text.begin(), text.end(), [](char c) { return std::isalnum(c) == 0; }, '_');
  return text;
}

INSTANTIATE_TEST_SUITE_P(Registry, EveryCommunicatorInAGroup, testing::ValuesIn(settings()), label);

}  // namespace
}  // namespace yoke::test
