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

#include "yoke/core/format.h"

namespace yoke::shared {
namespace {

constexpr std::string_view kPrefix = "/yoke-";

std::string new_name() {
  std::random_device random;
  return fmt::format("{}{:08x}{:08x}", kPrefix, random(), random());
}

/// `name`, which came over a network, unless it leads out of /dev/shm.
std::string checked(const std::string& name) {
  if (!name.starts_with(kPrefix) || name.find('/', 1) != std::string::npos) {
    throw NoSharedMemory(fmt::format("'{}' is no name of Yoke's shared memory", name));
  }
  return name;
}

[[noreturn]] void fail(const std::string& what, int error) {
  throw NoSharedMemory(fmt::format("{}: {}", what, std::strerror(error)));
}

/// The lock that tells that the owner lives; the kernel drops it when its descriptor goes.
struct flock presence(short type) {
  struct flock lock {};
  lock.l_type = type;
  lock.l_whence = SEEK_SET;
  lock.l_len = 1;
  return lock;
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

// Both end in a constructed object, so that what follows may throw.
Segment::Segment(const std::string& name, std::size_t bytes, int flags)
    : name_(name),
      bytes_(bytes),
      named_((flags & O_CREAT) != 0),
      file_("/dev/shm" + name, O_RDWR | O_CLOEXEC | flags, 0600) {}

Segment::Segment(std::size_t bytes) : Segment(new_name(), bytes, O_CREAT | O_EXCL) {
  // Reserves the pages: without, running out of room later is a SIGBUS.
  const int error = ::posix_fallocate(file_.get(), 0, static_cast<off_t>(bytes));
  if (error != 0) {
    fail(fmt::format("no room for {} of shared memory in /dev/shm; make it larger (docker run "
                     "--shm-size) or give --comm gloo",
                     format_bytes(static_cast<std::int64_t>(bytes))),
         error);
  }
  auto lock = presence(F_WRLCK);
  if (::fcntl(file_.get(), F_OFD_SETLK, &lock) != 0) fail("cannot lock shared memory", errno);
  map();
}

Segment::Segment(const std::string& name, std::size_t bytes)
    : Segment(checked(name), bytes, O_NOFOLLOW) {
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
  if (named_) ::unlink(("/dev/shm" + name_).c_str());
  named_ = false;
}

bool Segment::alive() const {
  auto lock = presence(F_WRLCK);
  if (::fcntl(file_.get(), F_OFD_GETLK, &lock) != 0) return false;
  return lock.l_type != F_UNLCK;
}

void Segment::map() {
  void* const address = ::mmap(nullptr, bytes_, PROT_READ | PROT_WRITE, MAP_SHARED, file_.get(), 0);
  if (address == MAP_FAILED) fail("cannot map shared memory", errno);
  data_ = static_cast<std::byte*>(address);
}

Segments exchange(const Group& group, const std::string& name,
                  const std::vector<std::size_t>& bytes) {
  Segments segments(static_cast<std::size_t>(group.size));
  auto& own = segments[static_cast<std::size_t>(group.rank)];
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
