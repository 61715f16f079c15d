#include "yoke/comm/factory.h"

namespace yoke {

#define COMMUNICATOR(id, help) \
  std::unique_ptr<Transport> make_##id(const Group& group, Options& options);
#include "yoke/comm/communicators.def"
#undef COMMUNICATOR

const Registry<MakeTransport>& communicators() {
  static const Registry<MakeTransport> registry("communicator", {
#define COMMUNICATOR(id, help) {plugin_name(#id), help, &make_##id},
#include "yoke/comm/communicators.def"
#undef COMMUNICATOR
                                                                });
  return registry;
}

}  // namespace yoke
