#include "apps/yoke/doctor_hosts.h"

#include <fmt/format.h>
#include <netdb.h>
#include <poll.h>
#include <sys/socket.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>

#include "apps/yoke/environment.h"
#include "yoke/core/error.h"
#include "yoke/core/files/descriptor.h"
#include "yoke/launch/network.h"
#include "yoke/run/flag_names.h"
#include "yoke/run/summary.h"

namespace yoke {
namespace {

constexpr double kMostClockSeconds = 1;
constexpr int kWaitMilliseconds = 10'000;

/// The object in the last line; nothing where there is none.
std::optional<nlohmann::json> report_of(const launch::HostAnswer& answer) {
  std::string text = answer.output;
  while (text.ends_with('\n')) text.pop_back();
  auto report = nlohmann::json::parse(text.substr(text.rfind('\n') + 1), nullptr, false);
  if (!report.is_object() || !report.contains(doctor_key::kChecks)) return std::nullopt;
  return report;
}

Check no_answer(const launch::HostAnswer& answer) {
  std::string words = answer.output.empty() ? "no message" : answer.output;
  std::replace(words.begin(), words.end(), '\n', ' ');
  constexpr int kSshFailed = 255;
  return {.level = CheckLevel::kFail,
          .what = answer.host,
          .detail = words,
          .advice = answer.status == kSshFailed
                        ? fmt::format("this must work without a password: ssh {} true", answer.host)
                        : "install the same yoke at the same path, and share this folder"};
}

Check check_version(const std::string& host, const nlohmann::json& report,
                    const nlohmann::json& first) {
  const std::string version = report.at(key::kVersions).value(doctor_key::kYoke, "?");
  const bool same = version == first.at(key::kVersions).value(doctor_key::kYoke, "?");
  return {.level = same ? CheckLevel::kOk : CheckLevel::kFail,
          .what = host,
          .detail = "yoke " + version,
          .advice = same ? "" : "install the same version on all hosts: ranks refuse another"};
}

Check check_processor(const std::string& host, const nlohmann::json& report,
                      const nlohmann::json& first) {
  const auto& own = report.at(key::kHardware);
  const bool same =
      own.at(hardware_key::kCpuFeatures) == first.at(key::kHardware).at(hardware_key::kCpuFeatures);
  return {.level = same ? CheckLevel::kOk : CheckLevel::kWarn,
          .what = host,
          .detail = fmt::format("{} cores, {}", own.value(hardware_key::kCores, 0),
                                own.value(hardware_key::kCpu, "?")),
          .advice = same ? ""
                         : "its vector instructions are not the first host's: ranks may round "
                           "differently, see docs/parallel.md#what-is-equal"};
}

Check check_clock(const launch::HostAnswer& answer, double time) {
  const double away = time - std::clamp(time, answer.asked, answer.answered);
  const bool good = std::abs(away) <= kMostClockSeconds;
  return {.level = good ? CheckLevel::kOk : CheckLevel::kWarn,
          .what = answer.host,
          .detail = good ? std::string("clock like here")
                         : fmt::format("clock {:+.1f} s from here", away),
          .advice = good ? "" : "let NTP set it: times in logs and metrics are each host's own"};
}

/// A socket that anyone can connect to, for check_way() of other hosts.
class OpenPort {
 public:
  OpenPort() : socket_(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
    constexpr int kBacklog = 4096;
    if (::listen(socket_.get(), kBacklog) != 0) throw Error("cannot listen on any port");
    sockaddr_in address{};
    socklen_t size = sizeof address;
    ::getsockname(socket_.get(), reinterpret_cast<sockaddr*>(&address), &size);
    port_ = ntohs(address.sin_port);
  }

  int port() const { return port_; }

 private:
  Descriptor socket_;
  int port_ = 0;
};

}  // namespace

std::vector<Check> check_answer(const launch::HostAnswer& answer,
                                const launch::HostAnswer& first_answer) try {
  const auto report = report_of(answer);
  if (!report) return {no_answer(answer)};
  const auto first = report_of(first_answer).value_or(*report);
  std::vector<Check> checks = {check_version(answer.host, *report, first),
                               check_processor(answer.host, *report, first),
                               check_clock(answer, report->value(doctor_key::kTime, answer.asked))};
  for (const Check found : report->at(doctor_key::kChecks)) {
    if (found.level == CheckLevel::kOk) continue;
    checks.push_back({.level = found.level,
                      .what = answer.host,
                      .detail = fmt::format("{}: {}", found.what, found.detail),
                      .advice = found.advice});
  }
  return checks;
} catch (const nlohmann::json::exception&) {
  return {no_answer(answer)};  // of a program that is not this one
}

std::vector<Check> check_hosts(const std::string& list, const launch::SshOptions& ssh) {
  const auto hosts = launch::parse_hosts(list);
  const launch::LaunchContext context{.environment = whole_environment(),
                                      .program = std::filesystem::canonical("/proc/self/exe")};
  const OpenPort port;
  std::vector<std::vector<std::string>> arguments;
  for (const auto& host : hosts) {
    arguments.push_back({"doctor", "--json"});
    const auto address = launch::ssh_host_name(host.name, context.environment);
    if (launch::is_this_host(host.name) || launch::is_this_host(address)) continue;
    try {
      arguments.back().insert(
          arguments.back().end(),
          {as_flag(kReachFlag), fmt::format("{}:{}", address_towards(address), port.port())});
    } catch (const CommError&) {  // ssh says it as well
    }
  }
  const auto answers = launch::ask_hosts(hosts, ssh, context, arguments);
  std::vector<Check> checks;
  for (const auto& answer : answers) {
    const auto found = check_answer(answer, answers.front());
    checks.insert(checks.end(), found.begin(), found.end());
  }
  return checks;
}

Check check_way(const std::string& endpoint) {
  const auto target = launch::parse_endpoint(endpoint, 0);
  const auto refused = [&](const char* why) -> Check {
    return {.level = CheckLevel::kFail,
            .what = "way",
            .detail = fmt::format("no connection to {}: {}", endpoint, why),
            .advice =
                "let TCP between these hosts through firewalls, or name the interface that "
                "joins them by --network-interface"};
  };
  addrinfo hints{}, *list = nullptr;
  hints.ai_socktype = SOCK_STREAM;
  const int unknown =
      ::getaddrinfo(target.host.c_str(), std::to_string(target.port).c_str(), &hints, &list);
  if (unknown != 0) return refused(::gai_strerror(unknown));
  const std::unique_ptr<addrinfo, decltype(&::freeaddrinfo)> owner(list, ::freeaddrinfo);
  const Descriptor socket(::socket(list->ai_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  if (::connect(socket.get(), list->ai_addr, list->ai_addrlen) != 0 && errno != EINPROGRESS) {
    return refused(std::strerror(errno));
  }
  pollfd ready{.fd = socket.get(), .events = POLLOUT, .revents = 0};
  if (::poll(&ready, 1, kWaitMilliseconds) != 1) return refused("it takes more than 10 s");
  int error = 0;
  socklen_t size = sizeof error;
  ::getsockopt(socket.get(), SOL_SOCKET, SO_ERROR, &error, &size);
  if (error != 0) return refused(std::strerror(error));
  return {
      .level = CheckLevel::kOk, .what = "way", .detail = "connects to " + endpoint, .advice = {}};
}

}  // namespace yoke
