#include "tests/support/slurm.h"

#include <fmt/format.h>
#include <unistd.h>

#include <filesystem>
#include <stdexcept>

#include "yoke/core/files/file.h"

namespace yoke::test {
namespace {

namespace fs = std::filesystem;

/// What ends with this process, with all it started.
std::vector<std::string> isolated_nodes(const std::string& script) {
  return {"setpriv",      "--pdeathsig",  "KILL",  "unshare", "--net",
          "--mount",      "--uts",        "--ipc", "--pid",   "--fork",
          "--kill-child", "--mount-proc", "bash",  "-c",      script};
}

/// Of a node, whatever this machine has.
constexpr int kProcessors = 2;

// Not the loopback, for Slurm looks names up with AI_ADDRCONFIG.
constexpr const char* kAddress = "10.88.0.1";

// A requeued job waits for as long as a credential holds (cred_expire).
constexpr const char* kConfiguration = R"(ClusterName=test
SlurmctldHost=host({address})
SlurmUser=root
SlurmdUser=root
AuthType=auth/munge
AuthInfo=socket={folder}/munge.socket,cred_expire=5
CredType=cred/munge
StateSaveLocation={folder}/state
SlurmctldPidFile={folder}/slurmctld.pid
SlurmdPidFile={folder}/slurmd-%n.pid
SlurmdSpoolDir={folder}/spool-%n
SlurmctldLogFile={folder}/slurmctld.log
SlurmdLogFile={folder}/slurmd-%n.log
SlurmctldPort=6817
SchedulerType=sched/backfill
SchedulerParameters=sched_interval=1,bf_interval=1,batch_sched_delay=0
SelectType=select/cons_tres
SelectTypeParameters=CR_Core
ProctrackType=proctrack/linuxproc
TaskPlugin=task/affinity
JobAcctGatherType=jobacct_gather/none
AccountingStorageType=accounting_storage/none
MpiDefault=none
SlurmdParameters=config_overrides
ReturnToService=2
KillWait=60
MailProg=/bin/true
{nodes}PartitionName=all Nodes=ALL Default=YES MaxTime=INFINITE State=UP
)";

}  // namespace

std::string Slurm::why_not() {
  if (::geteuid() != 0) return "only root can start a Slurm in namespaces of its own";
  for (const char* const tool :
       {"slurmctld", "slurmd", "munged", "sbatch", "srun", "ip", "setpriv", "unshare", "nsenter"}) {
    if (run_program({"sh", "-c", fmt::format("PATH=$PATH:/usr/sbin:/sbin command -v {}", tool)})
            .status != 0) {
      return fmt::format("{} is missing: run scripts/install-dependencies --tests", tool);
    }
  }
  const auto made = run_program(isolated_nodes("ip link add eth0 type bridge"));
  return made.status == 0 ? "" : "this machine lets nobody make namespaces: " + made.output;
}

Slurm::Slurm(int nodes) {
  write_files(nodes);
  program_ = std::make_unique<BackgroundProgram>(isolated_nodes(script(nodes)));
  if (!comes_true([&] { return fs::exists(directory_.path() / "ready"); })) {
    throw std::runtime_error("Slurm did not start: " + program_->output() + log());
  }
  pid_ = std::stoi(read_file(fmt::format("/proc/{0}/task/{0}/children", program_->pid())));
  const auto idle = fmt::format("{}", nodes);
  const bool ready = comes_true([&] {
    return run_program(in({"sinfo", "--noheader", "--states=idle", "--format=%D"})).output ==
           idle + "\n";
  });
  if (!ready) throw std::runtime_error("Slurm's nodes did not come: " + log());
}

Slurm::~Slurm() = default;

void Slurm::write_files(int nodes) const {
  const auto& folder = directory_.path();
  std::string lines, names = fmt::format("127.0.0.1 localhost\n{} host", kAddress);
  for (int node = 1; node <= nodes; ++node) {
    lines += fmt::format(
        "NodeName=node{0} NodeHostname=host NodeAddr={3} Port={1} "
        "CPUs={2} RealMemory=1000\n",
        node, 6817 + node, kProcessors, kAddress);
    names += fmt::format(" node{}", node);
    fs::create_directories(folder / fmt::format("spool-node{}", node));
  }
  write_file(folder / "slurm.conf",
             fmt::format(fmt::runtime(kConfiguration), fmt::arg("folder", folder.string()),
                         fmt::arg("address", kAddress), fmt::arg("nodes", lines)));
  write_file(folder / "hosts", names + "\n");
  write_file(folder / "key", std::string(64, 'k'));
  fs::permissions(folder / "key", fs::perms::owner_read);
  fs::create_directories(folder / "state");
}

std::string Slurm::script(int nodes) const {
  std::string text = fmt::format(
      "set -e; PATH=$PATH:/usr/sbin:/sbin; cd {0}; export SLURM_CONF={0}/slurm.conf\n"
      "hostname host; mount -t tmpfs shm /dev/shm; ip link set lo up\n"
      "ip link add eth0 type bridge; ip address add {1}/24 dev eth0; ip link set eth0 up\n"
      "mount --bind hosts /etc/hosts\n"
      "munged --foreground --force --key-file=$PWD/key --socket=$PWD/munge.socket "
      "--pid-file=$PWD/munge.pid --seed-file=$PWD/munge.seed --log-file=$PWD/munge.log &\n"
      "until [ -S munge.socket ]; do sleep 0.05; done\n"
      "slurmctld -D &\n",
      directory_.path().string(), kAddress);
  for (int node = 1; node <= nodes; ++node) text += fmt::format("slurmd -D -N node{} &\n", node);
  return text + "touch ready; wait\n";
}

std::vector<std::string> Slurm::in(std::vector<std::string> arguments) const {
  arguments.insert(
      arguments.begin(),
      {"nsenter", "--target", std::to_string(pid_), "--net", "--mount", "--uts", "--ipc", "--pid",
       "--", "env", "SLURM_CONF=" + (directory_.path() / "slurm.conf").string()});
  return arguments;
}

std::string Slurm::print(const std::vector<std::string>& arguments) const {
  const auto result = run_program(in(arguments));
  if (result.status != 0) {
    throw std::runtime_error(fmt::format("{}: {}", arguments.front(), result.output + log()));
  }
  return result.output;
}

std::string Slurm::log() const {
  std::string text;
  for (const auto& entry : fs::directory_iterator(directory_.path())) {
    if (entry.path().extension() != ".log") continue;
    text += fmt::format("\n{}:\n{}", entry.path().filename().string(), read_file(entry.path()));
  }
  return text;
}

}  // namespace yoke::test
