#include "yoke/parallel/server/serving.h"

#include <exception>

#include "yoke/core/error.h"
#include "yoke/core/system/thread_name.h"

namespace yoke {

Serving::Serving(PartServer& server, std::vector<Bucket> pieces, std::int64_t elements,
                 bool forgives, std::vector<Client> clients)
    : server_(server),
      pieces_(std::move(pieces)),
      elements_(elements),
      forgives_(forgives),
      clients_(std::move(clients)),
      alive_(clients_.size()) {
  for (Client& client : clients_) {
    threads_.emplace_back([this, &client] {
      name_thread("server");
      work(client);
    });
  }
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
  busy_ = alive_;
  ++opened_;
  changed_.notify_all();
}

void Serving::close() {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [&] { return busy_ == 0 || !failure_.empty(); });
  if (!failure_.empty()) throw CommError(failure_);
}

torch::Tensor Serving::alive() const {
  const std::lock_guard lock(mutex_);
  const auto alive = torch::zeros({static_cast<std::int64_t>(clients_.size())}, torch::kInt64);
  for (std::size_t i = 0; i < clients_.size(); ++i) {
    alive[static_cast<std::int64_t>(i)] = clients_[i].link ? 1 : 0;
  }
  return alive;
}

void Serving::keep(const torch::Tensor& alive) {
  const std::lock_guard lock(mutex_);
  for (std::size_t i = 0; i < clients_.size(); ++i) {
    Client& client = clients_[i];
    if (client.link && alive[static_cast<std::int64_t>(i)].item<std::int64_t>() == 0) {
      lose(client, "another server lost it");
    }
  }
}

void Serving::tell(const torch::Tensor& alive) {
  for (const auto& client : clients_) {
    if (client.link) client.link->send(alive).wait();
  }
}

std::int64_t Serving::bytes() const {
  const std::lock_guard lock(mutex_);
  std::int64_t bytes = bytes_;
  for (const auto& client : clients_) bytes += client.link ? client.link->bytes() : 0;
  return bytes;
}

void Serving::work(Client& client) {
  std::unique_lock lock(mutex_);
  for (std::int64_t served = 0; client.link; ++served) {
    changed_.wait(lock, [&] { return stop_ || opened_ > served; });
    if (stop_ || !client.link) return;
    const bool one_push = one_push_;
    lock.unlock();
    std::string failure;
    try {
      serve(client, one_push);
    } catch (const std::exception& error) {
      failure = error.what();
    }
    lock.lock();
    --busy_;
    if (!failure.empty()) lose(client, failure);
    changed_.notify_all();
  }
}

void Serving::lose(Client& client, const std::string& failure) {
  bytes_ += client.link->bytes();
  client.link.reset();  // which tells the worker
  --alive_;
  if (forgives_) server_.lose(client.worker);
  if (forgives_ && alive_ > 0) return;
  server_.fail(failure);
  if (failure_.empty()) failure_ = failure;
}

void Serving::serve(Client& client, bool one_push) {
  ServerLink& link = *client.link;
  const auto gradient = torch::empty({elements_}), values = torch::empty({elements_});
  Rates rates;
  while (link.next(rates) == ServerLink::Request::kPush) {
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
