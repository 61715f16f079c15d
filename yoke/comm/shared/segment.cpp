#include "yoke/comm/shared/segment.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <functional>
#include <random>

#include "yoke/comm/received.h"
#include "yoke/core/format.h"
#include "yoke/core/system/dead_segments.h"

namespace yoke::shared {
namespace {

std::string new_name() {
  std::random_device random;
  return fmt::format("/{}{:08x}{:08x}", kSegmentPrefix, random(), random());
}

std::string path_of(const std::string& name) { return kSegmentFolder + name; }

std::string checked(const std::string& name) {
  check_segment_name(name);
  return name;
}

[[noreturn]] void fail(const std::string& what, int error) {
  throw NoSharedMemory(fmt::format("{}: {}", what, std::strerror(error)));
}

/// What `work` returned on each rank. @throws NoSharedMemory on all of them when it threw on one.
std::vector<std::string> agree(const Group& group, const std::string& key,
                               const std::function<std::string()>& work) {
  const std::string failed = "failed: ";
  std::string own;
  try {
    own = work();
  } catch (const std::exception& error) {
    own = failed + error.what();
  }
  group.store->set(fmt::format("{}/{}", key, group.rank), own);
  std::vector<std::string> all;
  for (int rank = 0; rank < group.size; ++rank) {
    all.push_back(rank == group.rank
                      ? own
                      : group.store->get(fmt::format("{}/{}", key, rank), group.timeout));
    if (!all.back().starts_with(failed)) continue;
    throw NoSharedMemory(fmt::format("rank {} on {}: {}", rank,
                                     group.peers[static_cast<std::size_t>(rank)].host,
                                     all.back().substr(failed.size())));
  }
  return all;
}

}  // namespace

// The system's calls read a name up to its first zero.
void check_segment_name(const std::string& name) {
  constexpr std::string_view kNowhere("/\0", 2);
  const auto beginning = fmt::format("/{}", kSegmentPrefix);
  if (!name.starts_with(beginning) || name.find_first_of(kNowhere, 1) != std::string::npos) {
    throw NoSharedMemory(fmt::format("{} is no name of Yoke's shared memory", excerpt(name)));
  }
}

// Both end in a constructed object, so that what follows may throw.
Segment::Segment(const std::string& name, const std::string& path, std::size_t bytes, int flags)
    : name_(name), bytes_(bytes), file_(path, O_RDWR | O_CLOEXEC | flags, 0600) {}

// It has its name last: whoever finds it without its owner's lock knows that the owner is gone.
Segment::Segment(std::size_t bytes) : Segment(new_name(), kSegmentFolder, bytes, O_TMPFILE) {
  // Reserves the pages: without, running out of room later is a SIGBUS.
  const int error = ::posix_fallocate(file_.get(), 0, static_cast<off_t>(bytes));
  if (error != 0) {
    fail(fmt::format("no room for {} of shared memory in /dev/shm; make it larger (docker run "
                     "--shm-size) or give --comm gloo",
                     format_bytes(static_cast<std::int64_t>(bytes))),
         error);
  }
  const auto lock = segment_lock(F_WRLCK);
  if (::fcntl(file_.get(), F_OFD_SETLK, &lock) != 0) fail("cannot lock shared memory", errno);
  map();
  const auto unnamed = fmt::format("/proc/self/fd/{}", file_.get());
  if (::linkat(AT_FDCWD, unnamed.c_str(), AT_FDCWD, path_of(name_).c_str(), AT_SYMLINK_FOLLOW) !=
      0) {
    fail("cannot name shared memory", errno);
  }
  named_ = true;
}

Segment::Segment(const std::string& name, std::size_t bytes)
    : Segment(checked(name), path_of(name), bytes, O_NOFOLLOW) {
  struct stat status {};
  if (::fstat(file_.get(), &status) != 0) fail("cannot examine shared memory", errno);
  if (!S_ISREG(status.st_mode) || status.st_uid != ::geteuid() ||
      status.st_size != static_cast<off_t>(bytes)) {
    throw NoSharedMemory(fmt::format("/dev/shm{} is not this user's shared memory of {}", name,
                                     format_bytes(static_cast<std::int64_t>(bytes))));
  }
  map();
}

Segment::~Segment() {
  unlink();
  if (data_ != nullptr) ::munmap(data_, bytes_);
}

void Segment::unlink() {
  if (named_) ::unlink(path_of(name_).c_str());
  named_ = false;
}

bool Segment::alive() const { return has_owner(file_.get()); }

void Segment::map() {
  void* const address = ::mmap(nullptr, bytes_, PROT_READ | PROT_WRITE, MAP_SHARED, file_.get(), 0);
  if (address == MAP_FAILED) fail("cannot map shared memory", errno);
  data_ = static_cast<std::byte*>(address);
}

Segments exchange(const Group& group, const std::string& name,
                  const std::vector<std::size_t>& bytes) {
  Segments segments(static_cast<std::size_t>(group.size));
  auto& own = segments[static_cast<std::size_t>(group.rank)];
  remove_dead_segments();  // of runs that were killed
  const auto names = agree(group, name + "/name", [&] {
    own = std::make_shared<Segment>(bytes[static_cast<std::size_t>(group.rank)]);
    return own->name();
  });
  agree(group, name + "/opened", [&] {
    for (int rank = 0; rank < group.size; ++rank) {
      const auto i = static_cast<std::size_t>(rank);
      if (rank != group.rank) segments[i] = std::make_shared<Segment>(names[i], bytes[i]);
    }
    return std::string();
  });
  own->unlink();
  return segments;
}

}  // namespace yoke::shared
