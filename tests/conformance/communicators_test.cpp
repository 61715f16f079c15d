// What every communicator must do, in groups of several sizes whose ranks are threads.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <string>
#include <tuple>

#include "tests/support/ranks.h"
#include "yoke/comm/factory.h"
#include "yoke/core/error.h"

namespace yoke::test {
namespace {

using torch::Tensor;

constexpr auto kTypes = {torch::kFloat32, torch::kFloat64, torch::kFloat16, torch::kBFloat16,
                         torch::kInt64,   torch::kInt32,   torch::kUInt8};
constexpr auto kSizes = {0, 1, 17, 70'001};

/// Small whole numbers, whose sums every dtype holds exactly; different on each rank.
Tensor numbers(std::int64_t size, torch::ScalarType type, int rank) {
  return ((torch::arange(size) * 7 + rank * 3) % 13).to(type);
}

Tensor sum_of(std::int64_t size, torch::ScalarType type, int ranks) {
  Tensor sum = torch::zeros({size}, torch::kInt64);
  for (int rank = 0; rank < ranks; ++rank) sum += numbers(size, torch::kInt64, rank);
  return sum.to(type);
}

class EveryCommunicatorInAGroup : public testing::TestWithParam<std::tuple<std::string, int>> {
 protected:
  /// Calls work(communicator, dtype, elements) on every rank.
  static void on_ranks(
      const std::function<void(Communicator&, torch::ScalarType, std::int64_t)>& work) {
    const auto& [name, ranks] = GetParam();
    run_ranks(ranks, [&](const Group& group) {
      const auto communicator = make_communicator(name, group);
      for (const auto type : kTypes) {
        for (const auto size : kSizes) work(*communicator, type, size);
        if (type == torch::kFloat32) work(*communicator, type, 1'000'000);
      }
    });
  }
};

TEST_P(EveryCommunicatorInAGroup, AllReduces) {
  on_ranks([](Communicator& comm, torch::ScalarType type, std::int64_t size) {
    const Tensor tensor = numbers(size, type, comm.rank());
    comm.all_reduce(tensor);
    EXPECT_TRUE(tensor.equal(sum_of(size, type, comm.size()))) << type << " " << size;
  });
}

TEST_P(EveryCommunicatorInAGroup, ReduceScatters) {
  on_ranks([](Communicator& comm, torch::ScalarType type, std::int64_t size) {
    const Tensor input = numbers(size * comm.size(), type, comm.rank());
    const Tensor output = torch::empty({size}, type);
    comm.reduce_scatter(input, output);
    const Tensor expected = sum_of(size * comm.size(), type, comm.size());
    EXPECT_TRUE(output.equal(expected.narrow(0, comm.rank() * size, size))) << type << " " << size;
  });
}

TEST_P(EveryCommunicatorInAGroup, AllGathers) {
  on_ranks([](Communicator& comm, torch::ScalarType type, std::int64_t size) {
    const Tensor output = torch::empty({size * comm.size()}, type);
    comm.all_gather(numbers(size, type, comm.rank()), output);
    for (int rank = 0; rank < comm.size(); ++rank) {
      EXPECT_TRUE(output.narrow(0, rank * size, size).equal(numbers(size, type, rank)))
          << type << " " << size;
    }
  });
}

TEST_P(EveryCommunicatorInAGroup, Broadcasts) {
  on_ranks([](Communicator& comm, torch::ScalarType type, std::int64_t size) {
    for (int root = 0; root < comm.size(); ++root) {
      const Tensor tensor = numbers(size, type, comm.rank());
      comm.broadcast(tensor, root);
      EXPECT_TRUE(tensor.equal(numbers(size, type, root))) << type << " " << size;
    }
  });
}

TEST_P(EveryCommunicatorInAGroup, SendsAndReceives) {
  on_ranks([](Communicator& comm, torch::ScalarType type, std::int64_t size) {
    for (int from = 0; from < comm.size(); ++from) {  // to the next, around
      const int to = (from + 1) % comm.size();
      if (from == to) continue;
      const Tensor tensor = numbers(size, type, comm.rank());
      if (comm.rank() == from) comm.send(tensor, to);
      if (comm.rank() == to) comm.receive(tensor, from);
      EXPECT_TRUE(tensor.equal(numbers(size, type, comm.rank() == to ? from : comm.rank())));
    }
  });
}

TEST_P(EveryCommunicatorInAGroup, WorksInTheBackgroundInOrder) {
  const auto& [name, ranks] = GetParam();
  run_ranks(ranks, [&](const Group& group) {
    const auto comm = make_communicator(std::get<0>(GetParam()), group);
    std::vector<Tensor> tensors;
    std::vector<Work> works;
    for (int i = 0; i < 20; ++i) {
      tensors.push_back(numbers(1000 * i, torch::kFloat32, comm->rank()));
      works.push_back(comm->start(Operation::all_reduce(tensors.back())));
    }
    const Tensor last = numbers(5, torch::kFloat64, comm->rank());
    comm->all_reduce(last);  // behind those
    EXPECT_TRUE(last.equal(sum_of(5, torch::kFloat64, comm->size())));
    for (std::size_t i = 0; i < works.size(); ++i) {
      works[i].wait();
      EXPECT_TRUE(tensors[i].equal(sum_of(tensors[i].numel(), torch::kFloat32, comm->size())));
    }
  });
}

TEST_P(EveryCommunicatorInAGroup, SumsAreBitwiseEqualOnAllRanks) {
  const auto& [name, ranks] = GetParam();
  std::vector<Tensor> sums(static_cast<std::size_t>(ranks));
  run_ranks(ranks, [&](const Group& group) {
    const auto comm = make_communicator(std::get<0>(GetParam()), group);
    auto generator = torch::make_generator<at::CPUGeneratorImpl>(1 + group.rank);
    const Tensor tensor = torch::randn({123'457}, generator);
    comm->all_reduce(tensor);
    sums[static_cast<std::size_t>(group.rank)] = tensor;
  });
  for (const Tensor& sum : sums) EXPECT_TRUE(sum.equal(sums.front()));
}

TEST_P(EveryCommunicatorInAGroup, ReducesWhatItAllocated) {
  const auto& [name, ranks] = GetParam();
  run_ranks(ranks, [&](const Group& group) {
    const auto comm = make_communicator(std::get<0>(GetParam()), group);
    for (const std::int64_t size : {0, 1, 17, 300'000}) {
      const Tensor memory = comm->allocate(size);
      EXPECT_TRUE(memory.equal(torch::zeros({size})));
      for (int again = 0; again < 3; ++again) {
        memory.copy_(numbers(size, torch::kFloat32, comm->rank()));
        comm->all_reduce(memory);
        EXPECT_TRUE(memory.equal(sum_of(size, torch::kFloat32, comm->size()))) << size;
      }
      const Tensor part = memory.narrow(0, size / 3, size / 2).fill_(comm->rank());
      comm->all_reduce(part);
      const int sum = comm->size() * (comm->size() - 1) / 2;
      EXPECT_TRUE(part.eq(sum).all().item<bool>()) << size;
    }
  });
}

TEST_P(EveryCommunicatorInAGroup, WorksInSeveralGroupsAtOnce) {
  const auto& [name, ranks] = GetParam();
  run_ranks(ranks, [&](const Group& group) {
    std::vector<int> all(static_cast<std::size_t>(group.size));
    std::iota(all.begin(), all.end(), 0);
    const auto a = make_communicator(std::get<0>(GetParam()), group.part(all, "a"));
    const auto b = make_communicator(std::get<0>(GetParam()), group.part(all, "b"));
    const Tensor one = numbers(500'000, torch::kFloat32, group.rank);
    const Tensor two = numbers(70'000, torch::kInt64, group.rank);
    // Half of the ranks start them the other way round.
    const bool other = group.rank % 2 == 1;
    const Work first =
        other ? b->start(Operation::all_reduce(two)) : a->start(Operation::all_reduce(one));
    const Work second =
        other ? a->start(Operation::all_reduce(one)) : b->start(Operation::all_reduce(two));
    first.wait();
    second.wait();
    EXPECT_TRUE(one.equal(sum_of(500'000, torch::kFloat32, group.size)));
    EXPECT_TRUE(two.equal(sum_of(70'000, torch::kInt64, group.size)));
  });
}

TEST_P(EveryCommunicatorInAGroup, TellsWhenARankIsGone) {
  const auto& [name, ranks] = GetParam();
  if (ranks == 1) return;
  run_ranks(ranks, [&](const Group& group) {
    const auto comm = make_communicator(std::get<0>(GetParam()), group);
    const Tensor tensor = torch::ones({100'000});
    comm->all_reduce(tensor);
    if (group.rank == group.size - 1) return;  // goes
    EXPECT_THROW(comm->all_reduce(tensor), CommError);
    EXPECT_THROW(comm->all_reduce(tensor), CommError);  // dead for good
  });
}

std::vector<std::string> several() {
  auto names = communicators().names();
  names.erase(std::remove(names.begin(), names.end(), "single"), names.end());
  return names;
}

INSTANTIATE_TEST_SUITE_P(Registry, EveryCommunicatorInAGroup,
                         testing::Combine(testing::ValuesIn(several()),
                                          testing::Values(1, 2, 3, 4, 8)),
                         [](const auto& info) {
                           std::string name = std::get<0>(info.param) + "_" +
                                              std::to_string(std::get<1>(info.param));
                           std::replace(name.begin(), name.end(), '-', '_');
                           return name;
                         });

}  // namespace
}  // namespace yoke::test
