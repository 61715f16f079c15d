// yoke/comm/rendezvous/store.h: values that all ranks see, by which they find each other.
#pragma once
#include <chrono>
#include <cstdint>
#include <memory>
#include <string>

namespace yoke {

/// Text by key. Every function throws CommError when the store is lost.
class Store {
 public:
  virtual ~Store() = default;
  virtual void set(const std::string& key, const std::string& value) = 0;
  /// Waits until `key` is set. @throws CommError after `timeout`, Garbled where set() did not set
  /// it.
  virtual std::string get(const std::string& key, std::chrono::milliseconds timeout) = 0;
  virtual bool has(const std::string& key) = 0;
  /// Adds to the number at `key`, 0 where there is none; returns the sum.
  virtual std::int64_t add(const std::string& key, std::int64_t amount) = 0;
};

/// Where a store listens.
struct StoreAddress {
  std::string host;
  int port = 0;  ///< 0, for the one who serves it: any that is free.
};

/// The store at `address`, served by this process if `serve`; else waits for it up to `timeout`.
/// Sets the port of `address` when it was 0.
/// @throws CommError when the port is taken or nobody answers in time.
std::shared_ptr<Store> open_store(StoreAddress& address, bool serve,
                                  std::chrono::milliseconds timeout);

/// A store inside this process, for ranks that are threads.
std::shared_ptr<Store> local_store();

/// The keys of `store` that begin with `prefix`, and a slash.
std::shared_ptr<Store> below(std::shared_ptr<Store> store, const std::string& prefix);

}  // namespace yoke
