#include "tests/comm/mismatch.h"

#include <fmt/format.h>

#include <functional>
#include <stdexcept>
#include <vector>

#include "tests/comm/checks.h"
#include "yoke/comm/factory.h"
#include "yoke/core/error.h"

namespace yoke::test {
namespace {

/// What one rank of all does and the others do not.
struct Mismatch {
  std::string name;
  std::function<Operation()> usual, odd;
  std::string usual_words, odd_words;
};

std::function<Operation()> sum(std::int64_t size, torch::ScalarType type = torch::kFloat32) {
  return [=] { return Operation::all_reduce(torch::ones({size}, type)); };
}

std::function<Operation()> from(int root) {
  return [=] { return Operation::broadcast(torch::ones({1000}), root); };
}

std::vector<Mismatch> mismatches() {
  return {
      {"a few elements more", sum(10), sum(12), "all-reduce of 10 fp32", "all-reduce of 12 fp32"},
      {"elements less", sum(300'000), sum(299'999), "of 300000 fp32", "of 299999 fp32"},
      {"small and large", sum(300'000), sum(3), "of 300000 fp32", "of 3 fp32"},
      {"another dtype", sum(1000), sum(1000, torch::kInt32), "of 1000 fp32", "of 1000 int32"},
      {"another kind", sum(1000), from(0), "all-reduce of 1000", "broadcast of 1000"},
      {"another root", from(0), from(1), "from rank 0", "from rank 1"},
  };
}

void expect_words(const std::string& text, const std::string& words, const std::string& what) {
  if (text.find(words) != std::string::npos) return;
  throw std::runtime_error(fmt::format("{}: '{}' is not in: {}", what, words, text));
}

/// What the operation's failure says on this rank; empty without one.
std::string told(const std::string& name, const Group& group,
                 const std::function<Operation()>& make) {
  const auto comm = make_communicator(name, group);
  comm->all_reduce(torch::ones({1000}));
  try {
    comm->run(make());
  } catch (const CommError& error) {
    return error.what();
  }
  return "";
}

}  // namespace

void tells_when_a_rank_does_another_operation(const std::string& name, const Group& group) {
  if (group.size == 1) return;
  for (const Mismatch& mismatch : mismatches()) {
    const Group own = again(group, mismatch.name);
    const bool odd = own.rank == own.size - 1;
    const auto key = [](int rank) { return fmt::format("told/{}", rank); };
    const std::string here = told(name, own, odd ? mismatch.odd : mismatch.usual);
    own.store->set(key(own.rank), here);
    std::string all;  // who learns of it by another rank's end cannot name the operations
    for (int rank = 0; rank < own.size; ++rank) all += own.store->get(key(rank), own.timeout);
    if (here.empty()) throw std::runtime_error(mismatch.name + ": nothing was thrown here");
    expect_words(all, mismatch.usual_words, mismatch.name);
    expect_words(all, mismatch.odd_words, mismatch.name);
    expect_words(all, fmt::format("rank {}: ", own.size - 1), mismatch.name);
  }
}

void tells_when_another_size_is_sent(const std::string& name, const Group& group) {
  if (group.size == 1) return;
  const auto comm = make_communicator(name, group);
  comm->all_reduce(torch::ones({1000}));
  if (group.rank > 1) return;
  try {
    if (group.rank == 0) return comm->send(torch::ones({10}), 1);
    comm->receive(torch::ones({12}), 0);
  } catch (const CommError& error) {
    if (group.rank == 0) return;  // rank 1 has left before it took all
    expect_words(error.what(), "10 fp32", "sent");
    return expect_words(error.what(), "12 fp32", "received");
  }
  throw std::runtime_error("12 elements were received of 10");
}

}  // namespace yoke::test
