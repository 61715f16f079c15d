#include "yoke/comm/factory.h"

namespace yoke {
namespace {

std::string best(const Group& group, bool cuda) {
  if (group.size == 1) return "single";
  if (cuda && communicators().find("nccl").make != nullptr) return "nccl";
  return group.one_host() ? "shared-memory" : "hierarchical";
}

}  // namespace

std::unique_ptr<Communicator> make_communicator(std::string_view text, const Group& group,
                                                bool cuda) {
  const std::string chosen = text == "auto" ? best(group, cuda) : std::string(text);
  Choice choice = Choice::parse(chosen, communicators().kind());
  const auto& entry = communicators().find(choice.name);
  // A group of one needs no transport, but its options are checked all the same.
  Group below_this = group;
  if (group.size > 1) below_this.store = below(group.store, choice.name);
  auto transport = entry.make(below_this, choice.options);
  choice.options.finish();
  return std::make_unique<Communicator>(group, choice.name, std::move(transport));
}

}  // namespace yoke
