# Everything that is done to this project, by name. `make` alone prints the list.
# `make run` and `make test` need Go and nothing else.

.DEFAULT_GOAL := help
.PHONY: help build test race lint fmt fmt-check generate generate-check unicode fuzz fuzz-smoke bench bench-peers bench-billion e2e conformance readers check run clean
SHELL := /bin/bash

BUILD         := build
BIN           := $(BUILD)/bin
URISIEVE      := $(BIN)/urisieve
GOLANGCI      := $(BIN)/golangci-lint
GOLANGCI_VERSION := v2.15.0

# Where `make run` reads and writes.
SAMPLE := testdata/sample
OUT    := out

# The time that `make fuzz` gives each target, and the executions that `make check` gives it.
FUZZTIME  := 30s
FUZZCOUNT := 20000x

# The packages with goroutines: what the race detector looks at.
CONCURRENT := ./internal/extsort ./pipeline ./pipeline/pipetest ./sources/... ./sinks/... ./cmd/...
# What it doesn't look at: samples of the pages and killed jobs, which start many short processes, and a
# decompression bomb, which is one goroutine's work for a minute.
NOT_RACED := TestExamplesOfHelpWork|TestEverySampleOfTheREADMEWorks|TestScripts/faults_damage|TestAKilledJobGoesOnToTheSameBytes

VERSION ?= $(shell git describe --tags --always --dirty 2>/dev/null || echo devel)

help: ## print this list
	@awk -F ':.*## ' '/^[a-z0-9-]+:.*## / { printf "  make %-15s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

build: ## build/bin/urisieve, a static binary
	@mkdir -p $(BIN)
	@CGO_ENABLED=0 go build -trimpath -ldflags '-s -w -X main.version=$(VERSION)' -o $(URISIEVE) ./cmd/urisieve

run: build ## the main job over the shipped sample, into out/
	@scripts/run-sample.sh $(URISIEVE) $(SAMPLE) $(OUT)

test: ## all tests of all modules but bench, shuffled, and what was skipped, which CI=true forbids
	@mkdir -p $(BIN)
	@go build -o $(BIN)/testreport ./internal/testreport
	@scripts/each-module.sh bash -o pipefail -c 'go test -json -shuffle=on ./... | $(CURDIR)/$(BIN)/testreport'

race: ## the tests of the concurrent packages under the race detector (needs a C compiler)
	CGO_ENABLED=1 go test -race -short -shuffle=on -skip '$(NOT_RACED)' $(CONCURRENT)

lint: $(GOLANGCI) ## golangci-lint with the rules of .golangci.yml
	$(GOLANGCI) run ./...

fmt: $(GOLANGCI) ## format the code in place
	$(GOLANGCI) fmt ./...

fmt-check: $(GOLANGCI) ## fail where `make fmt` would change something
	$(GOLANGCI) fmt --diff ./...

generate: ## rewrite everything that is generated: tables, schema pages, the sample
	go generate ./...

generate-check: ## fail where `make generate` changes a file
	scripts/generate-check.sh

unicode: ## fetch the pinned Unicode data, rewrite the tables of normalize/uts46 and uts39, compare with tr46 (needs npm, node, Python)
	scripts/fetch-unicode
	cd normalize/uts46 && go run gen_tables.go
	cd normalize/uts39 && go run gen_tables.go
	go test -count=1 -tags tr46 -run TR46 ./normalize/uts46

fuzz: ## every fuzz target for FUZZTIME (default 30s each)
	scripts/fuzz.sh $(FUZZTIME)

fuzz-smoke: ## every fuzz target for a fixed count of executions (FUZZCOUNT)
	scripts/fuzz.sh $(FUZZCOUNT)

conformance: ## the published test suites and real URL lists in ../shared/corpora, where present
	scripts/conformance.sh

readers: build ## read the sample's datasets with DuckDB and pyarrow and recompute their fingerprints
	test/readers/sample.sh $(URISIEVE) $(SAMPLE)

e2e: build ## long runs of the binary: kill -9 at random, real input end to end
	scripts/e2e.sh $(URISIEVE)

bench: ## ns per URI beside net/url, and references per second end to end
	scripts/bench.sh

bench-billion: ## a billion keys through the exact set in a control group of 2 GiB (root or systemd, 30 GB of disk, 15 minutes)
	scripts/bench-billion.sh

bench-peers: ## whatwg against ada and nlnwa/whatwg-url: the same bytes, and how fast (needs a C++ compiler and real URLs)
	cd bench && go test ./... && go run .

check: ## what a push must pass: all of the above but fuzz, bench and e2e
	scripts/check.sh

clean: ## remove what was built and the output of `make run`
	rm -rf $(BUILD) $(OUT) $(OUT).rejects

$(GOLANGCI):
	@mkdir -p $(BIN)
	GOBIN=$(CURDIR)/$(BIN) go install github.com/golangci/golangci-lint/v2/cmd/golangci-lint@$(GOLANGCI_VERSION)
