// yoke/comm/shared/region.h: the memory and the meeting points of the ranks of a host.
#pragma once
#include <array>
#include <cstdint>

#include "yoke/comm/rendezvous/group.h"
#include "yoke/comm/shared/counter.h"
#include "yoke/comm/shared/segment.h"
#include "yoke/comm/signature.h"

namespace yoke::shared {

inline constexpr std::size_t kSmallBytes = 4096;     ///< Of a slot for what takes one meeting.
inline constexpr std::size_t kChunkBytes = 262144;   ///< Of a slot for a part of a large tensor.
inline constexpr std::size_t kChannelBytes = 32768;  ///< Of a slot between two ranks.

/// A rank's counters and slots. Each kind of slot is there twice, used by turns: while one is
/// written, others may still read the other.
struct RankArea {
  Counter arrived;                 ///< Meetings that this rank came to.
  Counter left;                    ///< 1 once it has gone in good order.
  std::array<Signature, 2> doing;  ///< Of the latest two collective operations, by turns.
  alignas(64) std::array<std::array<std::byte, kSmallBytes>, 2> small;
  alignas(64) std::array<std::array<std::byte, kChunkBytes>, 2> in;   ///< For others to add up.
  alignas(64) std::array<std::array<std::byte, kChunkBytes>, 2> out;  ///< Sums for others.
};

/// From one rank to another.
struct Channel {
  Counter sent;                    ///< Slots filled; the sender's.
  Counter taken;                   ///< Slots emptied; the receiver's.
  std::array<Signature, 2> doing;  ///< Of which a part is in a slot.
  alignas(64) std::array<std::array<std::byte, kChannelBytes>, 2> slots;
};

/// Where ranks of one host meet. One thread of each uses it.
class SharedRegion {
 public:
  /// @throws CommError when a rank does not come.
  explicit SharedRegion(const Group& group);
  ~SharedRegion();
  SharedRegion(const SharedRegion&) = delete;
  SharedRegion& operator=(const SharedRegion&) = delete;

  int rank() const { return rank_; }
  int size() const { return static_cast<int>(segments_.size()); }
  RankArea& area(int rank) const;
  RankArea& own() const { return area(rank_); }
  Channel& channel(int from, int to) const;

  /// Says which collective operation is next. The first meeting after it throws Mismatch, on all
  /// ranks, unless they all said the same.
  void announce(const Signature& signature);

  /// Waits until all ranks have come to as many meetings as this one. What was written to shared
  /// memory before is seen by all. @throws CommError when one has gone or is late.
  void barrier();
  /// Waits until `counter`, which rank `peer` moves, has come to `value`. @throws CommError.
  void await(Counter& counter, std::uint32_t value, int peer);

 private:
  const int rank_;
  const std::chrono::milliseconds timeout_;
  const bool spins_;
  Segments segments_;
  std::uint32_t meetings_ = 0;
  std::size_t announcements_ = 0;
  bool announced_ = false;  ///< Since the latest meeting.
};

}  // namespace yoke::shared
