// yoke/comm/communicators/mpi.cpp: between processes that mpirun started, by MPI's non-blocking
// operations.
#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <limits>
#include <thread>

#include "yoke/comm/communicators/collectives.h"
#include "yoke/comm/communicators/mpi_session.h"
#include "yoke/comm/factory.h"
#include "yoke/comm/shared/sum.h"
#include "yoke/core/error.h"
#include "yoke/core/system/clock.h"

namespace yoke {
namespace {

using mpi::check;
using torch::Tensor;

/// Of the same size; halves only travel.
MPI_Datatype type_of(const Tensor& tensor) {
  switch (tensor.scalar_type()) {
    case torch::kFloat32:
      return MPI_FLOAT;
    case torch::kFloat64:
      return MPI_DOUBLE;
    case torch::kInt64:
      return MPI_INT64_T;
    case torch::kInt32:
      return MPI_INT32_T;
    case torch::kUInt8:
      return MPI_UINT8_T;
    default:
      return MPI_UINT16_T;
  }
}

int to_count(std::int64_t elements) {
  if (elements <= std::numeric_limits<int>::max()) return static_cast<int>(elements);
  throw Error(
      fmt::format("MPI takes up to {} elements at once, and this tensor has {}; give it in "
                  "parts",
                  std::numeric_limits<int>::max(), elements));
}

bool overlap(const Tensor& a, const Tensor& b) {
  const auto* const begin_a = static_cast<const std::byte*>(a.data_ptr());
  const auto* const begin_b = static_cast<const std::byte*>(b.data_ptr());
  return begin_a < begin_b + b.nbytes() && begin_b < begin_a + a.nbytes();
}

class Mpi final : public Collectives {
 public:
  explicit Mpi(const Group& group)
      : session_(mpi::Session::get()), size_(group.size), timeout_(group.timeout) {
    std::vector<int> ranks;
    for (const Peer& peer : group.peers) ranks.push_back(peer.rank);
    session_.check_started(ranks[static_cast<std::size_t>(group.rank)],
                           1 + *std::max_element(ranks.begin(), ranks.end()));
    meet(group);
    MPI_Group world = MPI_GROUP_NULL, members = MPI_GROUP_NULL;
    check(MPI_Comm_group(MPI_COMM_WORLD, &world), "MPI_Comm_group");
    check(MPI_Group_incl(world, group.size, ranks.data(), &members), "MPI_Group_incl");
    check(MPI_Comm_create_group(MPI_COMM_WORLD, members, 0, &comm_), "MPI_Comm_create_group");
    check(MPI_Comm_set_errhandler(comm_, MPI_ERRORS_RETURN), "MPI_Comm_set_errhandler");
    MPI_Group_free(&members);
    MPI_Group_free(&world);
  }
  ~Mpi() override {
    if (!failed_) MPI_Comm_free(&comm_);
  }
  Mpi(const Mpi&) = delete;
  Mpi& operator=(const Mpi&) = delete;

  std::string describe() const override { return fmt::format("mpi ({} ranks)", size_); }

  // MPI leaves it to its users that sizes and kinds agree.
  void compare(const Signature& signature) override {
    const Tensor all = torch::empty({size_, 4}, torch::kInt64);
    all_gather(signature.tensor(), all);
    check_same(all);
  }

 private:
  /// MPI would wait for ever for one that does not come.
  static void meet(const Group& group) {
    group.store->set(fmt::format("here/{}", group.rank), "");
    for (int rank = 0; rank < group.size; ++rank) {
      group.store->get(fmt::format("here/{}", rank), group.timeout);
    }
  }

  /// Whether ranks exchange parts and add up one each, as they must where MPI cannot add. What is
  /// reduced in place Open MPI adds up along a tree: all bytes go to one rank and back.
  bool goes_by_parts(const Tensor& tensor) const {
    constexpr std::size_t kLargePart = 4 << 10;  // bytes, that take longer than their message
    return is_half(tensor) || tensor.nbytes() >= kLargePart * static_cast<std::size_t>(size_);
  }

  void all_reduce(const Tensor& tensor) override {
    if (goes_by_parts(tensor)) return all_reduce_by_parts(tensor, size_);
    MPI_Request request = MPI_REQUEST_NULL;
    check(MPI_Iallreduce(MPI_IN_PLACE, tensor.data_ptr(), to_count(tensor.numel()), type_of(tensor),
                         MPI_SUM, comm_, &request),
          "MPI_Iallreduce");
    finish(request, {tensor});
  }

  void reduce_scatter(const Tensor& input, const Tensor& output) override {
    if (goes_by_parts(input)) return exchange_and_sum(input, output);
    const Tensor sum = overlap(input, output) ? torch::empty_like(output) : output;
    MPI_Request request = MPI_REQUEST_NULL;
    check(MPI_Ireduce_scatter_block(input.data_ptr(), sum.data_ptr(), to_count(sum.numel()),
                                    type_of(sum), MPI_SUM, comm_, &request),
          "MPI_Ireduce_scatter_block");
    finish(request, {input, sum});
    if (!sum.is_same(output)) Tensor(output).copy_(sum);
  }

