// What launchers are told by people, hosts and ranks.
#include <fmt/format.h>

#include <sstream>

#include "tests/fuzz/target.h"
#include "tests/launch/messages.h"
#include "yoke/comm/rendezvous/world.h"
#include "yoke/core/error.h"
#include "yoke/launch/agent/error_file.h"
#include "yoke/launch/flags.h"
#include "yoke/launch/run_record.h"
#include "yoke/launch/ssh/hosts.h"

namespace yoke::test {
namespace {

using namespace launch;

/// Words of a line, as a shell would give them.
void read_flags(const std::string& line) {
  std::istringstream text(line);
  std::vector<std::string> words;
  for (std::string word; text >> word;) words.push_back(word);
  std::map<std::string, std::string> given;
  for (const auto& flag : split_words(words).flags) {
    const auto name = flag.substr(0, flag.find('='));
    if (name.size() < 3) continue;
    given[name.substr(2)] = name.size() < flag.size() ? flag.substr(name.size() + 1) : "";
  }
  resolve_flags(given, {});
}

/// Variables, one `NAME=value` a line.
void read_world(const std::string& text) {
  std::map<std::string, std::string> variables;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    if (const auto at = line.find('='); at != std::string::npos) {
      variables[line.substr(0, at)] = line.substr(at + 1);
    }
  }
  world_from([&](const std::string& name) -> std::optional<std::string> {
    const auto found = variables.find(name);
    return found != variables.end() ? std::optional(found->second) : std::nullopt;
  });
}

std::vector<std::string> encoded_messages() {
  std::vector<std::string> texts;
  for (const auto& message : messages()) texts.push_back(encode(message));
  return texts;
}

}  // namespace

std::vector<FuzzTarget> launch_targets() {
  return {{"message", encoded_messages(), [](const std::string& bytes) { encode(decode(bytes)); }},
          {"hostfile",
           {"# hosts\nnode-1 slots=2\nuser@node-2:4\n\n10.0.0.3\n"},
           [file = InputFile()](const std::string& bytes) { read_hostfile(file.holding(bytes)); }},
          {"launch_flags",
           {"-np 4 --max-restarts=3 -H a:2,b yoke train", "--nnodes=1:3 --node-rank 0 -- x",
            "--rdzv_endpoint=h:1 --rdzv-conf join_timeout=5 --local-ranks-filter 0,1 --tee 3 x"},
           read_flags},
          {"world",
           {"RANK=1\nWORLD_SIZE=4\nLOCAL_RANK=1\nLOCAL_WORLD_SIZE=2\nMASTER_ADDR=h\nMASTER_PORT=1",
            "OMPI_COMM_WORLD_RANK=0\nOMPI_COMM_WORLD_SIZE=2\nOMPI_COMM_WORLD_LOCAL_RANK=0\n"
            "OMPI_COMM_WORLD_LOCAL_SIZE=2",
            "SLURM_PROCID=0\nSLURM_NTASKS=2\nSLURM_LOCALID=0\nSLURM_STEP_ID=0\nSLURM_JOB_ID=5\n"
            "SLURM_STEP_TASKS_PER_NODE=2(x3),1\nSLURM_STEP_NODELIST=a[1-2]b[3,5]"},
           read_world},
          {"slurm_nodes",
           {"node[05-07,9],login", "a[1-2]b[3-4]"},
           [](const std::string& bytes) { first_slurm_host(bytes); }},
          {"rank_error",
           {R"({"message": {"message": "no", "extraInfo": {"timestamp": "12.5"}}})",
            R"({"message": "no"})"},
           [file = InputFile()](const std::string& bytes) {
             try {
               read_rank_error(file.holding(bytes));
             } catch (const nlohmann::json::exception& error) {
               throw Error(error.what());
             }
           }},
          {"run_record",
           {R"({"id": "a", "pid": 1, "started": "5", "command": "c", "directory": "", )"
            R"("log_dir": "", "hosts": []})"},
           [file = InputFile("records/a.json")](const std::string& bytes) {
             running_records(file.holding(bytes).parent_path());
           }}};
}

}  // namespace yoke::test
