// yoke/comm/factory.h: communicators by name.
#pragma once
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "yoke/comm/communicator.h"
#include "yoke/core/plugins/plugin.h"
#include "yoke/core/plugins/registry.h"
#include "yoke/forecast/communicator_plan.h"

namespace yoke {

/// The communicators that others name: what all hosts have, and what the ranks of one share.
inline constexpr const char* kGloo = "gloo";
inline constexpr const char* kSharedMemory = "shared-memory";

/// What is asked of a choice of communicator before one is made.
struct CommunicatorTraits {
  /// How it connects ranks; nothing where no model of it has been written.
  std::optional<forecast::CommunicatorPlan> plan = {};
};

/// A communicator as its file declares it. It connects the ranks of a group of at least two; all of
/// them call it alike. Null for one rank.
/// @throws UsageError where the transport cannot serve such a group; CommError when it fails.
using CommunicatorPlugin =
    Plugin<std::unique_ptr<Transport>(const Group& group), CommunicatorTraits>;

/// Every communicator of communicators.def.
const Registry<CommunicatorPlugin>& communicators();

/// Connects the ranks of `group` by what `text` (`name:key=value,...`) names. `auto` is the fastest
/// that serves the group: nccl where `cuda`, shared-memory on one host, hierarchical on several;
/// where a rank cannot use that, all take gloo.
/// @throws UsageError on an unknown name or option; CommError when a rank does not come.
std::unique_ptr<Communicator> make_communicator(std::string_view text, const Group& group = {},
                                                bool cuda = false);

/// How the communicator that `text` names, or `auto` on processors, connects ranks. @throws
/// UsageError on an unknown name or option, and where there is no model of it.
forecast::CommunicatorPlan plan_communicator(std::string_view text);

/// Goes on with `ranks` of the group of `communicator` alone, ascending, this one among them: the
/// others are lost. All of `ranks` call it alike, with nothing under way.
/// @throws CommError when one of them does not come.
void shrink(Communicator& communicator, const std::vector<int>& ranks);

/// The transport that `text` names, for one that works over others: in an option's value `+` stands
/// for the comma, as in `throttle:over=check:a=gloo+b=shared-memory`. `role` tells those of one
/// group apart.
std::unique_ptr<Transport> make_inner_transport(const std::string& text, const Group& group,
                                                const std::string& role);

}  // namespace yoke
