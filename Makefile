# SPDX-License-Identifier: Apache-2.0
#
# The front door: needs make and nothing else.  Installs what is missing (tools/setup, Debian packages only), configures CMake with
# the presets of CMakePresets.json and builds in build/ (or build-<preset>/ beside it).  Nothing is decided here that CMake could decide.
#   make | make build   build/bin/warpwright            make check    layers, format, static analysis, pages of the rules
#   make lab            every experiment                make asan     the tests under AddressSanitizer and UBSan
#   make test           the tests                       make tsan     the scheduler's tests under ThreadSanitizer
#   make bench          name, value, unit               make stress   the tests with every buffer and table shrunk
#   make install        PREFIX=/usr/local, DESTDIR=     make fuzz     fuzzing, FUZZ_SECONDS=60 for each target
#   make nightly        what CI has no time for: the sanitizers, stress, fuzz, long
#   make long           reports compared between 1 to 16 threads and three seeds, random kernels and products at length
#   make site            docs, calculator, lab and a report as pages in build/site/site
#   make pictures        the pictures of README and docs, from real runs
#   make uninstall      removes what make install put there
#   make packages       .deb files and a tarball in build/packages
#   make packages-try   on a bare Debian 12: first table, Python, find_package, image (root)
#   make wheel-try       makes the Python wheel and tries it there, with Python alone and no network (root)
#   make help           this list
#   make tune           on a GPU: times every matrix kernel on random shapes and fits the choice among them (src/blas/rates.def)
SHELL = /bin/sh
MAKEFLAGS += --no-print-directory
.DEFAULT_GOAL = build
JOBS := $(shell nproc 2>/dev/null || echo 2)
PREFIX = /usr/local
DESTDIR =
FUZZ_SECONDS = 60
# --changed: clang-tidy over the last day's changes only
CHECK =
TSAN_TESTS = ^unit\.(emu|device|check)|^ptx$$|^fuzz\.launch|^programs\.(sixteen_threads|per_thread|streams|asynchrony)\.

# cmake --build with its own job count, whatever make was called with
compile = MAKEFLAGS=--no-print-directory cmake --build --preset $(1) --parallel $(JOBS) $(if $(2),--target $(2))
ctest = ctest --preset $(1) --parallel $(JOBS) --no-label-summary $(2) </dev/null

.PHONY: ranks-faults grid-faults help site pictures uninstall packages packages-try wheel-try build lab test bench tune check format asan tsan stress fuzz nightly install clean long

build: build/configured
	@$(call compile,default)

build/setup-%: tools/setup tools/packages.tsv
	@tools/setup $* && mkdir -p build && touch $@

# stamps of their own: touching CMakeCache.txt would make CMake configure once more
build/configured: build/setup-base CMakePresets.json
	@cmake --preset default && touch $@

build-%/configured: build/setup-base CMakePresets.json
	@cmake --preset $* && touch $@

lab: build/configured
	@$(call compile,default,lab)
	@build/bin/warpwright lab --json build/lab.json

# a test whose package cannot be had is skipped and says why
test: build
	@tools/setup test || echo 'make test: what could not be installed leaves tests out'
	@$(call compile,default,tests)
	@$(call ctest,default)

# the rungs near the model's choice on random shapes up to M, N, K: M,N,K,HOW MANY,SEED
TUNED = 8192,8192,8192,100,51 8192,8192,300,80,53 8192,8192,40,40,57 400,8192,8192,60,54 8192,400,8192,60,55 2000,2000,3000,80,56 8192,8192,8192,100,52
tune: build
	@$(call compile,default,tune_model)
	@for s in $(TUNED); do set -- $$(echo $$s | tr , ' '); build/bin/warpwright bench gemm --device cuda --runs 3 --impl cublas,near,auto \
	  --m $$1 --n $$2 --k $$3 --random $$4 --seed $$5 --json build/tune_$$5.json; done
	@tools/tune keep build/tune_*.json docs/data/tune_h200.tsv.bz2
	@tools/tune fit docs/data/tune_h200.tsv.bz2 && tools/tune judge docs/data/tune_h200.tsv.bz2

# only figures on standard output
bench:
	@$(MAKE) build >&2
	@$(call compile,default,benches) >&2
	@tools/bench build/bench

check: build build/setup-check
	@tools/check build $(CHECK)

format: build/setup-check
	@tools/format --write

# gcc 13 keeps frames on a heap of its own whose blocks stand on no 64-byte border, whatever a frame asks for (GCC PR 110027)
asan stress: export ASAN_OPTIONS = detect_stack_use_after_return=0

asan: build-asan/configured
	@$(call compile,asan,tests)
	@$(call ctest,asan)

tsan: build-tsan/configured
	@$(call compile,tsan,tests)
	@TSAN_OPTIONS='suppressions=$(CURDIR)/tests/tsan.supp' $(call ctest,tsan,--tests-regex '$(TSAN_TESTS)')

stress: build-stress/configured
	@$(call compile,stress,tests)
	@$(call ctest,stress)

build-fuzz/configured: build/setup-fuzz

fuzz: build-fuzz/configured
	@$(call compile,fuzz,fuzzers)
	@tools/fuzz build-fuzz/fuzz $(FUZZ_SECONDS)

# ranks that are killed at random moments, a hundred times: docs/grid.md has the last figures
ranks-faults: build
	@$(call compile,default,tests)
	@$(call compile,default,ranks_faults)

# those of joined grids alone
grid-faults: build
	@$(call compile,default,grid_faults)

# each of them is run, whatever the one before found
nightly: test
	@code=0; for what in 'CHECK= check' asan tsan stress fuzz long; do $(MAKE) $$what || code=1; done; exit $$code

long: test
	@$(call ctest,default,-C nightly -L nightly)

install: build
	@DESTDIR='$(DESTDIR)' cmake --install build --prefix '$(PREFIX)'
	@cp build/install_manifest.txt build/installed.txt

packages: build build/setup-package
	@cd build && cpack --config CPackConfig.cmake >packages.log || { tail -n 20 packages.log; exit 1; }
	@ls -1 build/packages/*.*

packages-try: packages
	@tools/packages_try build/packages . build/packages-try

wheel-try: build build/setup-package
	@tools/wheel_try . build build/wheel-try

site: build build/setup-site
	@tools/site build/bin/warpwright build/site

pictures: build
	@for p in banks climb; do tools/picture build/bin/warpwright $$p >docs/$$p.svg || exit 1; done

uninstall:
	@test -f build/installed.txt || { echo 'nothing was installed from this folder'; exit 1; }
	@while read -r f || [ -n "$$f" ]; do rm -f "$(DESTDIR)$$f"; d=$$(dirname "$(DESTDIR)$$f"); \
	  while case $$d in */*warpwright*) rmdir "$$d" 2>/dev/null;; *) false;; esac; do d=$$(dirname "$$d"); done; done <build/installed.txt; rm build/installed.txt

help:
	@sed -n 's/^#  \( make.*\)/\1/p' Makefile
	@echo '  The first build takes about a quarter of an hour on two cores; the SIMD levels are most of it.'

clean:
	rm -rf build build-ci build-asan build-tsan build-stress build-fuzz
