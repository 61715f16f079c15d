#include "yoke/parallel/server/server_link.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "yoke/comm/factory.h"

namespace yoke {
namespace {

std::unique_ptr<Communicator> connect(const Communicator& communicator, int server, int worker,
                                      int patience) {
  const auto [first, second] = std::minmax(server, worker);
  Group pair =
      communicator.group().part({first, second}, fmt::format("link/{}/{}", server, worker));
  pair.timeout *= patience;
  return make_communicator(communicator.name(), pair);
}

}  // namespace

ServerLink::ServerLink(const Communicator& communicator, int server, int worker, int patience)
    : communicator_(connect(communicator, server, worker, patience)),
      header_(torch::zeros({3}, torch::kFloat64)) {}

void ServerLink::ask(Request request, const Rates& rates) {
  asked_.wait();
  auto* const header = header_.data_ptr<double>();
  header[0] = static_cast<double>(request);
  header[1] = rates.lr;
  header[2] = rates.momentum.value_or(std::numeric_limits<double>::quiet_NaN());
  asked_ = send(header_);
}

ServerLink::Request ServerLink::next(Rates& rates) {
  receive(header_).wait();
  const auto* const header = header_.data_ptr<double>();
  rates.lr = header[1];
  rates.momentum = std::isnan(header[2]) ? std::nullopt : std::optional(header[2]);
  return static_cast<Request>(static_cast<int>(header[0]));
}

}  // namespace yoke
