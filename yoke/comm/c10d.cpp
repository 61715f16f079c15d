#include "yoke/comm/c10d.h"

#include <torch/version.h>

#include <torch/csrc/distributed/c10d/TCPStore.hpp>
#if TORCH_VERSION_MAJOR >= 2
#include <torch/csrc/distributed/c10d/GlooDeviceFactory.hpp>
#endif

namespace yoke {

C10dStore tcp_store(const std::string& host, int& port, bool serve,
                    std::chrono::milliseconds timeout) {
  c10d::TCPStoreOptions options;
  options.port = static_cast<std::uint16_t>(port);
  options.isServer = serve;
  options.waitWorkers = false;
  options.timeout = timeout;
#if TORCH_VERSION_MAJOR > 2 || (TORCH_VERSION_MAJOR == 2 && TORCH_VERSION_MINOR >= 3)
  options.useLibUV = false;  // Debian's LibTorch is built without
#endif
  auto store = c10::make_intrusive<c10d::TCPStore>(host, options);
  port = store->getPort();
  return store;
}

c10::intrusive_ptr<c10d::ProcessGroupGloo> gloo_group(const C10dStore& store, int rank, int size,
                                                      const std::string& address,
                                                      std::chrono::milliseconds timeout) {
  const auto options = c10d::ProcessGroupGloo::Options::create(timeout);
  options->devices = {c10d::ProcessGroupGloo::createDeviceForHostname(address)};
  options->threads = 2;  // one for the operation, one to spare: Yoke runs one at a time
  return c10::make_intrusive<c10d::ProcessGroupGloo>(store, rank, size, options);
}

}  // namespace yoke
