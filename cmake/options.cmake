# Every option; libraries.cmake has the searches.
option(YOKE_TESTS "Build the tests" OFF)
option(YOKE_ONLY_GPU_TESTS "Of the tests, build the files alone in which some need GPUs" OFF)
option(YOKE_WERROR "Warnings are errors" OFF)
option(YOKE_FUZZ "Build the program `fuzz`, with the tests; needs libFuzzer" OFF)
set(YOKE_SANITIZE "" CACHE STRING "Sanitizers of the debug presets, e.g. address,undefined")

set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_POSITION_INDEPENDENT_CODE OFF)  # -fPIC everywhere, so that all share one precompiled header
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
set(CMAKE_RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/bin)
if(NOT CMAKE_BUILD_TYPE)
  set(CMAKE_BUILD_TYPE Release CACHE STRING "Build type" FORCE)
endif()
# A folder at once takes a third of the time; in the preset `develop` files are compiled one by one
# (docs/decisions/0018-unity-builds.md).
if(NOT DEFINED CMAKE_UNITY_BUILD)
  set(CMAKE_UNITY_BUILD ON)
endif()
if(NOT DEFINED CMAKE_UNITY_BUILD_BATCH_SIZE)
  set(CMAKE_UNITY_BUILD_BATCH_SIZE 0)
endif()

find_program(YOKE_CCACHE ccache)
if(YOKE_CCACHE)
  set(CMAKE_CXX_COMPILER_LAUNCHER ${CMAKE_COMMAND} -E env CCACHE_SLOPPINESS=pch_defines,time_macros,include_file_mtime,include_file_ctime ${YOKE_CCACHE})
endif()

# Yoke has no kernels of its own; to know for which GPUs to compile them, a LibTorch with CUDA would
# run a program on one.
if(NOT DEFINED TORCH_CUDA_ARCH_LIST AND NOT DEFINED ENV{TORCH_CUDA_ARCH_LIST})
  set(TORCH_CUDA_ARCH_LIST 8.0)
endif()
include(${CMAKE_CURRENT_LIST_DIR}/libraries.cmake)
option(YOKE_WITH_MPI "The communicator mpi; needs an MPI library" ${MPI_CXX_FOUND})
option(YOKE_WITH_CUDA "What needs CUDA's headers: --cuda-graph" ${YOKE_TORCH_HAS_CUDA})
option(YOKE_WITH_NCCL "The communicator nccl; needs a LibTorch with CUDA and NCCL" ${YOKE_TORCH_HAS_NCCL})
if(YOKE_WITH_CUDA AND NOT YOKE_TORCH_HAS_CUDA)
  message(FATAL_ERROR "YOKE_WITH_CUDA needs a LibTorch with CUDA, e.g. -DCMAKE_PREFIX_PATH=.../torch/share/cmake")
endif()
if(YOKE_WITH_NCCL AND NOT YOKE_TORCH_HAS_NCCL)
  message(FATAL_ERROR "YOKE_WITH_NCCL needs a LibTorch with CUDA and NCCL, e.g. -DCMAKE_PREFIX_PATH=.../torch/share/cmake")
endif()
if(YOKE_WITH_MPI AND NOT MPI_CXX_FOUND)
  message(FATAL_ERROR "YOKE_WITH_MPI needs MPI's headers and library, e.g. apt install libopenmpi-dev")
endif()
find_package(CLI11 REQUIRED)
if(YOKE_TESTS)
  find_package(GTest REQUIRED)
endif()

# LibTorch takes the BLAS that the system is set to. OpenBLAS with OpenMP's threads trains small
# networks up to twice as fast as with its own, which fight LibTorch's for the cores; so our
# programs look there first. Only the older tag, RPATH, holds for what LibTorch loads too.
find_path(YOKE_OPENBLAS_DIR libblas.so.3 NO_DEFAULT_PATH
          PATHS /usr/lib/${CMAKE_LIBRARY_ARCHITECTURE}/openblas-openmp
          DOC "Folder of the libblas.so.3 to run with; empty takes the system's")
if(YOKE_OPENBLAS_DIR)
  set(CMAKE_INSTALL_RPATH ${YOKE_OPENBLAS_DIR})
  add_link_options(-Wl,--disable-new-dtags)
endif()
set(CMAKE_BUILD_WITH_INSTALL_RPATH ON)
set(CMAKE_INSTALL_RPATH_USE_LINK_PATH ON)
