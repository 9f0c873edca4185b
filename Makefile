# Short names for what a contributor does every day. Each target first calls the part of
# set-up that it needs, so all of them work in a fresh clone.

# Random scripts that `make sim` plays, and where its random numbers begin (printed when something fails).
SIM_CASES ?= 100000
SIM_SEED ?= $(shell date +%s)

# Crash points of random scripts that it sweeps beside them, and how far the boundaries lie apart at which the tree is killed (0: no tree).
SIM_CRASH_POINTS ?= 15000
SIM_TREE_STRIDE ?= 1

# Seconds that the random scripts may take (none: as long as they take).
SIM_MOST_SECONDS ?=

# Random scripts within which a planted defect must be found.
PLANTED_CASES ?= 20000

# How both are built, and on how many of their tests run at once: one, so that what it took can be compared.
SIM_PROFILE ?= release
SIM_AT_ONCE ?= 1

# Changes that `make mutants` tries, and proofs that `make prove` runs (none: all).
MUTANTS ?= 100
PROVE ?=

# Seconds for each target in `make fuzz`.
FUZZ_SECONDS ?= 60

# A snapshot that differs is a failure, never a new file.
export INSTA_UPDATE ?= no

.DEFAULT_GOAL := help
.PHONY: help setup run demo demo-shell demo-edge demo-browser test-dashboard docs test-docs pictures serve-docs dashboard eval-local test test-quick conformance guests bench dist check budget fmt sim planted attack crash fuzz mutants instructions prove prove-small clean

help: ## show this list
	@awk -F ':.*## ' '/^[a-z-]+:.*## /{printf "  make %-12s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

setup: ## install everything that the other commands need
	@scripts/setup

run: ## the first minute of Holm, with a small model on this machine: no key, no account
	@scripts/setup run
	@scripts/run

demo: ## the loop itself, with every decision, by a scripted model; builds in a minute
	@scripts/setup demo
	@cargo run -q -p holm-testkit --example demo

demo-shell: ## a conversation in the terminal with the small model on this machine: no key, no account
	@scripts/setup run
	@scripts/demo-shell

demo-edge: ## the agent behind HTTP on Deno, at http://127.0.0.1:8000; set LLM_ENDPOINT or LLM_PROVIDER, LLM_API_KEY, LLM_MODEL
	@scripts/setup wasm hosts
	@scripts/demo-host edge

demo-browser: ## the agent in a page with the small model, at http://127.0.0.1:8080: no key, no account
	@scripts/setup wasm hosts model
	@scripts/demo-host browser

dashboard: ## the web app of the server, into dashboard/dist; the command that is built next has it
	@scripts/setup page
	@scripts/build-dashboard

test-dashboard: ## the web app: its types, its pure parts, then the real server with it in Chromium (HOLM_SHOTS=FOLDER keeps pictures)
	@scripts/setup test dashboard
	@scripts/test-dashboard

docs: ## the documentation as a site with search, linked with `cargo doc`, into the build folder's `site`
	@scripts/setup check docs
	@scripts/build-docs

test-docs: ## the documentation: its order, links, commands, figures and pictures
	@scripts/setup docs
	@scripts/test-docs

pictures: ## record the pictures of docs/pictures from the built command
	@scripts/setup test model dashboard
	@scripts/pictures

serve-docs: ## the documentation as pages, at http://127.0.0.1:3000 (PORT=3000)
	@scripts/setup docs
	@scripts/serve-docs

eval-local: ## how good the small model is at small tasks, with and without its grammar and its adapter
	@scripts/setup run
	@cargo build -q -p holm-cli --bin holm --example eval_local
	@"$${CARGO_TARGET_DIR:-target}/debug/examples/eval_local" --out "$${CARGO_TARGET_DIR:-target}/eval-local"

test: ## all tests, the feature matrix, and the builds for WASM and for a bare target
	@scripts/setup test model suites sdks api conformance editors wasm guests js hosts dashboard docs
	@scripts/part 'the dashboard' scripts/test-dashboard build
	@scripts/part 'the small guests' scripts/build-guests light
	@scripts/part 'tests of the guests' cargo test --quiet --manifest-path guests/Cargo.toml --target-dir "$${HOLM_GUESTS_TARGET:-$${XDG_CACHE_HOME:-$$HOME/.cache}/holm/guests}" --features guest-kit/text
	@scripts/part 'building the tests' scripts/test-rust build
	@echo '== the tests; beside them the npm package on every JavaScript host, the browser and the edge host, and the real server by its'
	@echo '   document and in the browser, examples, tests under other serde_json features, and builds for other targets'
	@scripts/beside \
		'scripts/part tests scripts/test-rust' \
		'scripts/part "the npm package" scripts/test-js && scripts/part "its guards switched off" scripts/test-mutants-js && scripts/part "browser and edge" scripts/test-hosts' \
		'scripts/part "the server by its document" scripts/test-api && scripts/part "the dashboard in the browser" scripts/test-dashboard e2e && scripts/part examples scripts/test-examples && scripts/part "the documentation" scripts/test-docs && scripts/part "other serde_json features" scripts/test-features && scripts/part WebAssembly scripts/build-wasm && scripts/part "a bare target" scripts/build-bare'

test-quick: ## before each commit: formatting, lints, and every test program that is quick; minutes
	@scripts/setup check test model
	@scripts/part 'formatting' cargo fmt --all -- --check
	@scripts/part 'lints' cargo clippy --quiet --workspace --all-targets --features holm/otel -- -D warnings
	@scripts/part 'tests' scripts/test-rust --quick

