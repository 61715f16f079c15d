# Makefile: the usual jobs by name, over CMake; `make help` lists them.
.DEFAULT_GOAL := build
.PHONY: build train test test-all test-sanitizers test-threads compare fuzz soak gpu-check tidy layout format install \
        package clean help jobs

# On a system other than Debian: install by hand what this script names, and make DEPENDENCIES=true.
DEPENDENCIES ?= scripts/install-dependencies
PREFIX ?= /usr/local
RECIPE ?= recipes/first.toml
PHOTOS ?=
# A compiler that reads LibTorch's headers takes over a gigabyte, of a whole folder up to 1.8.
JOBS ?= $(shell awk -v jobs=$$(nproc) '/^MemAvailable/ { room = int($$2 / 1500000) } \
          END { if (room < jobs) jobs = room; print jobs < 1 ? 1 : jobs }' /proc/meminfo)
# Tests also wait: for processes of theirs, and for time to pass.
TEST_JOBS ?= $(shell expr 2 \* $(JOBS))
# What the build for the tests is configured with besides, e.g. -DYOKE_WERROR=ON.
CONFIGURE ?=
# Minutes of libFuzzer for each reader, and which; all where FUZZ is empty. Minutes of faults.
MINUTES ?= 60
FUZZ ?=
# The folders whose tests run under sanitizers, e.g. FOLDERS='core comm'; all where empty.
FOLDERS ?=

# Builds and runs the tests of FOLDERS by a preset.
define test_with
$(DEPENDENCIES) --tests $(2)
cmake --preset $(1)
cmake --build --preset $(1) --parallel $(JOBS) $(if $(FOLDERS),--target $(FOLDERS:%=test_%))
ctest --preset $(1) --parallel $(JOBS) $(if $(FOLDERS),--tests-regex '^test_($(subst $(eval) ,|,$(strip $(FOLDERS))))$$')
endef

build:  ## Install what is missing, then build build/bin/yoke (the default)
	$(DEPENDENCIES)
	cmake --preset release
	cmake --build --preset release --parallel $(JOBS) --target yoke_program

train: build  ## Build, then train a first network
	build/bin/yoke train --recipe $(RECIPE)

test:  ## Build everything and run all tests
	$(DEPENDENCIES) --tests
	cmake --preset release -DYOKE_TESTS=ON $(CONFIGURE)
	cmake --build --preset release --parallel $(JOBS)
	ctest --preset release --parallel $(TEST_JOBS)

test-all: export YOKE_TEST_LONG = 1
test-all: test  ## The same, with tests that have a long form in it

test-sanitizers:  ## The tests under AddressSanitizer and UndefinedBehaviorSanitizer
	$(call test_with,asan)

test-threads:  ## The tests under ThreadSanitizer
	$(call test_with,tsan,--threads)

fuzz: build  ## Readers of strangers' bytes under libFuzzer, MINUTES=60 each; FUZZ='idx tar': these alone
	$(DEPENDENCIES) --tests --fuzz
	cmake --preset fuzz
	cmake --build --preset fuzz --parallel $(JOBS) --target fuzz
	scripts/fuzz --minutes $(MINUTES) --out docs/reliability.md $(FUZZ)

soak: build  ## Let faults befall trainings for MINUTES=60; table into docs/reliability.md
	$(DEPENDENCIES) --soak
	scripts/soak --minutes $(MINUTES) --out docs/reliability.md

compare: build  ## Time Yoke and PyTorch; tables into docs/performance.md; PHOTOS=DIR: loaders too
	$(DEPENDENCIES) --tests --compare
	scripts/compare
	scripts/compare-ranks
	$(if $(PHOTOS),scripts/compare-loader --data-dir $(PHOTOS),\
	  @echo 'Loaders are not compared: give PHOTOS=DIR, with a folder of photos per class')

gpu-check:  ## On a machine with a GPU: build, test and measure there; tables into docs/gpu.md
	scripts/gpu-check

tidy: layout  ## Check the layout, and names and habits with clang-tidy
	$(DEPENDENCIES) --tests --lint
	cmake --preset develop $(CONFIGURE)
	cmake --build --preset develop --parallel $(JOBS) --target yoke_generated
	scripts/tidy

layout:  ## Check that every source file is laid out by clang-format
	$(DEPENDENCIES) --format
	scripts/layout

format:  ## Lay out every source file
	$(DEPENDENCIES) --format
	scripts/layout --mend

install: build  ## Install the program, the library and its headers under PREFIX (/usr/local)
	cmake --build --preset release --parallel $(JOBS) --target yoke yoke_share
	cmake --install build --prefix $(PREFIX)

package: build  ## Make a package of Debian, in build/packages; scripts/check-package tries it
	$(DEPENDENCIES) --package
	cmake --build --preset release --parallel $(JOBS) --target yoke yoke_share
	cpack --config build/CPackConfig.cmake

clean:  ## Remove everything that was built
	rm -rf build build-*

jobs:  # For scripts.
	@echo $(JOBS)

help:  ## List these jobs
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "make %-16s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)
