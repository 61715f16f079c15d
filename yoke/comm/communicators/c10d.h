// yoke/comm/communicators/c10d.h: the parts of LibTorch's c10d that Yoke uses; what differs between
// LibTorch's versions is in c10d.cpp alone.
#pragma once
// Debian's targets do not say what LibTorch was built with.
#ifndef USE_C10D_GLOO
#define USE_C10D_GLOO
#endif
#include <chrono>
#include <memory>
#include <string>
#include <torch/csrc/distributed/c10d/ProcessGroupGloo.hpp>
#include <torch/csrc/distributed/c10d/Store.hpp>

#include "yoke/comm/rendezvous/store.h"

namespace yoke {

using C10dStore = c10::intrusive_ptr<c10d::Store>;

/// A server of keys, or a client of one. `port` 0 is any free one, and is set then.
C10dStore tcp_store(const std::string& host, int& port, bool serve,
                    std::chrono::milliseconds timeout);

/// A group whose sockets are bound to the local `address`. From then on this process ignores
/// SIGPIPE unless it handles it: gloo writes to sockets whose other end may be gone.
c10::intrusive_ptr<c10d::ProcessGroupGloo> gloo_group(const C10dStore& store, int rank, int size,
                                                      const std::string& address,
                                                      std::chrono::milliseconds timeout);

/// Yoke's store over one of c10d's.
class StoreOverC10d final : public Store {
 public:
  explicit StoreOverC10d(C10dStore inner) : inner_(std::move(inner)) {}

  void set(const std::string& key, const std::string& value) override;
  std::string get(const std::string& key, std::chrono::milliseconds timeout) override;
  bool has(const std::string& key) override;
  std::int64_t add(const std::string& key, std::int64_t amount) override;

  const C10dStore& inner() const { return inner_; }

 private:
  C10dStore inner_;
};

/// The store of c10d that is in `store`.
const C10dStore& c10d_store(const Store& store);

}  // namespace yoke
