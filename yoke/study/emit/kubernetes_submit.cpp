#include "yoke/study/emit/kubernetes_submit.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "yoke/run/flag_names.h"

namespace yoke::study {

std::string kubernetes_submit_script(const KubernetesJobs& jobs) {
  constexpr const char* kText = R"sh(#!/bin/bash
# kubernetes/submit.sh: runs the jobs of a study in the cluster, {at_once} at a time, then the one
# that writes the report. Ended and started again, it goes on; jobs that have failed begin once more.
# Arguments are options of kubectl, as --namespace=NAME. From yoke study.
set -e
cd "$(dirname "$0")"
options=("$@")
jobs=(
  {jobs}
)
secret={secret}
failed=0
going_on=()

# By this key pods of a run know each other.
if [ -n "$secret" ] &&
  [ -z "$(kubectl get secret "$secret" "${{options[@]}}" --ignore-not-found --output=name)" ]; then
  kubectl create secret generic "$secret" "${{options[@]}}" \
    --from-literal={key}="$(od -An -tx1 -N32 /dev/urandom | tr -d ' \n')"
  kubectl label secret "$secret" "${{options[@]}}" yoke-study={study}
fi

# Which of Complete, Failed, ... is true of a job; nothing for one that is not there.
state() {{
  kubectl get job "$1" "${{options[@]}}" --ignore-not-found \
    --output=jsonpath='{{.status.conditions[?(@.status=="True")].type}}'
}}

# Gives a job to the cluster, unless it is there.
start() {{
  case $(state "$1") in
    *Failed*) kubectl delete --filename="$1.json" "${{options[@]}}" ;;
  esac
  kubectl apply --filename="$1.json" "${{options[@]}}"
  going_on+=("$1")
}}

# Waits until fewer than so many jobs go on.
wait_for_fewer_than() {{
  local job rest
  while true; do
    rest=()
    for job in "${{going_on[@]}}"; do
      case $(state "$job") in
        *Complete*) echo "$job has completed" ;;
        *Failed*)
          echo "$job has failed; see: kubectl logs --selector=yoke-job=$job ${{options[*]}}"
          failed=$((failed + 1))
          ;;
        *) rest+=("$job") ;;
      esac
    done
    going_on=("${{rest[@]}}")
    if [ "${{#going_on[@]}}" -lt "$1" ]; then return; fi
    sleep 2
  done
}}

for job in "${{jobs[@]}}"; do
  start "$job"
  wait_for_fewer_than {at_once}
done
wait_for_fewer_than 1
kubectl delete job {report} "${{options[@]}}" --ignore-not-found
start {report}
wait_for_fewer_than 1
if [ "$failed" -gt 0 ]; then exit 1; fi
)sh";
  return fmt::format(fmt::runtime(kText), fmt::arg("at_once", jobs.at_once),
                     fmt::arg("jobs", fmt::join(jobs.jobs, "\n  ")),
                     fmt::arg("report", jobs.report), fmt::arg("secret", jobs.secret),
                     fmt::arg("study", jobs.study), fmt::arg("key", launch_flag::kRendezvousKey));
}

}  // namespace yoke::study
