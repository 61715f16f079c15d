// yoke/comm/factory.h: communicators by name.
#pragma once
#include <memory>
#include <string>
#include <string_view>

#include "yoke/comm/communicator.h"
#include "yoke/core/options.h"
#include "yoke/core/registry.h"

namespace yoke {

/// Connects the ranks of a group of at least two; all of them call it alike.
/// @throws UsageError where the transport cannot serve such a group; CommError when it fails.
using MakeTransport = std::unique_ptr<Transport> (*)(const Group& group, Options& options);

/// Every communicator of communicators.def.
const Registry<MakeTransport>& communicators();

/// Connects the ranks of `group` by what `text` (`name:key=value,...`) names. `auto` is the fastest
/// that serves the group: nccl where `cuda`, shared-memory on one host, hierarchical on several.
/// @throws UsageError on an unknown name or option; CommError when a rank does not come.
std::unique_ptr<Communicator> make_communicator(std::string_view text, const Group& group = {},
                                                bool cuda = false);

}  // namespace yoke
