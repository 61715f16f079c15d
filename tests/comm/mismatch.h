// tests/comm/mismatch.h: what every communicator must tell when ranks do different operations.
#pragma once
#include <string>

#include "yoke/comm/rendezvous/group.h"

namespace yoke::test {

/// All ranks but the last do the same operation. @throws std::runtime_error unless all are told so.
void tells_when_a_rank_does_another_operation(const std::string& name, const Group& group);

/// Rank 0 sends another number of elements than rank 1 receives.
void tells_when_another_size_is_sent(const std::string& name, const Group& group);

}  // namespace yoke::test
