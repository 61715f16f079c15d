// yoke/comm/shared/segment.h: memory that the processes of a host share.
#pragma once
#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "yoke/comm/rendezvous/group.h"
#include "yoke/core/error.h"
#include "yoke/core/files/file.h"

namespace yoke::shared {

/// A rank has no shared memory to give, or cannot open another's: all ranks learn so.
class NoSharedMemory final : public CommError {
 public:
  using CommError::CommError;
};

/// @throws NoSharedMemory where `name`, which came from another process, may lead out of /dev/shm.
void check_segment_name(const std::string& name);

/// A POSIX shared memory object, mapped. Its owner is whoever made it; while that process, or
/// thread, holds it, it is alive for the others.
class Segment {
 public:
  /// Makes one of `bytes` zeros under a new name. @throws NoSharedMemory where there is no room.
  explicit Segment(std::size_t bytes);
  /// Opens another's, of a process of this user. @throws NoSharedMemory, also where `name` is none
  /// that the other constructor makes, or the memory has not so many bytes.
  Segment(const std::string& name, std::size_t bytes);
  ~Segment();
  Segment(const Segment&) = delete;
  Segment& operator=(const Segment&) = delete;

  std::byte* data() const { return data_; }
  std::size_t bytes() const { return bytes_; }
  const std::string& name() const { return name_; }
  /// Takes the name away: the memory goes with the last who maps it, however that ends.
  void unlink();
  /// Whether the owner still holds it; asked by others than the owner.
  bool alive() const;

 private:
  Segment(const std::string& name, const std::string& path, std::size_t bytes, int flags);
  void map();

  const std::string name_;
  const std::size_t bytes_;
  bool named_ = false;  // by this object
  FileDescriptor file_;
  std::byte* data_ = nullptr;
};

/// One segment of every rank of a group, by rank.
using Segments = std::vector<std::shared_ptr<Segment>>;

/// Each rank makes one of its `bytes`, by rank, and opens those of the others; all call it alike.
/// `name` is its own in the group. @throws NoSharedMemory, on all ranks, where one has no room or
/// cannot open another's; CommError where one does not come.
Segments exchange(const Group& group, const std::string& name,
                  const std::vector<std::size_t>& bytes);

}  // namespace yoke::shared
