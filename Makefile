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
.PHONY: help setup agentdojo run demo demo-shell demo-edge demo-browser test-dashboard docs test-docs pictures serve-docs dashboard eval-local test test-quick conformance guests bench dist check budget fmt sim planted attack crash fuzz mutants instructions prove prove-small clean

help: ## show this list
	@awk -F ':.*## ' '/^[a-z-]+:.*## /{printf "  make %-14s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

setup: ## install everything that the other commands need
	@scripts/setup

run: ## take the one-minute tour with a small local model: no key, no account
	@scripts/setup run
	@scripts/run

demo: ## show the agent loop with every decision; a scripted model answers; builds in a minute
	@scripts/setup demo
	@cargo run -q -p holm-testkit --example demo

demo-shell: ## chat in the terminal with the small local model: no key, no account
	@scripts/setup run
	@scripts/demo-shell

demo-edge: ## run the agent behind HTTP on Deno, at http://127.0.0.1:8000; set LLM_ENDPOINT or LLM_PROVIDER, LLM_API_KEY, LLM_MODEL
	@scripts/setup wasm hosts
	@scripts/demo-host edge

demo-browser: ## run the agent in a page with the small model, at http://127.0.0.1:8080: no key, no account
	@scripts/setup wasm hosts model
	@scripts/demo-host browser

dashboard: ## build the server's web app into dashboard/dist; a command built after that includes it
	@scripts/setup page
	@scripts/build-dashboard

test-dashboard: ## test the web app: types, pure parts, then the real server in Chromium (HOLM_SHOTS=FOLDER keeps screenshots)
	@scripts/setup test dashboard
	@scripts/test-dashboard

docs: ## build the documentation as a site with search, linked with `cargo doc`, into the build folder's `site`
	@scripts/setup check docs
	@scripts/build-docs

test-docs: ## test the documentation: order, links, commands, figures, pictures
	@scripts/setup docs
	@scripts/test-docs

pictures: ## record the pictures of docs/pictures from the built command
	@scripts/setup test model dashboard
	@scripts/pictures

serve-docs: ## serve the documentation site at http://127.0.0.1:3000 (PORT=3000)
	@scripts/setup docs
	@scripts/serve-docs

eval-local: ## measure the small model on small tasks, with and without its grammar and adapter
	@scripts/setup run
	@cargo build -q -p holm-cli --bin holm
	@scripts/eval-local

test: ## run all tests, the feature matrix, and the builds for WASM and for a bare target
	@scripts/setup test model suites sdks api clients conformance editors wasm guests js hosts examples dashboard docs
	@scripts/part 'the dashboard' scripts/test-dashboard build
	@scripts/part 'the small guests' scripts/build-guests light
	@scripts/part 'tests of the guests' cargo test --quiet --manifest-path guests/Cargo.toml --target-dir "$${HOLM_GUESTS_TARGET:-$${XDG_CACHE_HOME:-$$HOME/.cache}/holm/guests}" --features guest-kit/text
	@scripts/part 'building the tests' scripts/test-rust build
	@echo '== the tests; beside them the npm package on every JavaScript host, the browser and the edge host, and the real server by its'
	@echo '   document and in the browser, examples, tests under other serde_json features, and builds for other targets'
	@scripts/beside \
		'scripts/part tests scripts/test-rust' \
		'scripts/part "the npm package" scripts/test-js && scripts/part "its guards switched off" scripts/test-mutants-js && scripts/part "browser and edge" scripts/test-hosts && scripts/part "examples for the web" scripts/test-examples web' \
		'scripts/part "the server by its document" scripts/test-api && scripts/part "the clients for Python and TypeScript" scripts/test-clients && scripts/part "the dashboard in the browser" scripts/test-dashboard e2e && scripts/part examples scripts/test-examples native && scripts/part "the documentation" scripts/test-docs && scripts/part "other serde_json features" scripts/test-features preserve_order,float_roundtrip,arbitrary_precision && scripts/part WebAssembly scripts/build-wasm && scripts/part "a bare target" scripts/build-bare'

test-quick: ## run before each commit: formatting, lints and all quick test programs; minutes
	@scripts/setup check test model
	@scripts/part 'formatting' cargo fmt --all -- --check
	@scripts/part 'lints' cargo clippy --quiet --workspace --all-targets --features holm/otel -- -D warnings
	@scripts/part 'tests' scripts/test-rust --quick

conformance: ## run the official MCP conformance suite against Holm's client and server, both eras of the protocol
	@scripts/setup conformance
	@scripts/conformance

