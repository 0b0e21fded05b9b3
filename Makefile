# Two commands do all the set-up on a fresh machine: `make test` and `make learn`. Stamp files keep a second
# run from installing or building anything again.

SHELL := /bin/bash -o pipefail
PYTHON ?= python3
BIN := .venv/bin
NATIVE := CMakeLists.txt $(shell find core -name '*.cpp' -o -name '*.hpp')
CLANG ?= $(firstword $(shell command -v clang++-19 clang++-18 clang++-17 clang++-16 clang++ 2>/dev/null))
FUZZ_SECONDS ?= 60
# Experiments: quick is meant for less than an hour on two cores, full takes days. Suites that some need lie in DATA.
SCALE ?= quick
DATA ?= data
# Tests run in as many processes as there are cores, four at most; the long forms run one after the other.
TEST_WORKERS ?= --numprocesses auto --maxprocesses 4 --dist worksteal

.PHONY: help test learn bench reproduce lint format native-test sanitize fuzz soak pictures clean

help:
	@echo "make test         set up, build and run every test"
	@echo "make learn        set up, build, and learn to judge Lines of Action from the rules alone"
	@echo "make bench        speed beside other programs, as a table of ratios"
	@echo "make reproduce    the tables and figures of the literature at SCALE=$(SCALE), and the page of results"
	@echo "make lint         ruff, mypy and clang-format, changing nothing;  make format  mends what they can mend"
	@echo "make native-test  the tests of the native core alone"
	@echo "make sanitize     native tests and random play under address, undefined and thread sanitizers"
	@echo "make fuzz         each parser under libFuzzer for FUZZ_SECONDS=$(FUZZ_SECONDS) seconds (needs clang)"
	@echo "make soak         the long forms of the tests"
	@echo "make pictures     the pictures of the README anew (needs chromium)"
	@echo "make clean        remove what was built"

.venv/.deps: pyproject.toml
	$(PYTHON) -m venv .venv
	$(BIN)/pip install --quiet --upgrade "pip>=25.1"
	$(BIN)/pip install --quiet --group dev
	@# Each oracle by itself: one that has no package for this Python costs its own tests, not the others.
	@for oracle in "chess>=1.11" "cshogi>=1.1" "open_spiel>=2.0" "pyffish>=0.0.90"; do \
	  $(BIN)/pip install --quiet --prefer-binary "$$oracle" || echo "not installed, its tests will be skipped: $$oracle"; \
	done
	@touch $@

.venv/.built: .venv/.deps $(NATIVE)
	$(BIN)/pip install --quiet --no-build-isolation --editable .
	@touch $@

test: .venv/.built
	$(BIN)/python -m pytest $(TEST_WORKERS)

learn: .venv/.built
	$(BIN)/python examples/learn_loa.py runs/learn

bench: .venv/.built
	$(BIN)/python benchmarks/games.py --json results/bench_games.json
	$(BIN)/python benchmarks/search.py --json results/bench_search.json
	$(BIN)/python benchmarks/play.py --json results/bench_play.json
	$(BIN)/python benchmarks/learning.py --json results/bench_learning.json
	$(BIN)/python benchmarks/categories.py --json results/bench_categories.json
	$(BIN)/python benchmarks/traces.py --json results/bench_traces.json
	$(BIN)/python benchmarks/asking.py --json results/bench_asking.json

reproduce: .venv/.built
	$(BIN)/python experiments/reproduce.py --scale $(SCALE) --data $(DATA)

lint: .venv/.built
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/clang-format --dry-run --Werror $(filter %.cpp %.hpp,$(NATIVE))

format: .venv/.deps
	$(BIN)/ruff check --fix-only --quiet .
	$(BIN)/ruff format --quiet .
	$(BIN)/clang-format -i $(filter %.cpp %.hpp,$(NATIVE))

# Configured anew each time: a doctest that was installed after the first build is found.
native-test: .venv/.built
	$(BIN)/cmake -S . -B build/Release >/dev/null
	$(BIN)/cmake --build build/Release --target native_tests
	build/Release/native_tests

sanitize: .venv/.deps
	for kind in address,undefined thread; do \
	  $(BIN)/cmake -S . -B build/sanitize-$$kind -G Ninja -DCMAKE_MAKE_PROGRAM=$(abspath $(BIN)/ninja) \
	    -DPLYPILOT_MODULE=OFF -DCMAKE_BUILD_TYPE=RelWithDebInfo -DPLYPILOT_SANITIZE=$$kind && \
	  $(BIN)/cmake --build build/sanitize-$$kind --target native_tests && \
	  build/sanitize-$$kind/native_tests || exit 1; \
	done

fuzz: .venv/.deps
	@test -n "$(CLANG)" || { echo "make fuzz needs clang (clang-19 and libclang-rt-19-dev on Debian)"; exit 1; }
	$(BIN)/cmake -S . -B build/fuzz -G Ninja -DCMAKE_MAKE_PROGRAM=$(abspath $(BIN)/ninja) -DPLYPILOT_MODULE=OFF \
	  -DCMAKE_CXX_COMPILER=$(CLANG) -DPLYPILOT_FUZZ=ON -DPLYPILOT_SANITIZE=address,undefined
	$(BIN)/cmake --build build/fuzz
	for game in breakthrough chess loa shogi; do \
	  mkdir -p build/fuzz/corpus/$$game; \
	  cp -n core/fuzz/seeds/$$game/* build/fuzz/corpus/$$game/; \
	  build/fuzz/fuzz_$$game -max_total_time=$(FUZZ_SECONDS) -max_len=256 -print_final_stats=1 \
	    build/fuzz/corpus/$$game 2>&1 | tail -20 || exit 1; \
	done

soak: .venv/.built
	PLYPILOT_SOAK=1 $(BIN)/python -m pytest

pictures: .venv/.built
	$(BIN)/python docs/make_pictures.py

clean:
	rm -rf .venv build dist src/plypilot/_core.pyi .pytest_cache .mypy_cache .ruff_cache .hypothesis
