# The short way to everything; CMake and its presets do the work (see CONTRIBUTING.md).
#
#   make              build/alfcg
#   make demo         build it and run the embedded example
#   make test         build and run all tests
#   make python       a wheel of the Python package into dist/; PYTHON="python3.11 python3.12" for others than python3
#   make bench        measure against the peers (docs/performance.md); QUICK=1: under two minutes
#   make kills      200 runs of all methods, killed at random moments and gone on with from their checkpoints
#   make cuda         the library for GPUs, with nvcc; make test does it too, and bench/gpu measures it (docs/gpu.md)
#   make calibration  measure rho = auto against a grid of rho and other methods; may be interrupted
#   make install      into PREFIX (default /usr/local), below DESTDIR
#   make asan tsan    all tests under the sanitizers
#   make fuzz         the fuzz targets, with clang and libFuzzer; FUZZ_SECONDS=300 for each (docs/reliability.md)
#   make soak         runs while things go wrong; SOAK_SECONDS=3600
#   make format lint  lay out the sources; check layout and clang-tidy
#   make clean        remove build/ and dist/

PREFIX  ?= /usr/local
DESTDIR ?=
JOBS    ?= $(shell nproc 2>/dev/null || echo 2)
SETUP   ?= tools/setup
PYTHON  ?= python3
FUZZ_SECONDS ?= 300
SOAK_SECONDS ?= 3600

SOURCES  = $(shell find include src python/src tests bench examples -name '*.cpp' -o -name '*.hpp' -o -name '*.cu' -o -name '*.cuh' 2>/dev/null)
CHECKED  = $(filter src/%.cpp,$(SOURCES))

.PHONY: all demo test kills cuda python bench calibration install asan tsan fuzz soak format lint clean
.PHONY: setup-test setup-bench setup-fuzz setup-soak setup-lint
.DEFAULT_GOAL := all

all: build/build.ninja
	@cmake --build --preset release --parallel $(JOBS) --target alfcg-cli

demo: all
	@build/alfcg demo

# A tree that is configured has what it needs: packages are looked at only before that.
build/build.ninja:
	@$(SETUP)
	@cmake --preset release

build/asan/build.ninja build/debug/build.ninja build/tsan/build.ninja: build/%/build.ninja:
	@$(SETUP) test
	@cmake --preset $*

test: setup-test build/build.ninja
	@cmake --build --preset release --parallel $(JOBS)
	@ctest --preset release --parallel $(JOBS)

kills: all
	@tests/kills.py build/alfcg --kills 200
	@tests/kills.py build/alfcg --kills 60 --ranks 3

cuda: all
	@command -v nvcc >/dev/null || test -x /usr/local/cuda/bin/nvcc || \
		{ echo "make cuda: there is no nvcc: install CUDA's toolkit, and put it on PATH" >&2; exit 2; }
	@cmake --preset release
	@cmake --build --preset release --parallel $(JOBS) --target alfcg_cuda

python: build/build.ninja
	@cmake --build --preset release --parallel $(JOBS) --target alfcg
	@tools/python wheel $(PYTHON)

asan tsan: %: build/%/build.ninja
	@cmake --build --preset $@ --parallel $(JOBS)
	@ctest --preset $@ --parallel $(JOBS)

build/fuzz/build.ninja: setup-fuzz
	@test -e $@ || cmake --preset fuzz

fuzz: build/fuzz/build.ninja
	@cmake --build --preset fuzz --parallel $(JOBS) --target fuzz-targets
	@tests/fuzz/run build/fuzz $(FUZZ_SECONDS)

soak: setup-soak all
	@tests/soak.py build/alfcg --seconds $(SOAK_SECONDS)

bench: setup-bench
	@cmake --preset release -DALFCG_BENCH=ON
	@cmake --build --preset release --parallel $(JOBS) --target alfcg-bench alfcg-cli
	@bench/run $(if $(QUICK),--quick)

calibration: build/build.ninja
	@cmake --preset release -DALFCG_BENCH=ON
	@cmake --build --preset release --parallel $(JOBS) --target alfcg-calibration
	@bench/calibration

install: all
	@DESTDIR='$(DESTDIR)' cmake --install build --prefix '$(PREFIX)'

format: setup-lint
	@clang-format -i $(SOURCES)

# Looks at files one by one, which the release preset compiles together.
lint: setup-lint build/debug/build.ninja
	@clang-format --dry-run -Werror $(SOURCES)
	@printf '%s\n' $(CHECKED) | xargs -P $(JOBS) -n 4 clang-tidy --quiet -p build/debug \
		--extra-arg=-Wno-unknown-warning-option --extra-arg=-Wno-unused-command-line-argument

clean:
	@rm -rf build dist

setup-test setup-bench setup-fuzz setup-soak setup-lint: setup-%:
	@$(SETUP) $*
