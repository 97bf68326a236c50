# `make help` lists what can be made. Everything fetched or installed for tests
# is kept in $(CACHE), by version; no target needs more than Go, git, make, Node
# and npm to begin with.
.DELETE_ON_ERROR:
.DEFAULT_GOAL := help

CACHE   := $(or $(ACP_LS_CACHE),$(or $(XDG_CACHE_HOME),$(HOME)/.cache)/acp-ls)
VERSION := $(shell git describe --tags --always --dirty 2>/dev/null || echo unknown)
FUZZTIME ?= 30s
export ACP_LS_CACHE := $(CACHE)

help: ## list the targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-12s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

build: ## build bin/acp-ls, stripped and static
	CGO_ENABLED=0 go build -trimpath -ldflags '-s -w -X main.version=$(VERSION)' -o bin/acp-ls ./cmd/acp-ls

demo: build ## work with the demonstration agent in Neovim, in a scratch project
	go run ./tools/demo bin/acp-ls

test: ## everything that CI runs
	tools/ci/run

lint: ## format and lint, Go and Lua
	tools/ci/run format vet staticcheck lua

bench: ## measure beside anchors, as a table (docs/benchmarks.md)
	tools/ci/bench

fuzz: ## every fuzz target for FUZZTIME (30s)
	tools/ci/fuzz $(FUZZTIME)

soak: ## the review engine on ten million random steps
	go test -run 'TestSoak$$' -count 1 -timeout 0 ./internal/review -steps 10000000

test-agents: ## a whole turn with every real agent that can be had
	tools/ci/run agents

record: ## record anew what real editors send (testdata/)
	go run ./editors/record

clean: ## remove what was built; the cache stays
	rm -rf bin

.PHONY: help build demo test lint bench fuzz soak test-agents record clean
