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
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-13s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

build: ## build bin/acp-ls, stripped and static
	CGO_ENABLED=0 go build -trimpath -ldflags '-s -w -X main.version=$(VERSION)' -o bin/acp-ls ./cmd/acp-ls

demo: build ## work with the demonstration agent in Neovim, in a scratch project
	go run ./tools/demo bin/acp-ls

vsix: ## package the VS Code extension, as dist/acp-ls-linux-x64.vsix (TARGETS=all for the others)
	tools/vsix $(TARGETS)

demo-vscode: ## the same in VS Code, fetched if need be, in your browser
	tools/npm-ci editors/vscode
	node tools/demo-vscode.mjs "$$(tools/vsix here | tail -n 1)"

test: ## everything that CI runs
	tools/ci/run

lint: ## format and lint, Go and Lua
	tools/ci/run format vet staticcheck lua

bench: ## measure beside anchors, as a table (docs/benchmarks.md)
	tools/ci/bench

fuzz: ## every fuzz target for FUZZTIME (30s)
	tools/ci/fuzz $(FUZZTIME)

soak: ## the review engine on ten million random steps, the core on a million, the wide tables as wholes, and all stories
	go test -run 'TestSoak$$' -count 1 -timeout 0 ./internal/review -steps 10000000
	go test -run 'TestModel$$' -count 1 -timeout 0 ./internal/session -model 1000000
	go test -count 1 -timeout 0 ./internal/session ./internal/agenttest -whole
	go test -count 1 -timeout 0 ./internal/crashtest -everycall
	tools/npm-ci editors/vscode
	package=$$(tools/vsix here | tail -n 1) && cd editors/vscode && node esbuild.mjs && node test/person/run.mjs "$$package"

test-agents: ## a whole turn with every real agent that can be had
	tools/ci/run agents

record: ## record anew what real editors send (testdata/)
	go run ./editors/record

clean: ## remove what was built; the cache stays
	rm -rf bin dist

.PHONY: help build demo vsix demo-vscode test lint bench fuzz soak test-agents record clean
