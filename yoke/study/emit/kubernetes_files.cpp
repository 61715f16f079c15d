// yoke/study/emit/kubernetes_files.cpp: a study as jobs of Kubernetes.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "yoke/core/error.h"
#include "yoke/core/parse_number.h"
#include "yoke/core/system/exit_status.h"
#include "yoke/run/flag_names.h"
#include "yoke/study/emit/emit.h"
#include "yoke/study/emit/kubernetes_submit.h"

namespace yoke::study {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

constexpr const char* kYoke = "yoke";  // the program in the image, and the name of the container
constexpr int kTries = 3;              // of a run that fails
constexpr int kPodGraceSeconds = 120;  // for a checkpoint
constexpr int kJoinSeconds = 3600;     // until all nodes of a run are free
constexpr int kPort = 29400;
constexpr const char* kKeyFolder = "/etc/yoke";  // in a pod; kubectl's Secret of the study

/// Writes the jobs of one study.
class Kubernetes {
 public:
  Kubernetes(const StudyPlan& plan, const EmitContext& context)
      : plan_(plan),
        settings_(plan.kubernetes),
        context_(context),
        mount_(settings_.mount.empty() ? context.directory : settings_.mount) {
    need(settings_.image, "image", "the image that has yoke and is to run");
    need(settings_.claim, "claim", "the persistent volume claim that holds data and results");
    for (const auto& path : {context.file, context.out, context.directory}) {
      const auto below = path.lexically_relative(mount_);
      if (!below.empty() && *below.begin() != "..") continue;
      throw UsageError(
          fmt::format("{} does not lie below {}, which the claim holds; start yoke "
                      "study in a folder above it, or say mount = \"/...\" in "
                      "[kubernetes] of {}",
                      path.string(), mount_.string(), context.file.string()));
    }
  }

  std::string name_of(const JobLeft& left) const { return context_.job_name(*left.job); }

  std::string run(const JobLeft& left) const {
    const StudyPoint& point = *left.job->point;
    const std::string name = name_of(left);
    const std::string run = left.job->directory.filename().string();
    Json pod = pod_of(name, run_command(*left.job, name), resources_of(point));
    Json spec = {{"backoffLimit", (kTries - 1) * point.nodes}};
    if (plan_.run_limit) {
      spec["activeDeadlineSeconds"] = static_cast<std::int64_t>(plan_.run_limit->count() + 0.999);
    }
    Json service = nullptr;
    if (point.nodes > 1) {
      spec.update(Json{{"completionMode", "Indexed"},
                       {"completions", point.nodes},
                       {"parallelism", point.nodes}});
      pod["spec"]["subdomain"] = name;
      pod["spec"]["affinity"] = apart(name);
      pod["spec"]["containers"][0]["env"] = Json::array({own_address()});
      mount_key(pod["spec"]);
      service = service_of(name);
    }
    spec["podFailurePolicy"] = failure_policy();
    spec["template"] = pod;
    const Json job = job_of(name, run, spec);
    if (service.is_null()) return text(job);
    return text({{"apiVersion", "v1"}, {"kind", "List"}, {"items", {service, job}}});
  }

  std::string report() const {
    const std::string name = report_name();
    std::vector<std::string> command = context_.report_command(kYoke);
    for (auto& word : command) word = literal(word);
    const Json spec = {{"backoffLimit", 1}, {"template", pod_of(name, command, Json::object())}};
    return text(job_of(name, "report", spec));
  }

  /// What holds the key by which pods of a run know each other; empty where each run has one pod.
  std::string secret_name(const std::vector<JobLeft>& jobs) const {
    const bool several = std::any_of(jobs.begin(), jobs.end(),
                                     [](const auto& left) { return left.job->point->nodes > 1; });
    return several ? secret_name() : std::string();
  }

  std::string report_name() const { return context_.job_name() + "-report"; }

 private:
  std::string secret_name() const {
    return context_.job_name() + "-" + launch_flag::kRendezvousKey;
  }

