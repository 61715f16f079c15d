#include "yoke/comm/rendezvous/store.h"

#include <fmt/format.h>

#include <exception>
#include <torch/csrc/distributed/c10d/HashStore.hpp>
#include <torch/csrc/distributed/c10d/PrefixStore.hpp>

#include "yoke/comm/communicators/c10d.h"
#include "yoke/comm/received.h"
#include "yoke/core/error.h"

namespace yoke {
namespace {

/// What c10d says, without the addresses of its functions.
std::string first_line(const std::exception& error) {
  const std::string text = error.what();
  return text.substr(0, text.find('\n'));
}

template <typename Call>
auto guarded(const Call& call) {
  try {
    return call();
  } catch (const std::exception& error) {
    throw CommError(
        fmt::format("the ranks' store is lost: {}; did rank 0 end?", first_line(error)));
  }
}

/// Before every value: TCPStore's server sends an empty one only after 200 ms.
constexpr char kMark = '=';

/// `bytes` of `key` without the mark.
std::string unmarked(const std::string& key, const std::vector<std::uint8_t>& bytes) {
  const std::string marked(bytes.begin(), bytes.end());
  if (!marked.starts_with(kMark)) {
    throw Garbled(
        fmt::format("'{}' in the ranks' store is {}, which no rank of Yoke has written; does "
                    "another program use this MASTER_PORT?",
                    key, excerpt(marked)));
  }
  return marked.substr(1);
}

double seconds(std::chrono::milliseconds time) { return static_cast<double>(time.count()) / 1000; }

}  // namespace

void StoreOverC10d::set(const std::string& key, const std::string& value) {
  const std::string marked = kMark + value;
  guarded([&] { inner_->set(key, std::vector<std::uint8_t>(marked.begin(), marked.end())); });
}

std::string StoreOverC10d::get(const std::string& key, std::chrono::milliseconds timeout) {
  try {
    inner_->wait({key}, timeout);
    return unmarked(key, inner_->get(key));
  } catch (const Garbled&) {
    throw;
  } catch (const std::exception& error) {
    throw CommError(fmt::format("nobody set '{}' in the ranks' store within {:.0f} s ({})", key,
                                seconds(timeout), first_line(error)));
  }
}

bool StoreOverC10d::has(const std::string& key) {
  return guarded([&] { return inner_->check({key}); });
}

std::int64_t StoreOverC10d::add(const std::string& key, std::int64_t amount) {
  return guarded([&] { return inner_->add(key, amount); });
}

const C10dStore& c10d_store(const Store& store) {
  return dynamic_cast<const StoreOverC10d&>(store).inner();
}

std::shared_ptr<Store> open_store(StoreAddress& address, bool serve,
                                  std::chrono::milliseconds timeout) {
  try {
    return std::make_shared<StoreOverC10d>(tcp_store(address.host, address.port, serve, timeout));
  } catch (const std::exception& error) {
    const std::string where = fmt::format("{}:{}", address.host, address.port);
    if (serve) {
      throw CommError(
          fmt::format("cannot serve the ranks' store on port {} of this host: {}; is the port "
                      "taken, by another "
                      "run perhaps? Give another --master-port (or MASTER_PORT)",
                      address.port, first_line(error)));
    }
    throw CommError(
        fmt::format("nobody answers at {} within {:.0f} s: {}; rank 0 must be up and MASTER_ADDR "
                    "and MASTER_PORT "
                    "must be its own",
                    where, seconds(timeout), first_line(error)));
  }
}

std::shared_ptr<Store> local_store() {
  return std::make_shared<StoreOverC10d>(c10::make_intrusive<c10d::HashStore>());
}

std::shared_ptr<Store> below(std::shared_ptr<Store> store, const std::string& prefix) {
  return std::make_shared<StoreOverC10d>(
      c10::make_intrusive<c10d::PrefixStore>(prefix, c10d_store(*store)));
}

}  // namespace yoke
