#include "yoke/parallel/compression.h"

namespace yoke {

#define COMPRESSION(id, help)                                                                    \
  std::unique_ptr<Compression> make_##id(FlatParameters& parameters, Communicator& communicator, \
                                         Options& options);
#include "yoke/parallel/compressions.def"
#undef COMPRESSION

const Registry<MakeCompression>& compressions() {
  static const Registry<MakeCompression> registry("compression", {
#define COMPRESSION(id, help) {plugin_name(#id), help, &make_##id},
#include "yoke/parallel/compressions.def"
#undef COMPRESSION
                                                                 });
  return registry;
}

std::unique_ptr<Compression> make_compression(std::string_view text, FlatParameters& parameters,
                                              Communicator& communicator) {
  Choice choice = Choice::parse(text, compressions().kind());
  auto compression =
      compressions().find(choice.name).make(parameters, communicator, choice.options);
  choice.options.finish();
  return compression;
}

}  // namespace yoke