  void mount_key(Json& spec) const {
    constexpr int kOwnerReads = 0400;
    const char* const name = launch_flag::kRendezvousKey;
    spec["volumes"].push_back(
        {{"name", name},
         {"secret", {{"secretName", secret_name()}, {"defaultMode", kOwnerReads}}}});
    spec["containers"][0]["volumeMounts"].push_back(
        {{"name", name}, {"mountPath", kKeyFolder}, {"readOnly", true}});
  }

  /// kubectl reads JSON as it reads YAML.
  static std::string text(const Json& manifest) {
    return manifest.dump(2, ' ', /*ensure_ascii=*/false, Json::error_handler_t::replace) + "\n";
  }

  void need(const std::string& value, const char* key, const char* what) const {
    if (!value.empty()) return;
    throw UsageError(fmt::format("{} does not name {}; write {} = \"...\" below [kubernetes]",
                                 context_.file.string(), what, key));
  }

  Json labels(const std::string& name) const {
    return {
        {"app.kubernetes.io/name", kYoke}, {"yoke-study", context_.job_name()}, {"yoke-job", name}};
  }

  Json job_of(const std::string& name, const std::string& run, const Json& spec) const {
    return {{"apiVersion", "batch/v1"},
            {"kind", "Job"},
            {"metadata",
             {{"name", name}, {"labels", labels(name)}, {"annotations", {{"yoke-run", run}}}}},
            {"spec", spec}};
  }

  /// Gives pods names, `<name>-0.<name>` for the first, before they are ready.
  Json service_of(const std::string& name) const {
    return {{"apiVersion", "v1"},
            {"kind", "Service"},
            {"metadata", {{"name", name}, {"labels", labels(name)}}},
            {"spec",
             {{"clusterIP", "None"},
              {"publishNotReadyAddresses", true},
              {"selector", {{"yoke-job", name}}}}}};
  }

  Json pod_of(const std::string& name, const std::vector<std::string>& command,
              const Json& resources) const {
    Json container = {{"name", kYoke},
                      {"image", settings_.image},
                      {"command", Json::array()},
                      {"workingDir", context_.directory.string()},
                      {"volumeMounts",
                       {{{"name", "study"}, {"mountPath", mount_.string()}},
                        {{"name", "dshm"}, {"mountPath", "/dev/shm"}}}}};
    for (const auto& word : command) container["command"].push_back(word);
    if (!resources.empty()) {
      container["resources"] = {{"requests", resources}, {"limits", resources}};
    }
    // The 64 MiB that pods have in /dev/shm by themselves are too few for ranks that share it.
    const Json volumes = {
        {{"name", "study"}, {"persistentVolumeClaim", {{"claimName", settings_.claim}}}},
        {{"name", "dshm"}, {"emptyDir", {{"medium", "Memory"}}}}};
    return {{"metadata", {{"labels", labels(name)}}},
            {"spec",
             {{"restartPolicy", "Never"},
              {"terminationGracePeriodSeconds", kPodGraceSeconds},
              {"containers", Json::array({container})},
              {"volumes", volumes}}}};
  }

  /// Cores as [kubernetes] says, else those of the flag threads.
  Json resources_of(const StudyPoint& point) const {
    Json all = Json::object();
    for (const auto& [key, amount] : settings_.resources) all[key] = amount;
    if (all.contains("cpu")) return all;
    const auto threads = point.flags.find(flag::kThreads);
    const bool told = threads != point.flags.end();
    const auto each = told ? parse_number<int>(threads->second.value, 1) : std::nullopt;
    if (!each) {
      throw UsageError(
          fmt::format("{} does not say how many cores a pod gets; write resources = {{ "
                      "cpu = 4 }} below [kubernetes], or the flag threads",
                      context_.file.string()));
    }
    all["cpu"] = fmt::format("{}", std::int64_t{*each} * point.ranks);
    return all;
  }

