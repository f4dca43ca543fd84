# Everything that is done with Stackmate more than once. The product itself needs
# no make: "go run . serve" and "go test ./..." do.

# Packages that start goroutines, tested in full under the race detector. Of other packages, the tests of RACE_RUN.
RACE_PACKAGES = ./internal/cli ./internal/feed ./internal/guard ./internal/recent ./player ./player/tracking ./player/training \
	./protocol ./protocol/arena ./protocol/arena/distributed ./protocol/arena/queue ./protocol/arena/tasks ./protocol/arena/web \
	./protocol/conformance ./search/montecarlo ./search/threads
RACE_RUN      = Goroutines|Threads|ACompilation|AFallback|NoEngine|HelpersMake|IsKnownWhenStopped
# The time limit of the tests of one package: the ten minutes of Go are not enough for
# exhaustive tests on a busy machine, and a test that hangs should fail within the hour.
TIMEOUT      ?= 25m
FUZZTIME     ?= 10s
FUZZ         ?= .
CORPUS       ?= ../shared
BENCH        ?= .
RUN          ?= .
COUNT        ?=
SHEETS       ?= 2000
SEED         ?= 1
KEEP         ?=
MUTATE       ?= .
DRAW         ?=

SHELL       = /bin/bash
.SHELLFLAGS = -o pipefail -c

# "make module PATH=…" is not about where the shell finds programs.
ifeq ($(origin PATH),command line)
MODULE   := $(PATH)
override PATH := $(shell echo /usr/local/go/bin:$$HOME/go/bin:/usr/local/bin:/usr/bin:/bin)
endif

.PHONY: build release module test exhaustive check types lint format race glpk dds cadical arm64 fuzz corpus endurance oracle mutants bench generate tools hooks

build:
	go build -o bin/stackmate .

release: # six archives with checksums in dist/, or those of SYSTEMS=linux/amd64,…
	go run -C tools ./release $(if $(SYSTEMS),-systems $(SYSTEMS))

module: # PATH=example.org/me/stackmate: the module gets another path, everywhere
	go run -C tools ./module $(MODULE)

test: # the fast tier
	go test ./...

exhaustive: # all tests in full: with the corpus, a browser, the built program and the commands of the documents
	STACKMATE_EXHAUSTIVE=1 go test -timeout $(TIMEOUT) ./...

check: # all that .ci/run does
	.ci/run

types: # of the page; needs npm, which brings the compiler of TypeScript, and axe for the tests
	npm ci --prefix tools/page --silent
	tools/page/node_modules/.bin/tsc -p protocol/arena/web/page

lint: bin/golangci-lint
	bin/golangci-lint run ./...

format: bin/golangci-lint
	bin/golangci-lint fmt ./...

race: # the fast tier; exhaustive.NotUnderRace skips tests that take long and show nothing new
	go test -timeout $(TIMEOUT) -vet=off -race $(RACE_PACKAGES)
	go test -timeout $(TIMEOUT) -vet=off -race -run '$(RACE_RUN)' ./reasoner ./reasoner/machine/scalar ./search/evaluate ./search/layers ./search/sequential ./search/simultaneous ./search/table

glpk: # needs libglpk (Debian: apt-get install libglpk-dev)
	go test -timeout $(TIMEOUT) -tags glpk ./search/matrix ./search/simultaneous
	STACKMATE_EXHAUSTIVE=1 go test -timeout $(TIMEOUT) -tags glpk ./search/experiment -run AllMethods

cadical: # needs libcadical (Debian: apt-get install libcadical-dev)
	go test -timeout $(TIMEOUT) -tags cadical ./reasoner/prove/...
	go test -timeout $(TIMEOUT) -tags cadical ./reasoner -run 'RandomGames|Puzzles'

dds: # needs libdds (Debian: apt-get install libdds-dev)
	go test -timeout $(TIMEOUT) -tags dds ./search/lattice/bridge/...

