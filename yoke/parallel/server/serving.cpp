#include "yoke/parallel/server/serving.h"

#include <exception>

#include "yoke/core/error.h"

namespace yoke {

Serving::Serving(PartServer& server, std::vector<Bucket> pieces, std::int64_t elements,
                 std::vector<Client> clients)
    : server_(server),
      pieces_(std::move(pieces)),
      elements_(elements),
      clients_(std::move(clients)) {
  for (Client& client : clients_) threads_.emplace_back([this, &client] { work(client); });
}

// A thread that waits for a worker even now ends with the worker's next push, which fails.
Serving::~Serving() {
  server_.fail("the server has ended");
  {
    const std::lock_guard lock(mutex_);
    stop_ = true;
  }
  changed_.notify_all();
  for (auto& thread : threads_) thread.join();
}

void Serving::open(bool one_push) {
  const std::lock_guard lock(mutex_);
  one_push_ = one_push;
  busy_ = clients_.size();
  ++opened_;
  changed_.notify_all();
}

void Serving::close() {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [&] { return busy_ == 0 || !failure_.empty(); });
  if (!failure_.empty()) throw CommError(failure_);
}

std::int64_t Serving::bytes() const {
  const std::lock_guard lock(mutex_);
  std::int64_t bytes = 0;
  for (const auto& client : clients_) bytes += client.link ? client.link->bytes() : 0;
  return bytes;
}

void Serving::work(Client& client) {
  std::unique_lock lock(mutex_);
  for (std::int64_t served = 0;; ++served) {
    changed_.wait(lock, [&] { return stop_ || opened_ > served; });
    if (stop_) return;
    const bool one_push = one_push_;
    lock.unlock();
    std::string failure;
    try {
      serve(client, one_push);
    } catch (const std::exception& error) {
      failure = error.what();
      server_.fail(failure);
    }
    lock.lock();
    --busy_;
    changed_.notify_all();
    if (failure.empty()) continue;
    if (failure_.empty()) failure_ = failure;
    client.link.reset();  // which tells the worker
    return;
  }
}

void Serving::serve(Client& client, bool one_push) {
  Link& link = *client.link;
  const auto gradient = torch::empty({elements_}), values = torch::empty({elements_});
  Rates rates;
  while (link.next(rates) == Link::Request::kPush) {
    for (const auto& [begin, end] : pieces_) {
      link.receive(gradient.narrow(0, begin, end - begin)).wait();
    }
    server_.push(client.worker, gradient, rates);
    server_.pull(client.worker, values);
    link.send(values).wait();
    if (one_push) return;
  }
  server_.rest(client.worker);
}

}  // namespace yoke
