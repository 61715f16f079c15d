// yoke/launch/ssh/ssh.h: how OpenSSH's client is called.
#pragma once
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "yoke/launch/config.h"

namespace yoke::launch {

/// What the user says of ssh; all else is in his ~/.ssh/config.
struct SshOptions {
  std::optional<int> port;
  std::string identity_file;
};

/// The client's arguments that run `command` by the login shell of `host`: without questions, and
/// with a connection that notices when it is cut.
std::vector<std::string> ssh_arguments(const SshOptions& options, const std::string& host,
                                       const std::string& command);

/// What the login shell of another host is to do to run `words` in `directory` there, where
/// programs find the libraries that this process's `environment` names.
std::string remote_command(const std::filesystem::path& directory, const Environment& environment,
                           const std::vector<std::string>& words);

/// The name or address that ssh connects to for `host`, which may be an alias of ~/.ssh/config.
std::string ssh_host_name(const std::string& host, const Environment& environment);

/// The variables of `environment` that ranks on other hosts get as well.
Environment forwarded(const Environment& environment);

}  // namespace yoke::launch
