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

namespace {

auto choose(std::string_view text) {
  return compressions().choose(Choice::parse_inner(text, compressions().kind()));
}

}  // namespace

CompressionTraits compression_traits(std::string_view text) { return choose(text).traits; }

std::unique_ptr<Compression> make_compression(std::string_view text, FlatParameters& parameters,
                                              Communicator& communicator) {
  return choose(text).make(parameters, communicator);
}

}  // namespace yoke