  void all_gather(const Tensor& input, const Tensor& output) override {
    const Tensor own = overlap(input, output) ? input.clone() : input;
    MPI_Request request = MPI_REQUEST_NULL;
    check(MPI_Iallgather(own.data_ptr(), to_count(own.numel()), type_of(own), output.data_ptr(),
                         to_count(own.numel()), type_of(own), comm_, &request),
          "MPI_Iallgather");
    finish(request, {own, output});
  }

  void broadcast(const Tensor& tensor, int root) override {
    MPI_Request request = MPI_REQUEST_NULL;
    check(MPI_Ibcast(tensor.data_ptr(), to_count(tensor.numel()), type_of(tensor), root, comm_,
                     &request),
          "MPI_Ibcast");
    finish(request, {tensor});
  }

  void send(const Tensor& tensor, int to) override {
    send_plain(signature_of(Operation::send(tensor, to)).tensor(), to);
    send_plain(tensor, to);
  }

  void receive(const Tensor& tensor, int from) override {
    Signature sent;
    const Tensor signature = sent.tensor();
    receive_plain(signature, from);
    std::memcpy(&sent, signature.data_ptr(), sizeof sent);
    check_sent(sent, signature_of(Operation::receive(tensor, from)), from);
    receive_plain(tensor, from);
  }

  void send_plain(const Tensor& tensor, int to) {
    MPI_Request request = MPI_REQUEST_NULL;
    check(MPI_Isend(tensor.data_ptr(), to_count(tensor.numel()), type_of(tensor), to, 0, comm_,
                    &request),
          "MPI_Isend");
    finish(request, {tensor});
  }

  void receive_plain(const Tensor& tensor, int from) {
    MPI_Request request = MPI_REQUEST_NULL;
    check(MPI_Irecv(tensor.data_ptr(), to_count(tensor.numel()), type_of(tensor), from, 0, comm_,
                    &request),
          "MPI_Irecv");
    finish(request, {tensor});
  }

  /// Every rank gets its part of every rank's input and adds them up, halves in fp32, in the order
  /// of ranks.
  void exchange_and_sum(const Tensor& input, const Tensor& output) {
    const Tensor parts = torch::empty_like(input);
    const int count = to_count(output.numel());
    MPI_Request request = MPI_REQUEST_NULL;
    check(MPI_Ialltoall(input.data_ptr(), count, type_of(input), parts.data_ptr(), count,
                        type_of(input), comm_, &request),
          "MPI_Ialltoall");
    finish(request, {input, parts});
    std::vector<const std::byte*> sources;
    for (int rank = 0; rank < size_; ++rank) {
      sources.push_back(static_cast<const std::byte*>(parts.data_ptr()) + rank * output.nbytes());
    }
    shared::sum(output.scalar_type(), sources, output.numel(),
                {static_cast<std::byte*>(output.data_ptr())});
  }

  /// MPI moves on only when it is asked. So ask often for as long as the bytes may take to travel,
  /// letting whoever wants the core have it; who waits longer waits for another rank, asleep.
  void finish(MPI_Request request, const std::vector<Tensor>& tensors) {
    using std::chrono::microseconds;
    constexpr double kAwakeSeconds = 50e-6, kBytesPerSecond = 1e9;
    constexpr microseconds kLeast(10), kMost(100);
    double awake = kAwakeSeconds;
    for (const Tensor& tensor : tensors) {
      awake += static_cast<double>(tensor.nbytes()) / kBytesPerSecond;
    }
    microseconds nap = kLeast;
    const Stopwatch watch;
    try {
      for (int done = 0;;) {
        check(MPI_Test(&request, &done, MPI_STATUS_IGNORE), "MPI_Test");
        if (done != 0) return;
        const double waited = watch.seconds();
        if (waited > std::chrono::duration<double>(timeout_).count()) {
          throw CommError(fmt::format("the other ranks did not answer within {:.1f} s", waited));
        }
        if (waited < awake) {
          std::this_thread::yield();
        } else {
          std::this_thread::sleep_for(nap);
          nap = std::min(2 * nap, kMost);
        }
      }
    } catch (...) {
      failed_ = true;
      session_.abandon(tensors);
      throw;
    }
  }

  mpi::Session& session_;
  const int size_;
  const std::chrono::milliseconds timeout_;
  MPI_Comm comm_ = MPI_COMM_NULL;
  bool failed_ = false;
};

std::unique_ptr<Transport> make_mpi(const Group& group, const NoOptions&) {
  if (group.size == 1) return nullptr;
  return std::make_unique<Mpi>(group);
}

}  // namespace

CommunicatorPlugin mpi_communicator() {
  return {
      no_options(), make_mpi,
      CommunicatorTraits{.plan = forecast::CommunicatorPlan{.between = "mpi", .chooses = true}}};
}

}  // namespace yoke
