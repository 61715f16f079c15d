#include "yoke/comm/factory.h"

#include <fmt/format.h>

#include <algorithm>

namespace yoke {
namespace {

struct Made {
  std::string name;
  std::unique_ptr<Transport> transport;
};

Made make(const Choice& choice, const Group& group) {
  const auto chosen = communicators().choose(choice);
  // A group of one needs no transport, but its options are checked all the same.
  Group inner = group;
  if (group.size > 1) inner.store = below(group.store, choice.name);
  return {.name = choice.name, .transport = chosen.make(inner)};
}

Made make(std::string_view text, const Group& group) {
  return make(Choice::parse(text, communicators().kind()), group);
}

/// The fastest first.
std::vector<std::string> candidates(const Group& group, bool cuda) {
  if (group.size == 1) return {"single"};
  const auto here = communicators().available();
  std::vector<std::string> names;
  if (cuda && std::find(here.begin(), here.end(), "nccl") != here.end()) names.emplace_back("nccl");
  names.emplace_back(group.one_host() ? kSharedMemory : "hierarchical");
  names.emplace_back(kGloo);
  return names;
}

/// Tells the other ranks how it went here; returns the first failure of any of them, or nothing.
std::string first_failure(const Group& group, const std::string& name, const std::string& failure) {
  const auto key = [&](int rank) { return fmt::format("auto/{}/{}", name, rank); };
  group.store->set(key(group.rank), failure);
  for (int rank = 0; rank < group.size; ++rank) {
    const std::string theirs = group.store->get(key(rank), group.timeout);
    if (!theirs.empty()) return fmt::format("rank {}: {}", rank, theirs);
  }
  return "";
}

std::unique_ptr<Communicator> make_best(const Group& group, bool cuda) {
  const auto names = candidates(group, cuda);
  std::string note;
  for (const auto& name : names) {
    if (name == names.back()) break;
    Made made;
    std::string failure;
    try {
      made = make(name, group);
    } catch (const std::exception& error) {
      failure = error.what();
    }
    failure = first_failure(group, name, failure);
    if (failure.empty()) {
      return std::make_unique<Communicator>(group, name, std::move(made.transport), note);
    }
    note += fmt::format("; {} cannot serve here: {}", name, failure);
  }
  Made made = make(names.back(), group);
  return std::make_unique<Communicator>(group, made.name, std::move(made.transport), note);
}

}  // namespace

std::unique_ptr<Communicator> make_communicator(std::string_view text, const Group& group,
                                                bool cuda) {
  if (text == "auto") return make_best(group, cuda);
  Made made = make(text, group);
  return std::make_unique<Communicator>(group, std::string(text), std::move(made.transport));
}

forecast::CommunicatorPlan plan_communicator(std::string_view text) {
  if (text == "auto") return {.between = kGloo, .within = kSharedMemory};
  const auto plan = communicators().choose(text).traits.plan;
  if (plan) return *plan;
  throw UsageError(fmt::format(
      "--comm {}: yoke forecast has no model of it; give auto, or another; see 'yoke list "
      "communicators'",
      text));
}

void shrink(Communicator& communicator, const std::vector<int>& ranks) {
  const Group group = communicator.group().part(ranks, "left");
  communicator.regroup(group, make(communicator.name(), group).transport);
}

std::unique_ptr<Transport> make_inner_transport(const std::string& text, const Group& group,
                                                const std::string& role) {
  Group inner = group;
  if (group.size > 1) inner.store = below(group.store, role);
  return make(Choice::parse_inner(text, communicators().kind()), inner).transport;
}

}  // namespace yoke
