# Makefile: the usual jobs by name, over CMake; `make help` lists them.
.DEFAULT_GOAL := build
.PHONY: build train test test-sanitizers test-threads compare gpu-check tidy format install clean help jobs

# On a system other than Debian: install by hand what this script names, and make DEPENDENCIES=true.
DEPENDENCIES ?= scripts/install-dependencies
PREFIX ?= /usr/local
RECIPE ?= recipes/first.toml
PHOTOS ?=
# A compiler that reads LibTorch's headers takes over a gigabyte.
JOBS ?= $(shell awk -v jobs=$$(nproc) '/^MemAvailable/ { room = int($$2 / 1250000) } \
          END { if (room < jobs) jobs = room; print jobs < 1 ? 1 : jobs }' /proc/meminfo)

build:  ## Install what is missing, then build build/bin/yoke (the default)
	$(DEPENDENCIES)
	cmake --preset release
	cmake --build --preset release --parallel $(JOBS) --target yoke_program

train: build  ## Build, then train a first network
	build/bin/yoke train --recipe $(RECIPE)

test:  ## Build everything and run all tests
	$(DEPENDENCIES) --tests
	cmake --preset release -DYOKE_TESTS=ON
	cmake --build --preset release --parallel $(JOBS)
	ctest --preset release --parallel $(JOBS)

test-sanitizers:  ## The tests under AddressSanitizer and UndefinedBehaviorSanitizer
	$(DEPENDENCIES) --tests
	cmake --preset asan
	cmake --build --preset asan --parallel $(JOBS)
	ctest --preset asan --parallel $(JOBS)

test-threads:  ## The programs with threads under ThreadSanitizer
	$(DEPENDENCIES) --tests
	cmake --preset tsan
	cmake --build --preset tsan --parallel $(JOBS) --target test_comm test_parallel
	ctest --preset tsan --tests-regex 'test_(comm|parallel)$$'

compare: build  ## Time Yoke and PyTorch; tables into docs/performance.md; PHOTOS=DIR: loaders too
	$(DEPENDENCIES) --tests
	scripts/compare
	scripts/compare-ranks
	$(if $(PHOTOS),scripts/compare-loader --data-dir $(PHOTOS),\
	  @echo 'Loaders are not compared: give PHOTOS=DIR, with a folder of photos per class')

gpu-check:  ## On a machine with a GPU: build, test and measure there; tables into docs/gpu.md
	scripts/gpu-check

tidy: build  ## Check names and habits with clang-tidy, the layout with clang-format
	$(DEPENDENCIES) --lint
	cmake --preset release -DYOKE_TESTS=ON -DCMAKE_UNITY_BUILD=OFF
	scripts/tidy

format:  ## Lay out every source file
	$(DEPENDENCIES) --lint
	git ls-files -co --exclude-standard '*.h' '*.cpp' | xargs clang-format -i

install: build  ## Install the program, the library and its headers under PREFIX (/usr/local)
	cmake --build --preset release --parallel $(JOBS) --target yoke
	cmake --install build --prefix $(PREFIX)

clean:  ## Remove everything that was built
	rm -rf build build-*

jobs:  # For scripts.
	@echo $(JOBS)

help:  ## List these jobs
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "make %-16s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)
