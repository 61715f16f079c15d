#include "yoke/comm/communicator.h"

#include <fmt/format.h>

#include "yoke/core/clock.h"
#include "yoke/core/error.h"

namespace yoke {

Communicator::Communicator(const Group& group, std::string name,
                           std::unique_ptr<Transport> transport)
    : group_(group), name_(std::move(name)), transport_(std::move(transport)) {
  if (group.size > 1 && !transport_) throw Error("a group of several ranks needs a transport");
}

Communicator::~Communicator() {
  {
    const std::lock_guard lock(mutex_);
    stop_ = true;
  }
  wake_.notify_all();
  if (thread_.joinable()) thread_.join();
}

std::string Communicator::describe() const {
  return transport_ ? transport_->describe() : "one rank";
}

Traffic Communicator::traffic() const {
  const std::lock_guard lock(mutex_);
  return traffic_;
}

torch::Tensor Communicator::allocate(std::int64_t elements) {
  return transport_ ? transport_->allocate(elements) : torch::zeros({elements});
}

/// Does what needs no other rank.
bool Communicator::trivial(const Operation& operation) const {
  operation.check(rank(), size());
  if (operation.bytes() == 0) return true;
  if (size() > 1) return false;
  if (!operation.output.is_same(operation.input) &&
      operation.output.data_ptr() != operation.input.data_ptr()) {
    torch::Tensor(operation.output).view(-1).copy_(operation.input.view(-1));
  }
  return true;
}

Work Communicator::start(const Operation& operation) {
  if (trivial(operation)) return {};
  if (auto work = transport_->start(operation)) return *work;
  std::future<void> done;
  {
    const std::lock_guard lock(mutex_);
    queue_.push_back({operation, {}});
    done = queue_.back().done.get_future();
    if (!thread_.joinable()) thread_ = std::thread([this] { serve(); });
  }
  wake_.notify_all();
  return Work(done.share());
}

void Communicator::run(const Operation& operation) {
  if (trivial(operation)) return;
  {
    std::unique_lock lock(mutex_);
    wake_.wait(lock, [&] { return queue_.empty() && !busy_; });
  }
  if (const auto work = transport_->start(operation)) return work->wait();
  attempt(operation);
}

void Communicator::attempt(const Operation& operation) {
  {
    const std::lock_guard lock(mutex_);
    if (!failure_.empty()) throw CommError(failure_);
  }
  const Stopwatch watch;
  std::string failure;
  try {
    transport_->run(operation);
  } catch (const std::exception& error) {
    failure = fmt::format("{} failed on rank {} of {} over {}: {}", operation.str(), rank(), size(),
                          name_, error.what());
  }
  const std::lock_guard lock(mutex_);
  ++traffic_.operations;
  traffic_.bytes += operation.bytes();
  traffic_.seconds += watch.seconds();
  if (failure.empty()) return;
  failure_ = failure;
  throw CommError(failure);
}

void Communicator::serve() {
  for (;;) {
    std::unique_lock lock(mutex_);
    wake_.wait(lock, [&] { return stop_ || !queue_.empty(); });
    if (queue_.empty()) return;
    Started next = std::move(queue_.front());
    queue_.pop_front();
    busy_ = true;
    lock.unlock();
    try {
      attempt(next.operation);
      next.operation = {};
      lock.lock();
      busy_ = false;
      lock.unlock();
      next.done.set_value();
    } catch (...) {
      lock.lock();
      busy_ = false;
      lock.unlock();
      next.done.set_exception(std::current_exception());
    }
    wake_.notify_all();
  }
}

}  // namespace yoke
