#include "yoke/comm/operation_copy.h"

#include <gtest/gtest.h>

#include "tests/support/gpus.h"
#include "tests/support/ranks.h"
#include "yoke/comm/factory.h"

namespace yoke::test {
namespace {

using torch::Tensor;

constexpr int kRanks = 3;
constexpr std::int64_t kEach = 7;

/// The tensor of a rank that an operation is done on.
Tensor tensor_of(int rank, torch::Device device) {
  return (torch::arange(kRanks * kEach, torch::kFloat32) * (rank + 1)).to(device);
}

/// Every kind of operation, the last two in the middle of one tensor, as rank `rank` does it.
std::vector<Operation> operations(int rank, torch::Device device) {
  const auto whole = [&] { return tensor_of(rank, device); };
  const Tensor scattered = whole(), gathered = whole();
  const Tensor own = torch::zeros({kEach}, device);
  std::vector<Operation> found = {
      Operation::all_reduce(whole()),
      Operation::broadcast(whole(), 1),
      Operation::reduce_scatter(whole(), own),
      Operation::all_gather(whole(), torch::zeros({kRanks * kRanks * kEach}, device)),
      Operation::reduce_scatter(scattered, scattered.narrow(0, rank * kEach, kEach)),
      Operation::all_gather(gathered.narrow(0, rank * kEach, kEach), gathered)};
  if (rank == 0) found.push_back(Operation::send(whole(), 2));
  if (rank == 2) found.push_back(Operation::receive(whole(), 0));
  return found;
}

/// What `run` makes of each operation is what the communicator makes of it on a processor.
void expect_same(const char* name, torch::Device device,
                 const std::function<void(Communicator&, const Operation&)>& run) {
  run_ranks(kRanks, [&](const Group& group) {
    const auto communicator = make_communicator(name, group);
    const auto expected = operations(group.rank, torch::kCPU);
    const auto found = operations(group.rank, device);
    for (std::size_t i = 0; i < found.size(); ++i) {
      communicator->run(expected[i]);
      run(*communicator, found[i]);
      EXPECT_TRUE(found[i].output.cpu().equal(expected[i].output))
          << name << ", " << found[i].str();
      EXPECT_EQ(found[i].output.device(), device);
    }
  });
}

TEST(OperationCopy, BringsBackWhatTheOperationMakes) {
  expect_same("gloo", torch::kCPU, [](Communicator& communicator, const Operation& operation) {
    const OperationCopy copy(operation);
    EXPECT_NE(copy.operation().input.data_ptr(), operation.input.data_ptr());
    communicator.run(copy.operation());
    copy.bring_back();
  });
}

TEST(Communicators, TakeTensorsOfAGpu) {
  YOKE_NEEDS_GPUS(1);
  for (const char* const name : {"gloo", "shared-memory"}) {
    const torch::Device gpu(torch::kCUDA, 0);
    expect_same(name, gpu, [](Communicator& communicator, const Operation& operation) {
      communicator.run(operation);
    });
    expect_same(name, gpu, [](Communicator& communicator, const Operation& operation) {
      communicator.start(operation).wait();
    });
  }
}

}  // namespace
}  // namespace yoke::test
