# Everything a newcomer and CI call. Each target says what it needs when that
# is missing.
SHELL := bash
.SHELLFLAGS := -euo pipefail -c
.DELETE_ON_ERROR:

GO ?= go
CONFIG ?= pipeline.yaml
FUZZTIME ?= 20s
BENCHTIME ?= 1s
CLUSTER ?= out/cluster
TESTFLAGS ?=
STATICCHECK := honnef.co/go/tools/cmd/staticcheck@v0.8.2

# All that go:embed or the compiler reads; asking the file system is quicker
# than asking go, so that a build with nothing to do stays instant.
INPUTS := $(shell find gates pipeline prompts schemas sources stages main.go go.mod go.sum \
	-type f ! -name '*_test.go' ! -path '*/testdata/*' 2>/dev/null)

.PHONY: archives dataset test test-all test-engines bench fuzz lint audit clean doctor ffmpeg cluster cluster-down

## dataset: build the default release and verify it
dataset: ffmpeg bin/memforge
	bin/memforge build --file $(CONFIG)
	bin/memforge verify "$$(bin/memforge release latest --file $(CONFIG))"

# Without paths and debug data: the same bytes in any folder, and a third smaller.
BUILD := build -trimpath -ldflags '-s -w'

bin/memforge: $(INPUTS)
	$(GO) $(BUILD) -o $@ .

# With the engine and the drivers of clouds, which the plain program does without.
bin/memforge-cluster: $(INPUTS)
	$(GO) $(BUILD) -tags temporal,river,clouds -o $@ .

# These take longest; begun last, they would leave a core idle at the end.
LONG := ./stages/lifelong ./stages/crosssource ./pipeline/release ./pipeline/cli/plugins ./stages/visual ./stages/visual/oracle/picturereader ./pipeline/media ./stages/video ./pipeline/cli ./pipeline/engine/assemble

# One test binary more than cores: some wait for servers, pauses and child processes most
# of their time.
BINARIES := $(shell echo $$(($$(nproc 2>/dev/null || echo 2) + 1)))

# With more garbage between collections tests take less time, and so does linking them.
# Tests that count memory do so in a process with GOGC=100, or after a collection.
GARBAGE = GOGC=400

# As bin/memforge is compiled, so that both share what they import.
TEST := test -trimpath -vet=off -p $(BINARIES)

# What make dataset and make test do without: their libraries take minutes to compile.
ENGINES := -tags temporal,river ./pipeline/engine/cluster/temporal ./pipeline/engine/cluster/river

## test: tests of all that the plain program has; TESTFLAGS=-race for the race detector (needs a C compiler); make lint vets
test: ffmpeg
	$(GARBAGE) .ci/scratch.sh $(GO) $(TEST) $(TESTFLAGS) $(LONG) ./...

## test-all: the same tests at full size: every broken file, every forgery, the power
## cut at 200 moments, and those of Temporal's and River's drivers; several times as long
test-all: export MEMFORGE_TESTS := all
test-all: test test-engines

test-engines: ffmpeg
	.ci/scratch.sh $(GO) $(TEST) $(TESTFLAGS) $(ENGINES)

## bench: all benchmarks, with allocations; MEMFORGE_BENCH_SECONDS=300 for long videos,
## MEMFORGE_BENCH_CALLS=5000 for a short replay
bench: ffmpeg
	$(GO) test -run '^$$' -bench . -benchmem -benchtime $(BENCHTIME) -timeout 3h ./...

## fuzz: every fuzz target for FUZZTIME each, a time (20s) or a number of inputs (20000x)
fuzz:
	GO=$(GO) .ci/fuzz.sh $(FUZZTIME)

## lint: formatting, vet, staticcheck and the layout rules of CONTRIBUTING.md
lint:
	@unformatted="$$(gofmt -l $$(git ls-files '*.go'))"; \
	if [ -n "$$unformatted" ]; then echo "run gofmt -w on:"; echo "$$unformatted"; exit 1; fi
	$(GO) vet ./...
	$(GO) vet $(ENGINES)
	$(GO) run $(STATICCHECK) ./...
	$(GO) run $(STATICCHECK) $(ENGINES)
	$(GO) test -run '^TestLayout' .

## audit: check the newest release byte by byte, and work out again what it states
audit: bin/memforge
	bin/memforge audit "$$(bin/memforge release latest --file $(CONFIG))"

## doctor: say what this machine lacks
doctor: bin/memforge
	bin/memforge doctor --file $(CONFIG)

## cluster: PostgreSQL, a bucket server, Temporal and three workers on this machine, in
## CLUSTER; says how to build with them
cluster: ffmpeg bin/memforge-cluster
	.ci/servers.sh up $(CLUSTER)

## cluster-down: end what make cluster started; what they stored stays in CLUSTER
cluster-down:
	.ci/servers.sh down $(CLUSTER)

## archives: what a release of memforge itself is made of, for Linux and macOS, in
## out/archives; VERSION=v1.2.3
archives:
	.ci/install.sh
	.ci/archives.sh $(VERSION)

## clean: remove what was built, the store included
clean:
	rm -rf bin
	find out -mindepth 1 ! -name .gitkeep -delete

ffmpeg:
	@.ci/program.sh ffmpeg
