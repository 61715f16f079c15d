// yoke/core/system/dead_segments.h: shared memory whose owner was killed while it had a name.
#pragma once
#include <fcntl.h>

namespace yoke {

inline constexpr const char* kSegmentFolder = "/dev/shm";
inline constexpr const char* kSegmentPrefix = "yoke-";

/// The lock that the owner of a segment holds from before it has a name; the kernel drops it when
/// its last descriptor goes. `type` is that of fcntl(2).
struct flock segment_lock(short type);

/// Whether somebody else holds the lock of the segment that is open as `file`.
bool has_owner(int file);

/// Removes the segments of this user, Yoke's by their names, that nobody owns; errors are ignored.
void remove_dead_segments();

}  // namespace yoke
