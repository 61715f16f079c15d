#include "yoke/comm/factory.h"

namespace yoke {

#define COMMUNICATOR(id, help) \
  std::unique_ptr<Transport> make_##id(const Group& group, Options& options);
#define ABSENT_COMMUNICATOR(id, how)
#include "yoke/comm/communicators.def"
#undef ABSENT_COMMUNICATOR
#undef COMMUNICATOR

const Registry<MakeTransport>& communicators() {
  static const Registry<MakeTransport> registry("communicator", {
#define COMMUNICATOR(id, help) {plugin_name(#id), help, &make_##id},
#define ABSENT_COMMUNICATOR(id, how) {plugin_name(#id), "not in this build: " how, nullptr},
#include "yoke/comm/communicators.def"
#undef ABSENT_COMMUNICATOR
#undef COMMUNICATOR
                                                                });
  return registry;
}

}  // namespace yoke
