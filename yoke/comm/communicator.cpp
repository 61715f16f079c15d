#include "yoke/comm/communicator.h"

#include <ATen/record_function.h>
#include <c10/core/impl/VirtualGuardImpl.h>
#include <fmt/format.h>

#include "yoke/comm/operation_copy.h"
#include "yoke/core/error.h"
#include "yoke/core/system/clock.h"
#include "yoke/core/system/thread_name.h"

namespace yoke {
namespace {

/// `transport` does `operation`, on copies of tensors that are on a GPU.
void run_on_processor(Transport& transport, const Operation& operation) {
  if (operation.input.is_cpu()) return transport.run(operation);
  const OperationCopy copy(operation);
  transport.run(copy.operation());
  copy.bring_back();
}

/// Until the GPU of `tensor` has done what this thread gave it: others do not know its stream.
void wait_for(const torch::Tensor& tensor) {
  if (tensor.is_cpu()) return;
  const c10::impl::VirtualGuardImpl device(tensor.device().type());
  device.synchronizeStream(device.getStream(tensor.device()));
}

}  // namespace

Communicator::Communicator(const Group& group, std::string name,
                           std::unique_ptr<Transport> transport, std::string note)
    : group_(group),
      name_(std::move(name)),
      note_(std::move(note)),
      transport_(std::move(transport)) {
  begin();
}

void Communicator::regroup(const Group& group, std::unique_ptr<Transport> transport) {
  liveness_.reset();
  group_ = group;
  transport_ = std::move(transport);
  failure_.clear();
  begin();
}

void Communicator::begin() {
  if (size() == 1) return;
  if (!transport_) throw Error("a group of several ranks needs a transport");
  liveness_ = std::make_unique<Liveness>(group_, [this] { return position(); });
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
  return (transport_ ? transport_->describe() : "one rank") + note_;
}

Position Communicator::position() const {
  const std::lock_guard lock(mutex_);
  return {.step = step_,
          .operations = started_,
          .operation = current_ == nullptr ? "" : current_->str()};
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
  wait_for(operation.input);
  const auto started = std::make_shared<Started>();
  started->operation = operation;
  {
    const std::lock_guard lock(mutex_);
    queue_.push_back(started);
    if (!thread_.joinable()) thread_ = std::thread([this] { serve(); });
  }
  wake_.notify_all();
  return Work([started] {
    std::unique_lock lock(started->mutex);
    started->ready.wait(lock, [&] { return started->done; });
    if (!started->failure.empty()) throw CommError(started->failure);
  });
}

void Communicator::run(const Operation& operation) {
  if (trivial(operation)) return;
  {
    std::unique_lock lock(mutex_);
    wake_.wait(lock, [&] { return queue_.empty() && !busy_; });
  }
  if (const auto work = transport_->start(operation)) return work->wait();
  const std::string failure = attempt(operation);
  if (!failure.empty()) throw CommError(failure);
}

std::string Communicator::attempt(const Operation& operation) {
  RECORD_USER_SCOPE(operation.str());
  {
    const std::lock_guard lock(mutex_);
    if (!failure_.empty()) return failure_;
    ++started_;
    current_ = &operation;
  }
  const Stopwatch watch;
  std::string failure;
  try {
    run_on_processor(*transport_, operation);
  } catch (const Mismatch& error) {  // names the ranks itself
    failure = explain(operation, error.what());
  } catch (const std::exception& error) {
    failure = explain(operation, error.what()) + "; " + liveness_->diagnose();
  }
  const std::lock_guard lock(mutex_);
  current_ = nullptr;
  ++traffic_.operations;
  traffic_.bytes += operation.bytes();
  traffic_.seconds += watch.seconds();
  failure_ = failure;
  return failure;
}

std::string Communicator::explain(const Operation& operation, const std::string& why) const {
  const std::int64_t step = step_;
  return fmt::format("{} failed on rank {} of {} over {}{}: {}", operation.str(), rank(), size(),
                     name_, step < 0 ? "" : fmt::format(" in step {}", step),
                     why.substr(0, why.find('\n')));
}

void Communicator::serve() {
  name_thread("communicator");
  std::unique_lock lock(mutex_);
  for (;;) {
    wake_.wait(lock, [&] { return stop_ || !queue_.empty(); });
    if (queue_.empty()) return;
    const auto next = std::move(queue_.front());
    queue_.pop_front();
    busy_ = true;
    lock.unlock();
    const std::string failure = attempt(next->operation);
    next->operation = {};
    lock.lock();
    busy_ = false;
    wake_.notify_all();
    const std::lock_guard ended(next->mutex);
    next->failure = failure;
    next->done = true;
    next->ready.notify_all();
  }
}

}  // namespace yoke
