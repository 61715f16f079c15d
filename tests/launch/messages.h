// tests/launch/messages.h: a message of every kind.
#pragma once
#include <vector>

#include "yoke/core/system/clock.h"
#include "yoke/launch/rendezvous/message.h"

namespace yoke::launch {

/// In the order of Message.
inline std::vector<Message> messages() {
  const Failure failure{.time = seconds_since_1970(),
                        .host = "a",
                        .rank = 7,
                        .local_rank = 1,
                        .exit_code = -9,
                        .pid = 4'194'304,
                        .error_file = {},
                        .message = "m",
                        .last_lines = {"x"}};
  return {Join{.run = "r", .version = "1", .host = "h", .address = "a", .store = {20000, ""}},
          Failed{.attempt = 3, .ranks = 2},
          Ended{.attempt = 1,
                .exits = {0, 75, -11, -1000},
                .failures = {failure, Failure{}},
                .now = seconds_since_1970()},
          Leave{},
          Beat{true},
          Welcome{},
          Refuse{"no"},
          Unknown{},
          Start{.attempt = 2, .world_size = 64, .master_addr = "b", .master_port = 65535},
          Stop{.signal = 15, .grace_seconds = 0.5},
          Signal{2},
          Finish{.status = 192, .report = "r"}};
}

}  // namespace yoke::launch
