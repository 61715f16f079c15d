#include "yoke/launch/ssh/hosts.h"

#include <fmt/format.h>

#include <sstream>

#include "yoke/core/error.h"
#include "yoke/core/files/file.h"
#include "yoke/core/parse_number.h"
#include "yoke/core/split.h"

namespace yoke::launch {
namespace {

constexpr const char* kForms = "allowed: host, host:PROCESSES";

int parse_slots(std::string_view text, std::string_view entry) {
  const auto slots = parse_number<int>(text, 1);
  if (!slots) {
    throw UsageError(fmt::format("'{}' has no number of processes above 0; {}", entry, kForms));
  }
  return *slots;
}

/// `host` or `host:2`; an IPv6 address with a number of processes is `[::1]:2`.
HostSlots parse_host(std::string_view entry) {
  std::string_view name = entry;
  int slots = 0;
  const auto colon = entry.rfind(':');
  const bool bare_ipv6 =
      colon != std::string_view::npos && entry.find(':') != colon && !entry.starts_with('[');
  const bool in_brackets = entry.ends_with(']');
  if (colon != std::string_view::npos && !bare_ipv6 && !in_brackets) {
    name = entry.substr(0, colon);
    slots = parse_slots(entry.substr(colon + 1), entry);
  }
  if (name.starts_with('[') && name.ends_with(']')) name = name.substr(1, name.size() - 2);
  if (name.empty() || name.starts_with('-')) {
    throw UsageError(fmt::format("'{}' names no host; {}", entry, kForms));
  }
  return {.name = std::string(name), .processes = slots};
}

void add(std::vector<HostSlots>& hosts, HostSlots host) {
  for (const auto& other : hosts) {
    if (other.name != host.name) continue;
    throw UsageError(fmt::format(
        "host '{0}' is there twice; give it once with its number of processes, e.g. {0}:2",
        host.name));
  }
  hosts.push_back(std::move(host));
}

HostSlots parse_line(const std::string& line) {
  std::istringstream words(line);
  std::string name, word;
  words >> name;
  HostSlots host = parse_host(name);
  while (words >> word) {
    if (!word.starts_with("slots=")) {
      throw UsageError(fmt::format("'{}' is unknown; {}, host slots=PROCESSES", word, kForms));
    }
    host.processes = parse_slots(std::string_view(word).substr(6), line);
  }
  return host;
}

}  // namespace

std::vector<HostSlots> parse_hosts(std::string_view text) {
  std::vector<HostSlots> hosts;
  for (const auto entry : split(text, ',')) add(hosts, parse_host(entry));
  return hosts;
}

std::vector<HostSlots> read_hostfile(const std::filesystem::path& path) {
  std::istringstream lines(read_file(path));
  std::vector<HostSlots> hosts;
  int number = 0;
  for (std::string line; std::getline(lines, line);) {
    ++number;
    line = line.substr(0, line.find('#'));
    if (line.find_first_not_of(" \t\r") == std::string::npos) continue;
    try {
      add(hosts, parse_line(line));
    } catch (const UsageError& error) {
      throw UsageError(fmt::format("{}:{}: {}", path.string(), number, error.what()));
    }
  }
  if (hosts.empty()) throw UsageError(fmt::format("{} names no host", path.string()));
  return hosts;
}

}  // namespace yoke::launch