agentdojo: ## play AgentDojo's tasks and attacks on the kernel: questions asked, attacks with an effect; no model
	@scripts/setup agentdojo
	@scripts/agentdojo

guests: ## build and prepare the WASM tools that come with Holm, into guests/dist; test them and the templates
	@scripts/setup guests templates
	@scripts/build-guests
	@cargo test --quiet --manifest-path guests/Cargo.toml --target-dir "$${HOLM_GUESTS_TARGET:-$${XDG_CACHE_HOME:-$$HOME/.cache}/holm/guests}" -p guest-js -p guest-sqlite
	@cargo test --workspace --features holm/otel --test tools guests:: -- --include-ignored
	@cargo test --workspace --features holm/otel --test cli -- --ignored

dist: ## build the release files: a static binary, checksums, an SBOM, an npm package (HOLM_DIST_LOCAL=both adds one with local models)
	@scripts/setup dist guests
	@scripts/build-guests
	@scripts/build-dashboard
	@scripts/dist

bench: ## run all benchmarks beside other programs; one report as Markdown, JSON and SVG
	@scripts/setup bench
	@scripts/bench

check: ## check formatting, lints, documentation and licences
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

budget: ## measure the cost of depending on holm: crates, and CPU time of a clean build
	@scripts/setup test
	@scripts/check-budget build

fmt: ## format the code
	@scripts/setup check
	@cargo fmt --all

sim: ## run the simulation and the tree of runs at length (SIM_CASES=100000, SIM_CRASH_POINTS=15000, SIM_MOST_SECONDS=N)
	@scripts/setup test
	@echo "SIM_SEED=$(SIM_SEED) SIM_CASES=$(SIM_CASES) SIM_CRASH_POINTS=$(SIM_CRASH_POINTS)"
	@SIM_SEED=$(SIM_SEED) SIM_CRASH_POINTS=$(SIM_CRASH_POINTS) SIM_MOST_SECONDS=$(SIM_MOST_SECONDS) PROPTEST_CASES=$(SIM_CASES) cargo test --profile $(SIM_PROFILE) -p holm-testkit --test sim -- --nocapture --test-threads=$(SIM_AT_ONCE)
	@if [ '$(SIM_TREE_STRIDE)' != 0 ]; then \
		echo '== a tree of three levels with five children each, killed and cancelled at its appends'; \
		HOLM_TREE_STRIDE=$(SIM_TREE_STRIDE) cargo test --release -p holm-runtime --lib child::tests::tree; fi

planted: ## plant defects in the kernel, one at a time; the simulation must find each (PLANTED_CASES=20000)
	@scripts/setup test
	@tree=$$(scripts/plant-defects) && cd "$$tree/tree" && CARGO_TARGET_DIR="$$tree/target" RUST_BACKTRACE=0 PROPTEST_CASES=$(PLANTED_CASES) cargo test --profile $(SIM_PROFILE) -p holm-testkit --features planted --test sim planted -- --nocapture --test-threads=$(SIM_AT_ONCE)

attack: ## run the attack cases of attacks/, their harmless twins and public payload lists
	@scripts/setup test suites
	@cargo test --quiet --workspace --features holm/otel --test attack

crash: ## kill the built command at every write and sync, make each fail, and kill it at random instants (CRASH_FILES=6, CRASH_POINTS=N of each kind, CRASH_KILLS=0 instants, CRASH_LEAST=N in all; HOLM_BIN: a built command)
	@scripts/setup test crash
	@[ -n "$$HOLM_BIN" ] || cargo build --quiet --workspace --features holm/otel --bin holm --example double
	@scripts/crash-sweep $(CRASH_POINTS)

fuzz: ## fuzz every parser, decoder and policy (FUZZ_SECONDS=60 each; FUZZ_EXECUTIONS=N: until so many inputs were tried)
	@scripts/setup fuzz
	@scripts/fuzz $(FUZZ_SECONDS)

mutants: ## change kernel and policies in one place at a time; a test must notice (MUTANTS=100, MUTANTS_SHARD=1/2, MUTANTS_MINUTES=40)
	@scripts/setup test suites mutants
	@scripts/mutants $(MUTANTS)

instructions: ## check the instruction count of the loop (needs valgrind)
	@scripts/setup bench
	@scripts/check-instructions

prove-small: ## run the parts of `make prove` that `make test` leaves out, at a small size: minutes
	@scripts/setup test bench crash
	@scripts/prove small

prove: ## run every promise of docs/specification.md that has a size, at full size, the shortest first: hours (PROVE='attack power' for some)
	@scripts/setup test suites sdks bench crash mutants fuzz
	@scripts/prove $(PROVE)

clean: ## remove build output
	@cargo clean
