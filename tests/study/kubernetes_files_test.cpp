// Files for Kubernetes, and their script, run where kubectl is a stand-in.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "tests/study/emitted.h"
#include "yoke/core/error.h"

namespace yoke::study {
namespace {

using test::EmittedStudy;
using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;

const std::string kSettings =
    "[kubernetes]\nimage = 'registry/yoke:1'\nclaim = 'shared'\n"
    "resources = { cpu = 6, memory = '8Gi' }\n";
const std::string kTwoRuns = "[study]\nrepetitions = 2\nwarm-up = 0\n" + kSettings;

/// A cluster in which a job ends when it is looked at a second time; that of $fails fails.
constexpr const char* kCluster = R"sh(
case $1 in
  apply)
    name=${2#--filename=}; name=${name%.json}
    echo "apply $name" >>"$told"
    [ -e "$told.$name" ] || echo 1 >"$told.$name"
    ;;
  delete) echo "$*" >>"$told"; name=${2#--filename=}; rm -f "$told.${name%.json}" ;;
  get)
    if [ ! -e "$told.$3" ]; then exit; fi
    looks=$(cat "$told.$3")
    echo $((looks + 1)) >"$told.$3"
    if [ "$looks" -lt 2 ]; then exit; fi
    if [ "$looks" -eq 2 ]; then echo "end $3" >>"$told"; fi
    if [ "$3" = "$fails" ]; then echo Failed; else echo Complete; fi
    ;;
esac
)sh";

class KubernetesFiles : public testing::Test {
 protected:
  /// A file, or what the list in it holds.
  void read(const EmittedStudy& study, const std::string& name) {
    auto file = nlohmann::json::parse(study.text("kubernetes", name));
    const bool list = file.at("kind") == "List";
    documents_ = list ? file.at("items") : nlohmann::json::array({file});
  }
  const nlohmann::json& document(std::size_t i) const { return documents_.at(i); }
  static const nlohmann::json& pod(const nlohmann::json& job) {
    return job.at("spec").at("template").at("spec");
  }
  static std::vector<std::string> command(const nlohmann::json& job) {
    return pod(job).at("containers").at(0).at("command");
  }

  nlohmann::json documents_;
};

TEST_F(KubernetesFiles, AreAJobForEachRun) {
  const EmittedStudy study(kTwoRuns + "[flags]\nmodel = 'mlp'\n");
  EXPECT_EQ(study.emit("kubernetes"), 2);
  read(study, study.name(1) + ".json");
  ASSERT_EQ(documents_.size(), 1U);
  const auto& job = document(0);
  EXPECT_EQ(job.at("apiVersion"), "batch/v1");
  EXPECT_EQ(job.at("metadata").at("name"), study.name(1));
  EXPECT_EQ(job.at("metadata").at("annotations").at("yoke-run"), "all-r2");
  EXPECT_FALSE(job.at("spec").contains("completionMode"));
  const std::string run = study.jobs()[1].directory.string();
  EXPECT_THAT(command(job), ElementsAre("yoke", "train", "--recipe", run + ".toml", "--out", run,
                                        "--resume", "auto"));
  const auto& container = pod(job).at("containers").at(0);
  EXPECT_EQ(container.at("image"), "registry/yoke:1");
  EXPECT_EQ(container.at("workingDir"), study.folder().string());
  for (const char* const kind : {"requests", "limits"}) {
    EXPECT_EQ(container.at("resources").at(kind),
              nlohmann::json({{"cpu", "6"}, {"memory", "8Gi"}}));
  }
  EXPECT_EQ(container.at("volumeMounts").at(0).at("mountPath"), study.folder().string());
  EXPECT_EQ(pod(job).at("volumes").at(0).at("persistentVolumeClaim").at("claimName"), "shared");
  EXPECT_EQ(pod(job).at("restartPolicy"), "Never");
}

TEST_F(KubernetesFiles, HaveOtherNamesWhenFlagsChange) {
  const EmittedStudy study(kTwoRuns), longer(kTwoRuns + "[flags]\nepochs = 2\n");
  EXPECT_THAT(study.name(0), testing::MatchesRegex("yoke-my-study-[0-9a-f]{8}"));
  EXPECT_NE(study.name(0), study.name(1));
  EXPECT_NE(study.name(0), longer.name(0));
}