  std::vector<std::string> run_command(const Job& job, const std::string& name) const {
    const StudyPoint& point = *job.point;
    std::vector<std::string> words = {kYoke};
    if (point.nodes * point.ranks > 1) {
      words.insert(words.end(),
                   {"run", as_flag(launch_flag::kProcesses), fmt::format("{}", point.ranks)});
    }
    if (point.nodes > 1) {
      words.insert(
          words.end(),
          {as_flag(launch_flag::kNodes), fmt::format("{}", point.nodes),
           as_flag(launch_flag::kNodeRank), "$(JOB_COMPLETION_INDEX)",
           as_flag(launch_flag::kLocalAddr), "$(POD_IP)", as_flag(launch_flag::kRendezvousEndpoint),
           fmt::format("{0}-0.{0}:{1}", name, kPort), as_flag(launch_flag::kRendezvousId), name,
           as_flag(launch_flag::kRendezvousKey),
           fmt::format("{}/{}", kKeyFolder, launch_flag::kRendezvousKey),
           as_flag(launch_flag::kRendezvousConf), fmt::format("join_timeout={}", kJoinSeconds)});
    }
    words.insert(words.end(), {"train", as_flag(flag::kRecipe), literal(job.flags_path().string()),
                               as_flag(flag::kOut), literal(job.directory.string()),
                               as_flag(flag::kResume), "auto"});
    return words;
  }

  /// In a command of a pod `$(NAME)` is a variable, and `$$` a dollar.
  static std::string literal(const std::string& word) {
    std::string text;
    for (const char letter : word) text += letter == '$' ? "$$" : std::string(1, letter);
    return text;
  }

  /// Without it a pod would look for a route to the first one, whose name may not be known yet.
  static Json own_address() {
    return {{"name", "POD_IP"}, {"valueFrom", {{"fieldRef", {{"fieldPath", "status.podIP"}}}}}};
  }

  /// No two pods of a run on one machine.
  static Json apart(const std::string& name) {
    const Json term = {{"labelSelector", {{"matchLabels", {{"yoke-job", name}}}}},
                       {"topologyKey", "kubernetes.io/hostname"}};
    return {{"podAntiAffinity",
             {{"requiredDuringSchedulingIgnoredDuringExecution", Json::array({term})}}}};
  }

  static Json on_exit(const char* action, const std::vector<int>& statuses) {
    return {{"action", action},
            {"onExitCodes", {{"containerName", kYoke}, {"operator", "In"}, {"values", statuses}}}};
  }

  /// A run that was stopped goes on in new pods, as often as need be; wrong usage stays wrong.
  static Json failure_policy() {
    const Json disruption = {
        {"action", "Ignore"},
        {"onPodConditions", Json::array({Json{{"type", "DisruptionTarget"}, {"status", "True"}}})}};
    return {{"rules", Json::array({on_exit("Ignore", {kStopped}),
                                   on_exit("FailJob", {kWrongUsage, kUnavailable}), disruption})}};
  }

  const StudyPlan& plan_;
  const KubernetesSettings& settings_;
  const EmitContext& context_;
  const fs::path mount_;
};

}  // namespace

Files kubernetes_files(const StudyPlan& plan, const std::vector<JobLeft>& jobs,
                       const EmitContext& context) {
  const Kubernetes kubernetes(plan, context);
  Files files;
  std::vector<std::string> names;
  for (const auto& left : jobs) {
    names.push_back(kubernetes.name_of(left));
    files[names.back() + ".json"] = kubernetes.run(left);
  }
  files[kubernetes.report_name() + ".json"] = kubernetes.report();
  files[kSubmitScript] = kubernetes_submit_script({.jobs = names,
                                                   .report = kubernetes.report_name(),
                                                   .at_once = plan.kubernetes.at_once,
                                                   .study = context.job_name(),
                                                   .secret = kubernetes.secret_name(jobs)});
  return files;
}

}  // namespace yoke::study
