# Fieldmark. `make run` serves, `make test` checks everything; both set up what
# they need first. A bare machine needs Go, a C compiler, make, Node with npm.

ADDR ?= 127.0.0.1:8080
DATA ?= ./data
# Of the memory that `make bench` measures; 1000000 takes an hour and 8 GB. With
# STAGES (see bin/bench -help) it prints only those, and writes no document.
EXEMPLARS ?= 100000
STAGES    ?=

GO   ?= go
# SQLite and ONNX Runtime's binding are C.
export CGO_ENABLED = 1
# Go's own SIMD, for internal/vec's kernels; without it they are plain Go.
export GOEXPERIMENT = simd

ONNX   := build/onnxruntime
TURBO  := build/turbojpeg
WASM   := build/wasm
STATIC := web/static/vendor
LEAKED := internal/password/breached

.PHONY: run build test check setup generate evaluate bench soak lighthouse fuzz clean

run: build ## build everything and serve http://$(ADDR) with data in $(DATA)
	bin/webapp serve --addr $(ADDR) --data $(DATA)

build: setup ## leave bin/webapp and bin/evaluate, with ONNX Runtime beside them
	$(GO) build -o bin/webapp ./cmd/webapp
	$(GO) build -o bin/evaluate ./cmd/evaluate
	mkdir -p bin/lib && cp -p $(ONNX)/libonnxruntime.* bin/lib/
	@for f in $(TURBO)/libturbojpeg* $(WASM)/*; do test ! -f $$f || cp -p $$f bin/lib/; done

setup: $(ONNX)/.done $(TURBO)/.done $(WASM)/.done $(STATIC)/.done $(LEAKED)/.done ## ONNX Runtime, libjpeg-turbo, libheif, libavif, the browser's files and a list of passwords, by pinned version and digest

$(ONNX)/.done: tools/onnxruntime/package-lock.json tools/onnxruntime/fetch.sh tools/onnxruntime/SHA256SUMS
	sh tools/onnxruntime/fetch.sh $(ONNX)
	touch $@

$(TURBO)/.done: tools/turbojpeg/fetch.sh tools/turbojpeg/SHA256SUMS
	sh tools/turbojpeg/fetch.sh $(TURBO)
	touch $@

$(WASM)/.done: tools/wasm/fetch.sh tools/wasm/modules.tsv
	sh tools/wasm/fetch.sh $(WASM)
	touch $@

$(STATIC)/.done: web/package-lock.json web/fetch-static.sh
	sh web/fetch-static.sh
	touch $@

$(LEAKED)/.done: tools/passwords/package-lock.json tools/passwords/fetch.sh tools/passwords/SHA256SUMS
	sh tools/passwords/fetch.sh $(LEAKED)
	touch $@

generate: ## rewrite the committed templ code
	$(GO) tool templ generate

check: setup ## formatting, generated code, vet, staticcheck
	@bad=$$(gofmt -l $$(git ls-files '*.go')); test -z "$$bad" || { echo "gofmt would change: $$bad"; exit 1; }
	@cat templates/*_templ.go | cksum > build/templ.before
	$(GO) tool templ generate
	@cat templates/*_templ.go | cksum | cmp -s - build/templ.before || { echo "the templ code was not current: it is now, commit it"; exit 1; }
	$(GO) vet ./...
	$(GO) tool staticcheck ./...

test: setup check ## everything that CI runs, under the race detector
	$(GO) test -race -timeout 30m ./...
	$(GO) test ./internal/eval ./internal/doubt ./internal/protocol ./cmd/evaluate # whole: under the detector each leaves out what takes too long

evaluate: build ## agreement with the reference pack, ten species taught, the paper's protocols on a small set
	bin/evaluate parity ../shared/data/reference
	bin/evaluate teach --photos ../shared/data/training/photos-c.tar.gz --classes models/train/keptback.txt
	bin/evaluate run --out build/evaluate/small --system tree --system knn-wavg --protocols task,class,log --log-limit 600 cmd/evaluate/small.toml

bench: ## Fieldmark's memory beside scikit-learn, hnswlib, FAISS and coder/hnsw: doc/bench.md
	sh tools/bench/setup.sh build/bench/hnswlib
	$(GO) build -o bin/bench ./cmd/bench
	bin/bench --exemplars $(EXEMPLARS) $(if $(STAGES),,--out doc/bench.md) $(STAGES)

soak: build ## a hundred people, three hundred, and kills, in 6 minutes: doc/soak.md; KILLS=200 for all of those
	$(GO) build -o bin/soak ./cmd/soak
	bin/soak load $(if $(MINUTES),--minutes $(MINUTES)) $(if $(PEOPLE),--people $(PEOPLE)) --out doc/soak.md
	bin/soak kill --kills $(or $(KILLS),10) --corrections $(or $(CORRECTIONS),50) $(if $(KILLS),--out doc/soak.md)

lighthouse: build tools/lighthouse/node_modules/.done ## Lighthouse on each page, as on a phone and on a desk: doc/lighthouse.md; PAGES="/ /review" prints those alone
	node tools/lighthouse/audit.js bin/webapp doc/lighthouse.md $(PAGES)

tools/lighthouse/node_modules/.done: tools/lighthouse/package-lock.json
	cd tools/lighthouse && npm ci --no-audit --no-fund --loglevel=error
	touch $@

fuzz: setup ## each reader of foreign bytes for FUZZTIME (10m), within 512 MB; logs and corpora in build/fuzz
	tools/fuzz/fuzz.sh build/fuzz

clean: ## what was built and fetched; never your data
	rm -rf bin build
	git clean -fdxq $(STATIC) $(LEAKED)

# A release: `make dist VERSION=v1.0.0`. dist, dist-check, licences, sbom and vuln:
# doc/operating.md says what each is for.
VERSION ?= $(shell git describe --tags --always --dirty)
.PHONY: dist dist-check licences sbom vuln

dist: setup ## release archives for linux/amd64 and linux/arm64, with SHA256SUMS, in build/dist
	sh tools/dist/dist.sh $(VERSION)

dist-check: setup ## the last commit, built in two folders, gives the same bytes
	sh tools/dist/check.sh

licences: setup ## list what the programs contain that is not ours; fails on what cannot be combined with Apache-2.0
	$(GO) run ./tools/dist licences LICENSES/THIRD-PARTY.md

sbom: setup ## build/dist/sbom.cdx.json: what the programs contain (CycloneDX)
	mkdir -p build/dist
	$(GO) run ./tools/dist sbom $(VERSION) $(shell $(GO) env GOARCH) build/dist/sbom.cdx.json

vuln: ## known vulnerabilities in what the code calls; GOVULNDB names a copy of Go's database
	sh tools/vuln/check.sh
