#include "tests/comm/checks.h"

#include <fmt/format.h>

#include <numeric>
#include <stdexcept>

#include "tests/comm/mismatch.h"
#include "yoke/comm/factory.h"

namespace yoke::test {
namespace {

using torch::Tensor;

constexpr auto kTypes = {torch::kFloat32, torch::kFloat64, torch::kFloat16, torch::kBFloat16,
                         torch::kInt64,   torch::kInt32,   torch::kUInt8};
const std::vector<std::int64_t> kSizes = {0, 1, 17, 1000};
const std::vector<std::int64_t> kFewSizes = {17};
constexpr std::int64_t kMany = 70'001;  // more than a transport may do in one piece
constexpr std::int64_t kVeryMany = 1'000'000;

void expect(bool holds, const std::string& what) {
  if (!holds) throw std::runtime_error(what);
}

void expect_equal(const Tensor& actual, const Tensor& expected, const std::string& what) {
  if (actual.equal(expected)) return;
  const Tensor differs = actual.view(-1).ne(expected.view(-1)).nonzero();
  const auto at = differs.numel() > 0 ? differs[0].item<std::int64_t>() : -1;
  const auto value = [&](const Tensor& tensor) {
    return at < 0 ? 0.0 : tensor.view(-1)[at].to(torch::kFloat64).item<double>();
  };
  throw std::runtime_error(fmt::format("{} of {} elements of {}: element {} is {}, not {}", what,
                                       actual.numel(), c10::toString(actual.scalar_type()), at,
                                       value(actual), value(expected)));
}

/// Small whole numbers, whose sums every dtype holds exactly; different on each rank.
Tensor numbers(std::int64_t size, torch::ScalarType type, int rank) {
  return ((torch::arange(size) * 7 + rank * 3) % 13).to(type);
}

Tensor sum_of(std::int64_t size, torch::ScalarType type, int ranks) {
  Tensor sum = torch::zeros({size}, torch::kInt64);
  for (int rank = 0; rank < ranks; ++rank) sum += numbers(size, torch::kInt64, rank);
  return sum.to(type);
}

/// Numbers of every magnitude, whose sum depends on the order.
Tensor noise(std::int64_t size, int rank) {
  auto generator = torch::make_generator<at::CPUGeneratorImpl>(1 + rank);
  return torch::randn({size}, generator) * torch::randn({size}, generator).mul(4).exp();
}

using Each = std::function<void(Communicator&, torch::ScalarType, std::int64_t)>;

/// Calls `each` with every dtype and size.
auto over_types(const Each& each) {
  return [each](const std::string& name, const Group& group) {
    const auto communicator = make_communicator(name, group);
    for (const auto type : kTypes) {
      for (const auto size : type == torch::kFloat32 ? kSizes : kFewSizes) {
        each(*communicator, type, size);
      }
      if (type == torch::kFloat32 || type == torch::kBFloat16) each(*communicator, type, kMany);
    }
  };
}

void all_reduces(Communicator& comm, torch::ScalarType type, std::int64_t size) {
  const Tensor tensor = numbers(size, type, comm.rank());
  comm.all_reduce(tensor);
  expect_equal(tensor, sum_of(size, type, comm.size()), "all-reduce");
}

void all_reduces_very_many(const std::string& name, const Group& group) {
  all_reduces(*make_communicator(name, group), torch::kFloat32, kVeryMany);
}

void reduce_scatters(Communicator& comm, torch::ScalarType type, std::int64_t size) {
  const Tensor input = numbers(size * comm.size(), type, comm.rank());
  const Tensor sum = sum_of(size * comm.size(), type, comm.size());
  const Tensor expected = sum.narrow(0, comm.rank() * size, size);
  const Tensor output = torch::empty({size}, type);
  comm.reduce_scatter(input, output);
  expect_equal(output, expected, "reduce-scatter");
  const Tensor own = input.narrow(0, comm.rank() * size, size);
  comm.reduce_scatter(input, own);
  expect_equal(own, expected, "reduce-scatter in place");
}

void all_gathers(Communicator& comm, torch::ScalarType type, std::int64_t size) {
  std::vector<Tensor> parts;
  for (int rank = 0; rank < comm.size(); ++rank) parts.push_back(numbers(size, type, rank));
  const Tensor expected = torch::cat(parts);
  const Tensor output = torch::empty({size * comm.size()}, type);
  comm.all_gather(numbers(size, type, comm.rank()), output);
  expect_equal(output, expected, "all-gather");
  output.zero_();
  const Tensor own = output.narrow(0, comm.rank() * size, size);
  own.copy_(numbers(size, type, comm.rank()));
  comm.all_gather(own, output);
  expect_equal(output, expected, "all-gather in place");
}

void broadcasts(Communicator& comm, torch::ScalarType type, std::int64_t size) {
  for (int root = 0; root < comm.size(); ++root) {
    const Tensor tensor = numbers(size, type, comm.rank());
    comm.broadcast(tensor, root);
    expect_equal(tensor, numbers(size, type, root), "broadcast");
  }
}

void sends_and_receives(Communicator& comm, torch::ScalarType type, std::int64_t size) {
  for (int from = 0; from < comm.size(); ++from) {  // to the next, around
    const int to = (from + 1) % comm.size();
    if (from == to) continue;
    const Tensor tensor = numbers(size, type, comm.rank());
    if (comm.rank() == from) comm.send(tensor, to);
    if (comm.rank() == to) comm.receive(tensor, from);
    expect_equal(tensor, numbers(size, type, comm.rank() == to ? from : comm.rank()), "send");
  }
}

void works_in_order(const std::string& name, const Group& group) {
  const auto comm = make_communicator(name, group);
  std::vector<Tensor> tensors;
  std::vector<Work> works;
  for (int i = 0; i < 20; ++i) {
    tensors.push_back(numbers(std::int64_t{1000} * i, torch::kFloat32, comm->rank()));
    works.push_back(comm->start(Operation::all_reduce(tensors.back())));
  }
  const Tensor last = numbers(5, torch::kFloat64, comm->rank());
  comm->all_reduce(last);  // behind those
  expect_equal(last, sum_of(5, torch::kFloat64, comm->size()), "the last of 21");
  for (std::size_t i = 0; i < works.size(); ++i) {
    works[i].wait();
    expect_equal(tensors[i], sum_of(tensors[i].numel(), torch::kFloat32, comm->size()),
                 "one of 21");
  }
}

void sums_bitwise_equal(const std::string& name, const Group& group) {
  const auto comm = make_communicator(name, group);
  for (const auto type : {torch::kFloat32, torch::kBFloat16}) {
    for (const std::int64_t size : {3, 1000, 70'001}) {
      const Tensor sum = noise(size, comm->rank()).to(type);
      comm->all_reduce(sum);
      const Tensor all = torch::empty({size * comm->size()}, type);
      comm->all_gather(sum, all);
      const Tensor again = noise(size, comm->rank()).to(type);
      comm->all_reduce(again);
      expect_equal(again, sum, "the second of two equal sums");
      for (int rank = 0; rank < comm->size(); ++rank) {
        expect_equal(all.narrow(0, rank * size, size), sum, fmt::format("sum on rank {}", rank));
      }
    }
  }
}

void rounds_halves_once(const std::string& name, const Group& group) {
  const auto comm = make_communicator(name, group);
  if (comm->size() < 3) return;
  // 256 + 1 + 1 in bf16: rounded at each addition it stays 256.
  const Tensor tensor = torch::full({1000},
                                    comm->rank() == 0  ? 256
                                    : comm->rank() < 3 ? 1
                                                       : 0,
                                    torch::kBFloat16);
  comm->all_reduce(tensor);
  // Between hosts once more: by half the distance of two neighbours, which is 2 here, each time.
  const bool hosts = comm->describe().find("hierarchical (") != std::string::npos;
  const double error = (tensor.to(torch::kFloat32) - 258).abs().max().item<double>();
  expect(error <= (hosts ? 2 : 0), fmt::format("a sum of bf16 is {} from 258", error));
}

void reduces_what_it_allocated(const std::string& name, const Group& group) {
  const auto comm = make_communicator(name, group);
  for (const std::int64_t size : {0, 1, 17, 100'000}) {
    const Tensor memory = comm->allocate(size);
    expect_equal(memory, torch::zeros({size}), "allocated memory");
    for (int again = 0; again < 3; ++again) {
      memory.copy_(numbers(size, torch::kFloat32, comm->rank()));
      comm->all_reduce(memory);
      expect_equal(memory, sum_of(size, torch::kFloat32, comm->size()), "allocated memory");
    }
    const Tensor part = memory.narrow(0, size / 3, size / 2).fill_(comm->rank());
    comm->all_reduce(part);
    const int sum = comm->size() * (comm->size() - 1) / 2;
    expect_equal(part, torch::full_like(part, sum), "part of allocated memory");
  }
}

/// Into the tensors themselves and into others; at an odd place of the memory.
void scatters_and_gathers_what_it_allocated(const std::string& name, const Group& group) {
  const auto comm = make_communicator(name, group);
  for (const std::int64_t part : {0, 1, 17, 30'001}) {
    const std::int64_t size = part * comm->size();
    const Tensor whole = comm->allocate(size + 3).narrow(0, 3, size);
    const Tensor own = whole.narrow(0, comm->rank() * part, part);
    const Tensor other = torch::empty({part});
    const Tensor sum = sum_of(size, torch::kFloat32, comm->size());
    for (const Tensor& output : {other, own, other, own}) {
      whole.copy_(numbers(size, torch::kFloat32, comm->rank()));
      comm->reduce_scatter(whole, output);
      expect_equal(output, sum.narrow(0, comm->rank() * part, part), "reduce-scatter");
      output.add_(1);
      comm->all_gather(output, whole);
      expect_equal(whole, sum + 1, "all-gather");
    }
  }
}

void works_in_several_groups(const std::string& name, const Group& group) {
  const auto a = make_communicator(name, again(group, "a"));
  const auto b = make_communicator(name, again(group, "b"));
  const Tensor one = numbers(200'000, torch::kFloat32, group.rank);
  const Tensor two = numbers(70'000, torch::kInt64, group.rank);
  // Half of the ranks start them the other way round.
  const bool other = group.rank % 2 == 1;
  const Work first =
      other ? b->start(Operation::all_reduce(two)) : a->start(Operation::all_reduce(one));
  const Work second =
      other ? a->start(Operation::all_reduce(one)) : b->start(Operation::all_reduce(two));
  first.wait();
  second.wait();
  expect_equal(one, sum_of(200'000, torch::kFloat32, group.size), "in the first group");
  expect_equal(two, sum_of(70'000, torch::kInt64, group.size), "in the second group");
}

/// Groups of the even and of the odd ranks, at once.
void works_in_parts(const std::string& name, const Group& group) {
  std::vector<int> ranks;
  for (int rank = group.rank % 2; rank < group.size; rank += 2) ranks.push_back(rank);
  const auto comm =
      make_communicator(name, group.part(ranks, group.rank % 2 == 0 ? "even" : "odd"));
  const Tensor tensor = torch::full({1000}, group.rank, torch::kInt64);
  comm->all_reduce(tensor);
  const int sum = std::accumulate(ranks.begin(), ranks.end(), 0);
  expect_equal(tensor, torch::full({1000}, sum, torch::kInt64), "in a part");
}

void describes_itself(const std::string& name, const Group& group) {
  const auto comm = make_communicator(name, group);
  comm->all_reduce(torch::ones({1}));  // for rank 0, who may serve the store, not to end first
  expect(!comm->describe().empty(), "describe() is empty");
  expect(name.starts_with(comm->name()) || name == "auto", "name() is " + comm->name());
}

}  // namespace

Group again(const Group& group, const std::string& name) {
  std::vector<int> all(static_cast<std::size_t>(group.size));
  std::iota(all.begin(), all.end(), 0);
  return group.size == 1 ? group : group.part(all, name);
}

const std::vector<Check>& checks() {
  static const std::vector<Check> list = {
      {"all-reduces", over_types(all_reduces)},
      {"all-reduces very many", all_reduces_very_many},
      {"reduce-scatters", over_types(reduce_scatters)},
      {"all-gathers", over_types(all_gathers)},
      {"broadcasts", over_types(broadcasts)},
      {"sends and receives", over_types(sends_and_receives)},
      {"works in the background, in order", works_in_order},
      {"sums are bitwise equal", sums_bitwise_equal},
      {"rounds halves once", rounds_halves_once},
      {"reduces what it allocated", reduces_what_it_allocated},
      {"scatters and gathers what it allocated", scatters_and_gathers_what_it_allocated},
      {"works in several groups at once", works_in_several_groups},
      {"works in parts of a group", works_in_parts},
      {"tells when a rank does another operation", tells_when_a_rank_does_another_operation},
      {"tells when another size is sent", tells_when_another_size_is_sent},
      {"describes itself", describes_itself},
  };
  return list;
}

}  // namespace yoke::test
