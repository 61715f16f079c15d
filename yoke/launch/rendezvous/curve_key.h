// yoke/launch/rendezvous/curve_key.h: the key by which the processes of a launch know each other.
#pragma once
#include <filesystem>
#include <functional>
#include <nlohmann/json.hpp>
#include <string>

namespace yoke::launch {

/// A key pair of CurveZMQ (https://rfc.zeromq.org/spec/26) in Z85, which a coordinator and its
/// agents share: each proves by it to the other that it is of the run.
struct CurveKey {
  std::string public_key;  ///< 40 characters, like the other.
  std::string secret_key;
};

NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(CurveKey, public_key, secret_key)

CurveKey new_curve_key();

/// The key whose secret is in `file`, as 64 hexadecimal digits; one is made where there is no file,
/// and `made` called. @throws UsageError where the file is another user's, open to others, or no
/// key.
CurveKey kept_curve_key(const std::filesystem::path& file, const std::function<void()>& made);

}  // namespace yoke::launch
