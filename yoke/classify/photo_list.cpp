#include "yoke/classify/photo_list.h"

#include <cstddef>
#include <exception>

#include "yoke/classify/middle.h"

namespace yoke {

std::span<const std::uint8_t> PhotoList::pixels(std::int64_t index,
                                                std::vector<std::uint8_t>& scratch) const {
  std::vector<std::uint8_t> file;
  try {
    decode_middle(files_.read(index, file), data_, scratch);
  } catch (const std::exception& error) {  // of any kind: it is one photo of many
    problems_[static_cast<std::size_t>(index)] = error.what();
    scratch.assign(static_cast<std::size_t>(data_.image.elements()), 0);
  }
  return scratch;
}

}  // namespace yoke
