#include "yoke/comm/factory.h"

namespace yoke {

#define COMMUNICATOR(id, help) CommunicatorPlugin id##_communicator();
#define ABSENT_COMMUNICATOR(id, how)
#include "yoke/comm/communicators.def"
#undef ABSENT_COMMUNICATOR
#undef COMMUNICATOR

const Registry<CommunicatorPlugin>& communicators() {
  static const Registry<CommunicatorPlugin> registry("communicator", {
#define COMMUNICATOR(id, help) {plugin_name(#id), help, id##_communicator()},
#define ABSENT_COMMUNICATOR(id, how) {plugin_name(#id), "not in this build: " how, {}},
#include "yoke/comm/communicators.def"
#undef ABSENT_COMMUNICATOR
#undef COMMUNICATOR
                                                                     });
  return registry;
}

}  // namespace yoke
