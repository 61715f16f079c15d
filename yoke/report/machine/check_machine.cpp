// yoke/report/machine/check_machine.cpp: gathers what the checks of machine_checks.h look at.
#include <dlfcn.h>
#include <fmt/format.h>
#include <torch/cuda.h>

#include <cstdlib>

#include "yoke/core/system/network.h"
#include "yoke/report/machine/machine_checks.h"

namespace yoke {
namespace {

/// `eth0 192.168.1.2`, of those that are up.
std::vector<std::string> interfaces() {
  std::vector<std::string> found;
  for (const auto& [name, address] : network_interfaces()) {
    found.push_back(fmt::format("{} {}", name, address));
  }
  return found;
}

std::string malloc_path() {
  Dl_info info{};
  void* const address = ::dlsym(RTLD_DEFAULT, "malloc");
  return address != nullptr && ::dladdr(address, &info) != 0 ? info.dli_fname : "";
}

}  // namespace

std::vector<Check> check_machine(const std::filesystem::path& directory,
                                 const Variables& variables) {
  const Hardware machine = hardware();
  return {check_cpu(machine),
          check_cores(cpu_budget()),
          check_memory(machine),
          check_blas(active_blas()),
          check_libtorch(versions()),
          check_gpus(machine, static_cast<int>(torch::cuda::device_count())),
          check_threads(variables, machine.cores),
          check_allocator(malloc_path(), variables),
          check_disk(directory),
          check_interfaces(interfaces()),
          check_program("mpi", "mpirun", variables,
                        "for --comm mpi only: apt-get install openmpi-bin libopenmpi-dev"),
          check_program("ssh", "ssh", variables,
                        "for runs on several hosts only: apt-get install openssh-client"),
          check_program("gnuplot", "gnuplot", variables,
                        "for graphs only: apt-get install gnuplot-nox")};
}

}  // namespace yoke
