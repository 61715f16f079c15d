#include "yoke/comm/communicator.h"

namespace yoke {

#define COMMUNICATOR(id, help) std::unique_ptr<Communicator> make_##id(Options& options);
#include "yoke/comm/communicators.def"
#undef COMMUNICATOR

const Registry<MakeCommunicator>& communicators() {
  static const Registry<MakeCommunicator> registry("communicator", {
#define COMMUNICATOR(id, help) {plugin_name(#id), help, &make_##id},
#include "yoke/comm/communicators.def"
#undef COMMUNICATOR
                                                                   });
  return registry;
}

std::unique_ptr<Communicator> make_communicator(std::string_view text) {
  Choice choice = Choice::parse(text == "auto" ? "single" : text, communicators().kind());
  auto communicator = communicators().find(choice.name).make(choice.options);
  choice.options.finish();
  return communicator;
}

}  // namespace yoke