TEST_F(KubernetesFiles, LetAStoppedRunGoOnAndWrongUsageEnd) {
  const EmittedStudy study("[study]\nrepetitions = 1\nwarm-up = 0\nrun-limit = '90s'\n" +
                           kSettings);
  study.emit("kubernetes");
  read(study, study.name(0) + ".json");
  const auto& spec = document(0).at("spec");
  EXPECT_EQ(spec.at("activeDeadlineSeconds"), 90);
  EXPECT_EQ(spec.at("backoffLimit"), 2);
  const auto& rules = spec.at("podFailurePolicy").at("rules");
  EXPECT_EQ(rules.at(0).at("action"), "Ignore");
  EXPECT_EQ(rules.at(0).at("onExitCodes").at("values"), nlohmann::json({75}));
  EXPECT_EQ(rules.at(1).at("action"), "FailJob");
  EXPECT_EQ(rules.at(1).at("onExitCodes").at("values"), nlohmann::json({2, 69}));
  EXPECT_EQ(rules.at(2).at("onPodConditions").at(0).at("type"), "DisruptionTarget");
}

TEST_F(KubernetesFiles, StartARankOnEachNodeByItsIndex) {
  const EmittedStudy study(
      "[study]\nrepetitions = 1\nwarm-up = 0\n[axes]\nnodes = [3]\n"
      "ranks = [2]\n" +
      kSettings);
  study.emit("kubernetes");
  read(study, study.name(0) + ".json");
  ASSERT_EQ(documents_.size(), 2U);
  const auto& service = document(0);
  const auto& job = document(1);
  EXPECT_EQ(service.at("kind"), "Service");
  EXPECT_EQ(service.at("spec").at("clusterIP"), "None");
  EXPECT_EQ(service.at("metadata").at("name"), pod(job).at("subdomain"));
  for (const auto& [key, value] : service.at("spec").at("selector").items()) {
    EXPECT_EQ(job.at("spec").at("template").at("metadata").at("labels").at(key), value);
  }
  EXPECT_EQ(job.at("spec").at("completionMode"), "Indexed");
  EXPECT_EQ(job.at("spec").at("completions"), 3);
  EXPECT_EQ(job.at("spec").at("parallelism"), 3);
  EXPECT_EQ(job.at("spec").at("backoffLimit"), 6);
  const auto words = command(job);
  const std::vector<std::string> launch(words.begin(), words.begin() + 17);
  EXPECT_THAT(launch,
              ElementsAre("yoke", "run", "--nproc-per-node", "2", "--nnodes", "3", "--node-rank",
                          "$(JOB_COMPLETION_INDEX)", "--local-addr", "$(POD_IP)", "--rdzv-endpoint",
                          fmt::format("{0}-0.{0}:29400", study.name(0)), "--rdzv-id", study.name(0),
                          "--rdzv-key", "/etc/yoke/rdzv-key", "--rdzv-conf"));
  const auto& key = pod(job).at("volumes").back();
  EXPECT_EQ(key.at("secret").at("secretName"), "yoke-my-study-rdzv-key");
  EXPECT_EQ(key.at("secret").at("defaultMode"), 0400);
  const auto& mount = pod(job).at("containers").at(0).at("volumeMounts").back();
  EXPECT_EQ(mount.at("name"), key.at("name"));
  EXPECT_EQ(mount.at("mountPath"), "/etc/yoke");
}

TEST_F(KubernetesFiles, MakeASecretByWhichPodsOfARunKnowEachOther) {
  const EmittedStudy study("[study]\nrepetitions = 1\nwarm-up = 0\n[axes]\nnodes = [2]\n" +
                           kSettings);
  study.emit("kubernetes");
  study.stand_in("kubectl", std::string("case \"$1 $2\" in\n"
                                        "'create secret') echo \"$*\" >>\"$told\"; exit ;;\n"
                                        "esac\n") +
                                kCluster);
  study.stand_in("sleep", "");
  const auto result = study.run("kubernetes/submit.sh");
  EXPECT_EQ(result.status, 0) << result.output;
  EXPECT_THAT(study.told(), testing::ContainsRegex("create secret generic yoke-my-study-rdzv-key "
                                                   "--from-literal=rdzv-key=[0-9a-f]{64}\n"));
}

