# Every chore has a target; `make help` lists them. CI uses the same words (.ci/run).

SHELL := /bin/bash
.DEFAULT_GOAL := help

PREFIX ?= /usr/local
FUZZ_SECONDS ?= 60
SOURCES := Package.swift Sources Tests

# libstdc++: the Swift runtime, linked in below, is written in C++.
BUILD_PACKAGES := libcurl4-openssl-dev libssl-dev libconfuse-dev libstdc++-12-dev pkg-config
TEST_PACKAGES := curl openssl iproute2 python3 python3-urllib3 libokhttp-java \
  $(if $(shell command -v javac),,default-jdk-headless)
CHECK_PACKAGES := python3
DOCS_PACKAGES := curl openssl python3
BENCH_PACKAGES := nginx-light nghttp2-client openssl python3 util-linux

# The binary carries the Swift runtime, so that a machine which runs it needs C libraries alone.
RELEASE := -c release --static-swift-stdlib

.PHONY: help deps deps-test deps-bench build demo test check sanitize sanitize-address sanitize-thread \
  fuzz bench bench-noise bench-soak docs install clean

help: ## list the targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  %-11s  %s\n", $$1, $$2 }' Makefile

deps: ## Swift is there, and the C libraries (Debian packages; asks apt-get only for what is missing)
	@command -v swift >/dev/null || { echo "swift is not on the PATH; install the Swift 6.3 toolchain for Debian 12" >&2; exit 1; }
	@Tools/install-packages.sh $(BUILD_PACKAGES)

deps-test: deps ## the clients that the tests use
	@Tools/install-packages.sh $(TEST_PACKAGES)

deps-bench: deps ## nginx and h2load
	@Tools/install-packages.sh $(BENCH_PACKAGES)

build: deps ## octet-gateway for release, in .build/release
	swift build $(RELEASE) --product octet-gateway

demo: build ## run octet-demo: the gateway between an app and a scripted upstream
	swift build $(RELEASE) --product octet-demo
	.build/release/octet-demo

test: deps deps-test ## all tests
	swift build
	swift test

check: deps ## format, import direction, warnings as errors
	@Tools/install-packages.sh $(CHECK_PACKAGES)
	swift format lint --strict --recursive --parallel $(SOURCES)
	python3 Tools/check_imports_test.py
	python3 Tools/check_imports.py
	swift build --build-tests --scratch-path .build/check -Xswiftc -warnings-as-errors

sanitize: sanitize-address sanitize-thread ## all tests under the address and the thread sanitizer

sanitize-address: deps-test
	LSAN_OPTIONS=suppressions=Tests/leaks.supp OCTET_CUT_STRIDE=17 \
	  swift test --sanitize=address --scratch-path .build/address

sanitize-thread: deps-test
	OCTET_CUT_STRIDE=17 swift test --sanitize=thread --scratch-path .build/thread

fuzz: deps ## each parser for FUZZ_SECONDS (60), after the inputs that once failed
	Fuzz/run.sh $(FUZZ_SECONDS)

bench: deps-bench build ## beside nginx, into docs/BENCHMARKS.md (BENCH_SECONDS, BENCH_ROUNDS, BENCH_ROWS)
	python3 Benchmarks/bench.py --write docs/BENCHMARKS.md

bench-noise: deps-bench ## nginx beside itself: how far from 1.00 a ratio may be by chance
	OCTET_GATEWAY_COMMAND=Benchmarks/standin.py python3 Benchmarks/bench.py

bench-soak: deps-bench build ## a million requests; memory must stay level (SOAK_REQUESTS)
	python3 Benchmarks/soak.py

docs: deps ## links, make targets and shell blocks in the pages; runs the blocks marked "sh run"
	@Tools/install-packages.sh $(DOCS_PACKAGES)
	python3 Tools/check_docs.py --run

install: build ## into PREFIX (/usr/local), below DESTDIR if set
	install -D -m 755 .build/release/octet-gateway $(DESTDIR)$(PREFIX)/bin/octet-gateway
	install -D -m 644 -t $(DESTDIR)$(PREFIX)/share/doc/octet-gateway README.md gateway.conf.example docs/*.md
	install -D -m 644 deploy/octet-gateway.service $(DESTDIR)$(PREFIX)/lib/systemd/system/octet-gateway.service

clean: ## what was built
	rm -rf .build Fuzz/.build
	find . -name __pycache__ -not -path './.git/*' -prune -exec rm -rf {} +
