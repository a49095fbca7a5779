# onedebit needs Go and make, nothing else. `make run` is the main job, `make test` the tests.

GO      ?= go
VERSION := $(shell git describe --tags --always --dirty 2>/dev/null || echo unknown)
LDFLAGS := -s -w -X main.stamp=$(VERSION)
BIN     := bin/onedebit

export CGO_ENABLED = 0
# The same flags for all, so that what the build has compiled need not be compiled again for the tests.
export GOFLAGS := $(GOFLAGS) -trimpath

.PHONY: run build man test race lint bench soak clean

run: build ## break a payment on purpose, in every way of the catalogue, and say whether the money is right
	$(BIN) run

build: ## the one binary
	$(GO) build -ldflags '$(LDFLAGS)' -o $(BIN) ./cmd/onedebit

man: build ## the man pages, into bin/man1
	$(BIN) man bin/man1

test: ## all tests
	$(GO) test ./...

RACE ?= ./...
race: ## with the race detector (needs a C compiler), all tests but those of processes of their own, of which it would see nothing
	CGO_ENABLED=1 $(GO) test -race -short $(RACE)

lint: ## gofmt, vet, staticcheck
	@unformatted=$$(gofmt -l cmd scenarios reference fakebank reports); \
	if [ -n "$$unformatted" ]; then echo "gofmt -w these: $$unformatted"; exit 1; fi
	$(GO) vet ./...
	$(GO) run honnef.co/go/tools/cmd/staticcheck@v0.8.2 -checks "$$(cat .staticcheck)" ./...

bench: build ## what a run costs: bring-up, one scenario, the catalogue, and a burst beside hey's
	$(GO) test -run '^$$' -bench . -benchtime 5x ./scenarios
	$(GO) test -run '^$$' -bench . ./scenarios/stack ./scenarios/checks ./reports

N ?= 100
soak: build ## the catalogue N times over with every core kept busy; anything but a pass is a defect, and is told with its seed
	@load=; for core in $$(seq "$$(getconf _NPROCESSORS_ONLN)"); do (while :; do :; done) & load="$$load $$!"; done; \
	trap 'kill $$load' EXIT; trap 'exit 130' INT TERM; \
	$(BIN) run --repeat $(N) --plain --out onedebit-out/soak

clean: ## what builds and runs have made, and what dead runs have left
	-$(BIN) clean
	rm -rf bin onedebit-out
