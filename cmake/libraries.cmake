# The searches for the libraries that Yoke links; yokeConfig.cmake repeats them for its users.
find_package(Threads REQUIRED)
find_package(OpenSSL REQUIRED COMPONENTS Crypto)
find_package(ZLIB REQUIRED)
find_package(CURL REQUIRED)
find_package(LibArchive REQUIRED)
find_package(JPEG REQUIRED)
find_package(PNG REQUIRED)
find_package(fmt REQUIRED)
find_package(tomlplusplus REQUIRED)
find_package(nlohmann_json REQUIRED)
find_package(Boost REQUIRED CONFIG)
find_package(PkgConfig REQUIRED)
find_package(Protobuf REQUIRED)
find_package(ONNX REQUIRED CONFIG)
if(NOT TARGET ONNX::onnx)  # Debian 12's have no namespace
  add_library(ONNX::onnx ALIAS onnx)
endif()
pkg_check_modules(ISAL REQUIRED IMPORTED_TARGET libisal)
pkg_check_modules(ZMQ REQUIRED IMPORTED_TARGET libzmq)
find_package(dnnl REQUIRED)
set(MPI_CXX_SKIP_MPICXX ON)
find_package(MPI QUIET COMPONENTS CXX)  # optional

# After protobuf, in whose place a LibTorch of PyTorch's makers puts an empty target. Where there are
# several LibTorchs, it may take c10 of another one: its targets know better.
find_package(Torch REQUIRED)
list(FILTER TORCH_LIBRARIES EXCLUDE REGEX "/libc10(_cuda)?[.]so$")
foreach(part c10 c10_cuda)
  if(TARGET ${part})
    list(APPEND TORCH_LIBRARIES ${part})
  endif()
endforeach()
set(YOKE_TORCH_HAS_CUDA OFF)
if(TARGET torch_cuda)
  set(YOKE_TORCH_HAS_CUDA ON)
endif()
# LibTorch with CUDA brings NCCL's group; its header is a package of its own, which pip puts beside.
find_path(YOKE_NCCL_INCLUDE_DIR nccl.h HINTS ${TORCH_INSTALL_PREFIX}/../nvidia/nccl/include)
set(YOKE_TORCH_HAS_NCCL OFF)
if(YOKE_TORCH_HAS_CUDA AND YOKE_NCCL_INCLUDE_DIR)
  set(YOKE_TORCH_HAS_NCCL ON)
endif()
# Such a LibTorch exports parts of an older libstdc++, as std::filesystem::remove_all, which fail on
# what the system's makes: that one is looked up first.
list(PREPEND TORCH_LIBRARIES stdc++)
# Such a LibTorch has, among its headers, those of fmt, protobuf and oneDNN in other versions than the
# libraries that Yoke links. Links in a folder that is looked up first lead to the right ones.
set(YOKE_FIRST_INCLUDE_DIR)
foreach(header fmt/core.h google/protobuf/message.h oneapi/dnnl/dnnl.h)
  if(EXISTS ${TORCH_INSTALL_PREFIX}/include/${header})
    set(CMAKE_IGNORE_PATH ${TORCH_INSTALL_PREFIX}/include)
    find_path(found ${header} NO_CACHE)
    unset(CMAKE_IGNORE_PATH)
    if(found)  # else Debian's LibTorch, whose headers are where theirs are
      set(YOKE_FIRST_INCLUDE_DIR ${PROJECT_BINARY_DIR}/first)
      get_filename_component(headers ${header} DIRECTORY)
      get_filename_component(parent ${YOKE_FIRST_INCLUDE_DIR}/${headers} DIRECTORY)
      file(MAKE_DIRECTORY ${parent})
      file(CREATE_LINK ${found}/${headers} ${YOKE_FIRST_INCLUDE_DIR}/${headers} SYMBOLIC)
    endif()
    unset(found)
  endif()
endforeach()
