// yoke/comm/liveness.h: what the ranks of a group are at, told when one of them is lost.
#pragma once
#include <chrono>
#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <thread>

#include "yoke/comm/rendezvous/group.h"

namespace yoke {

/// What a rank is at.
struct Position {
  std::int64_t step = -1;       ///< Of the training; -1 when nobody said.
  std::int64_t operations = 0;  ///< Started so far.
  std::string operation = {};   ///< The one that it is in; empty when in none.
};

/// What a rank publishes of itself.
struct RankBeat {
  std::int64_t number = 0;  ///< Grows for as long as the rank lives.
  double time = 0;          ///< Seconds since 1970.
  bool left = false;        ///< In good order: no other follows.
  Position position = {};
};

std::string to_text(const RankBeat& beat);

/// What `rank` published. @throws Garbled where `text` is none.
RankBeat parse_beat(const std::string& text, int rank);

/// Publishes every `period` to the group's store what this rank is at, and reads what the others
/// are at when an operation has failed. Never waits long for a store that is lost, and never
/// throws.
class Liveness {
 public:
  using Ask = std::function<Position()>;

  /// `ask` is called in a thread of its own until the destructor returns.
  Liveness(const Group& group, Ask ask, std::chrono::milliseconds period = std::chrono::seconds(2));
  /// Tells that this rank has left.
  ~Liveness();
  Liveness(const Liveness&) = delete;
  Liveness& operator=(const Liveness&) = delete;

  /// Who keeps the others waiting, as far as can be learned in a little more than a period:
  /// `rank 3 is missing: last seen 12 s ago, in step 17 after 122 operations, not in an operation`.
  std::string diagnose() const;

 private:
  struct State;

  const std::shared_ptr<State> state_;
  std::thread thread_;
};

}  // namespace yoke