TEST_F(KubernetesFiles, TakeCoresFromTheThreadsOfRanks) {
  const EmittedStudy study(
      "[study]\nrepetitions = 1\nwarm-up = 0\n[flags]\nthreads = 3\n[axes]\nranks = [2]\n"
      "[kubernetes]\nimage = 'i'\nclaim = 'c'\n");
  study.emit("kubernetes");
  EXPECT_THAT(study.text("kubernetes", study.name(0) + ".json"), HasSubstr("\"cpu\": \"6\""));
}

TEST_F(KubernetesFiles, SayWhatTheStudyFileLacks) {
  const auto refusal = [](const std::string& settings) -> std::string {
    try {
      EmittedStudy("[study]\nwarm-up = 0\n" + settings).emit("kubernetes");
    } catch (const UsageError& error) {
      return error.what();
    }
    return "no error";
  };
  EXPECT_THAT(refusal(""), HasSubstr("write image = \"...\" below [kubernetes]"));
  EXPECT_THAT(refusal("[kubernetes]\nimage = 'i'\n"), HasSubstr("write claim = \"...\""));
  EXPECT_THAT(refusal("[kubernetes]\nimage = 'i'\nclaim = 'c'\n"), HasSubstr("cpu = 4"));
  EXPECT_THAT(refusal("[kubernetes]\nimage = 'i'\nclaim = 'c'\nmount = '/elsewhere'\n"),
              HasSubstr("does not lie below /elsewhere"));
  EXPECT_THAT(refusal("[kubernetes]\nmount = 'here'\n"), HasSubstr("absolute path"));
  EXPECT_THAT(refusal("[kubernetes]\nimages = 'i'\n"), HasSubstr("unknown key 'images'"));
}

TEST_F(KubernetesFiles, AreRunOneAfterTheOtherAndReportedOn) {
  const EmittedStudy study(kTwoRuns);
  study.emit("kubernetes");
  study.stand_in("kubectl", kCluster);
  study.stand_in("sleep", "");
  const auto result = study.run("kubernetes/submit.sh");
  EXPECT_EQ(result.status, 0) << result.output;
  EXPECT_EQ(study.told(), fmt::format("apply {0}\nend {0}\napply {1}\nend {1}\n"
                                      "delete job yoke-my-study-report --ignore-not-found\n"
                                      "apply yoke-my-study-report\nend yoke-my-study-report\n",
                                      study.name(0), study.name(1)));
}

TEST_F(KubernetesFiles, AreRunAsManyAtOnceAsTheFileSays) {
  const EmittedStudy study(kTwoRuns + "at-once = 2\n");
  study.emit("kubernetes");
  study.stand_in("kubectl", kCluster);
  study.stand_in("sleep", "");
  study.run("kubernetes/submit.sh");
  EXPECT_THAT(study.told(), testing::StartsWith(
                                fmt::format("apply {}\napply {}\n", study.name(0), study.name(1))));
}

TEST_F(KubernetesFiles, BeginAnewWhenTheyHaveFailed) {
  const EmittedStudy study(kTwoRuns);
  study.emit("kubernetes");
  study.stand_in("kubectl", "fails=" + study.name(0) + kCluster);
  study.stand_in("sleep", "");
  const auto first = study.run("kubernetes/submit.sh");
  EXPECT_EQ(first.status, 1);
  EXPECT_THAT(first.output, AllOf(HasSubstr(study.name(0) + " has failed"),
                                  HasSubstr(study.name(1) + " has completed"),
                                  HasSubstr("yoke-my-study-report has completed")));
  EXPECT_THAT(study.told(), testing::Not(HasSubstr("delete --filename")));
  study.run("kubernetes/submit.sh");
  EXPECT_THAT(study.told(),
              HasSubstr(fmt::format("delete --filename={0}.json\napply {0}\n", study.name(0))));
}

}  // namespace
}  // namespace yoke::study
