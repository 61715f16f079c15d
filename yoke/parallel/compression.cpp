#include "yoke/parallel/compression.h"

namespace yoke {

#define COMPRESSION(id, help) CompressionPlugin id##_compression();
#include "yoke/parallel/compressions.def"
#undef COMPRESSION

const Registry<CompressionPlugin>& compressions() {
  static const Registry<CompressionPlugin> registry("compression", {
#define COMPRESSION(id, help) {plugin_name(#id), help, id##_compression()},
#include "yoke/parallel/compressions.def"
#undef COMPRESSION
                                                                   });
  return registry;
}

std::unique_ptr<Compression> make_compression(std::string_view text, FlatParameters& parameters,
                                              Communicator& communicator) {
  return compressions().choose(text).make(parameters, communicator);
}

}  // namespace yoke
