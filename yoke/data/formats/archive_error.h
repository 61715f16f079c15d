// yoke/data/formats/archive_error.h: what libarchive says is wrong.
#pragma once
#include <archive.h>

namespace yoke {

/// Of the latest call; libarchive has no words for some damage.
inline const char* archive_problem(archive* reader) {
  const char* const why = archive_error_string(reader);
  return why != nullptr ? why : "it is damaged";
}

}  // namespace yoke