# What has assembly for arm64, and above it what looks at every kernel: seeds of fuzz targets are among the tests.
arm64: ARM64 = STACKMATE_EXHAUSTIVE=1 GOARCH=arm64 CGO_ENABLED=0 go test -trimpath -exec qemu-aarch64-static -timeout $(TIMEOUT) -vet=off
arm64: # emulated, needs qemu-aarch64-static (Debian: apt-get install qemu-user-static)
	$(ARM64) ./reasoner/circuit/kernel ./search/evaluate/vector
	$(ARM64) -run 'EveryKernel|FuzzKernels|FillAndMerge|Uniform|TakeTurns|RulesheetsKeepStep|OnceDiffered' ./reasoner/circuit ./reasoner

fuzz: # every fuzz target in the folders FUZZ for FUZZTIME
	@git grep -n '^func Fuzz' -- $(FUZZ:%='%/*_test.go') | sed -E 's|^(.*)/[^/]*:func (Fuzz[A-Za-z0-9]*).*|./\1 \2|' | sort | \
	while read -r package target; do \
		echo "$$package $$target"; \
		go test -vet=off -run '^$$' -fuzz "^$$target\$$" -fuzztime $(FUZZTIME) -fuzzminimizetime 1s $$package </dev/null || exit 1; \
	done

corpus: # replays the recorded matches of all rulesheets in CORPUS
	STACKMATE_EXHAUSTIVE=1 STACKMATE_CORPUS=$(abspath $(CORPUS)) go test ./reasoner -run Corpus -count=1 -v -timeout $(TIMEOUT) -corpus.table | grep -v '^=== \|^    --- PASS'

# The tests of the built program in full, with what they assert and about how long
# they take; RUN=Paused picks one, COUNT=10 sets the number of its repetitions.
#   ManyMatches     1 000 matches between two players on a busy machine   40 min
#   Paused          100 pauses of 5 s in mid-match                        5 min
#   Senders         a match among 1 000 idle and slow connections         1 min
#   EveryRulesheet  a short match with each rulesheet of the corpus       40 min
#   Damaged         2 000 damaged rulesheets                              30 min
#   Killed          30 kills of manager, tournament and player each       5 min
#   Enormous        16 MB of rules of all kinds                           10 min
endurance:
	STACKMATE_EXHAUSTIVE=1 STACKMATE_ENDURANCE=full STACKMATE_ENDURANCE_COUNT=$(COUNT) STACKMATE_CORPUS=$(abspath $(CORPUS)) \
		go test ./internal/endurance -run '$(RUN)' -count=1 -v -parallel 4 -timeout 6h

# Random rulesheets, answered by all methods, engines and proofs as by the oracle: about 0.1 s of processor time each.
# A rulesheet that fails is shrunk and printed; KEEP=internal/oracle/testdata keeps it, too.
oracle:
	go test ./internal/oracle -run Random -count=1 -timeout 3h -oracle.sheets $(SHEETS) -oracle.seed $(SEED) -oracle.keep '$(abspath $(KEEP))'

# Plants the faults of tools/mutants/faults.txt, one at a time: LIVED are the ones that no test finds. All of them take an
# hour, so this is no part of "make check"; MUTATE='^search/' picks faults by file or name. DRAW='-draw 8 -fast
# -timeout 4m ./search/...' draws faults in place of the list: eight changes of single operators, constants and statements
# of each package. Some allocate without end: run them under "ulimit -v".
mutants:
	go run -C tools ./mutants -run '$(MUTATE)' $(DRAW)

bench:
	go test -run '^$$' -bench '$(BENCH)' -benchmem ./...

generate: # kernels, the page of the arena, the pages of diagnostics and commands
	go generate ./...

tools:
	go build -C tools -o ../bin/ tool

bin/golangci-lint: tools/go.mod tools/go.sum
	go build -C tools -o ../bin/ github.com/golangci/golangci-lint/v2/cmd/golangci-lint

hooks: # checks before every commit
	git config core.hooksPath .githooks