conformance: ## the official MCP conformance suite against Holm's client and server, both eras of the protocol
	@scripts/setup conformance
	@scripts/conformance

guests: ## build and prepare the WASM tools that Holm ships, into guests/dist, and test them and the templates
	@scripts/setup guests templates
	@scripts/build-guests
	@cargo test --quiet --manifest-path guests/Cargo.toml --target-dir "$${HOLM_GUESTS_TARGET:-$${XDG_CACHE_HOME:-$$HOME/.cache}/holm/guests}" -p guest-js -p guest-sqlite
	@cargo test --workspace --features holm/otel --test tools guests:: -- --include-ignored
	@cargo test --workspace --features holm/otel --test cli -- --ignored

dist: ## the command to hand out: a static binary, checksums, an SBOM, an npm package (HOLM_DIST_LOCAL=both: one with local models too)
	@scripts/setup dist guests
	@scripts/build-guests
	@scripts/build-dashboard
	@scripts/dist

bench: ## measure loop, wire, journal, sandbox, start-up, size, load, inference and hosts beside others; one report as Markdown, JSON and SVG
	@scripts/setup bench
	@scripts/bench

check: ## formatting, lints, documentation, licences
	@scripts/setup check
	@scripts/part 'formatting' cargo fmt --all -- --check
	@scripts/part 'lints' cargo clippy --workspace --all-targets --features holm/otel -- -D warnings
	@# The last three options name what is documented without them, and an example: with one cargo takes what the lints have checked,
	@# without one it builds llama.cpp a second time.
	@RUSTDOCFLAGS='-D warnings' scripts/part 'documentation' cargo doc --workspace --no-deps --features holm/otel --lib --bin holm-sandbox-compiler --example double
	@# Without what tests and other crates turn on.
	@scripts/part 'the library alone' cargo check --quiet -p holm
	@scripts/part 'the command that is handed out' cargo check --quiet -p holm-cli --no-default-features --features postgres
	@scripts/part 'licences and sources' scripts/check-deps
	@scripts/part 'what builds cost' scripts/check-budget
	@scripts/part 'the report of benchmarks' scripts/bench-report --check
	@if cargo deny --version >/dev/null 2>&1; then cargo deny check licenses bans sources; fi

budget: ## what depending on holm costs: crates, and the CPU time of a clean build
	@scripts/setup test
	@scripts/check-budget build

fmt: ## format the code
	@scripts/setup check
	@cargo fmt --all

sim: ## the simulation and the tree of runs at length, optimised, rare situations counted (SIM_CASES=100000, SIM_CRASH_POINTS=15000, SIM_MOST_SECONDS=N)
	@scripts/setup test
	@echo "SIM_SEED=$(SIM_SEED) SIM_CASES=$(SIM_CASES) SIM_CRASH_POINTS=$(SIM_CRASH_POINTS)"
	@SIM_SEED=$(SIM_SEED) SIM_CRASH_POINTS=$(SIM_CRASH_POINTS) SIM_MOST_SECONDS=$(SIM_MOST_SECONDS) PROPTEST_CASES=$(SIM_CASES) cargo test --profile $(SIM_PROFILE) -p holm-testkit --test sim -- --nocapture --test-threads=$(SIM_AT_ONCE)
	@if [ '$(SIM_TREE_STRIDE)' != 0 ]; then \
		echo '== a tree of three levels with five children each, killed and cancelled at its appends'; \
		HOLM_TREE_STRIDE=$(SIM_TREE_STRIDE) cargo test --release -p holm-runtime --lib child::tests::tree; fi

planted: ## plant defects in the kernel, one at a time: the simulation must find each (PLANTED_CASES=20000)
	@scripts/setup test
	@RUST_BACKTRACE=0 PROPTEST_CASES=$(PLANTED_CASES) cargo test --profile $(SIM_PROFILE) -p holm-testkit --features planted --test sim planted -- --nocapture --test-threads=$(SIM_AT_ONCE)

attack: ## play the attack cases of attacks/, their harmless twins and the lists of other people, and print tables
	@scripts/setup test suites
	@cargo test --quiet --workspace --features holm/otel --test attack

crash: ## kill the built command at every write and sync, let each of them fail, and kill it at random instants (CRASH_FILES=6, CRASH_POINTS=N of each kind, CRASH_KILLS=0 instants, CRASH_LEAST=N in all; HOLM_BIN: a command that is built)
	@scripts/setup test crash
	@[ -n "$$HOLM_BIN" ] || cargo build --quiet --workspace --features holm/otel --bin holm --example double
	@scripts/crash-sweep $(CRASH_POINTS)

fuzz: ## try random inputs on every parser, decoder and policy (FUZZ_SECONDS=60 each; FUZZ_EXECUTIONS=N: until so many were tried)
	@scripts/setup fuzz
	@scripts/fuzz $(FUZZ_SECONDS)

mutants: ## change kernel and policies in one place at a time: a test must notice (MUTANTS=100, MUTANTS_SHARD=1/2, MUTANTS_MINUTES=40)
	@scripts/setup test suites mutants
	@scripts/mutants $(MUTANTS)

instructions: ## hold the instructions that the loop takes (needs valgrind)
	@scripts/setup bench
	@scripts/check-instructions

prove-small: ## what `make test` leaves out of `make prove`, at a small size: minutes
	@scripts/setup test bench crash
	@scripts/prove small

prove: ## what has a number in docs/specification.md, at full size, the shortest first: hours (PROVE='attack power' for some)
	@scripts/setup test suites sdks bench crash mutants fuzz
	@scripts/prove $(PROVE)

clean: ## remove build output
	@cargo clean
