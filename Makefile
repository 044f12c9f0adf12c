# Targets for people, for the image and for CI. Each target works by itself.
#
#   make demo     build, and see it work without key or Internet      make test     every test
#   make run      serve on 127.0.0.1:8787 with the live APIs          make install  binary, configuration, units, manual
#   make bench    the table of Benchmarks/README.md                   make lint     format, imports, house rules
#   make profile  where the instructions of a request go              make fuzz     each fuzz target for a minute
#   make soak     ten minutes of everything at once; SOAK_SECONDS for another time
#   make sanitize the whole suite under the thread and the address sanitizer
#   make deb      Debian packages in .build/packages                  make test-deb installs, upgrades and purges them in a fresh root
#   make dist     a tarball with its SHA-256 there                  make public-testers  testers from the network

PREFIX     ?= /usr/local
DESTDIR    ?=
SYSCONFDIR ?= /etc
UNITDIR    ?= $(PREFIX)/lib/systemd/system

# The commit that is built, as `larder version` prints it. The manifest reads this variable.
export LARDER_COMMIT ?= $(shell git rev-parse --short=12 HEAD 2>/dev/null)

BINARY := .build/release/larder
# Links the Swift library statically: a dynamic library would need the toolchain's folder at run time. The binary
# therefore has no run path to libraries beside it.
BUILD  := swift build -c release --static-swift-stdlib --disable-local-rpath

.PHONY: demo demo-fleet test run build install uninstall deps deps-test deps-runtime check-swift bench profile check-hot-path fuzz soak sanitize lint man docs units conformance routes \
	deb dist test-deb public-testers clean

demo: build
	$(BINARY) demo

# Starts an engine and three daemons: one call and three responses. Then the engine is killed.
demo-fleet: build deps-test
	scripts/demo-fleet

test: deps deps-test check-swift
	scripts/test

run: build
	$(BINARY) serve --listen 127.0.0.1:8787

build: deps check-swift
	$(BUILD) --product larder

# Prints what it installs, and installs only what dpkg lacks. Uses sudo only when not root.
deps:
	@scripts/install-packages libcurl4-openssl-dev libsqlite3-dev libyaml-dev zlib1g-dev libssl-dev libhiredis-dev libexpat1-dev libgoogle-perftools-dev pkg-config make

# Packages for the tests only: the browser for the console, and the engine that hosts share. Without an engine its tests
# are skipped and say so; in CI they fail.
deps-test:
	@scripts/install-packages chromium
	@command -v redis-server >/dev/null || command -v valkey-server >/dev/null || scripts/install-packages redis-server || \
		echo "no redis-server: the tests of a fleet are skipped" >&2

# Packages for a machine that only runs the binary.
deps-runtime:
	@scripts/install-packages libcurl4 libsqlite3-0 libyaml-0-2 zlib1g libssl3 libexpat1 libtcmalloc-minimal4 ca-certificates

check-swift:
	@scripts/check-swift

# Installs what `make build` made. An edited configuration is not overwritten.
install:
	@test -x $(BINARY) || { echo "make build comes first" >&2; exit 1; }
	install -D -m 0755 $(BINARY) $(DESTDIR)$(PREFIX)/bin/larder
	install -D -m 0644 man/larder.1 $(DESTDIR)$(PREFIX)/share/man/man1/larder.1
	install -D -m 0644 -t $(DESTDIR)$(PREFIX)/share/doc/larder config/larder.yaml LICENSE NOTICE THIRD-PARTY-NOTICES
	install -D -m 0644 -t $(DESTDIR)$(PREFIX)/share/doc/larder/examples config/grafana/larder.json config/prometheus/alerts.yml \
		$(wildcard config/providers.d/*.yaml)
	test -e $(DESTDIR)$(SYSCONFDIR)/larder/larder.yaml || \
		install -D -m 0644 config/larder.yaml $(DESTDIR)$(SYSCONFDIR)/larder/larder.yaml
	install -D -m 0644 systemd/larder.socket $(DESTDIR)$(UNITDIR)/larder.socket
	install -D -m 0644 systemd/larder.service $(DESTDIR)$(UNITDIR)/larder.service
	sed -i -e 's|/usr/bin/larder|$(PREFIX)/bin/larder|' -e 's|/etc/larder/|$(SYSCONFDIR)/larder/|' \
		$(DESTDIR)$(UNITDIR)/larder.service
	mkdir -p $(DESTDIR)$(PREFIX)/share/bash-completion/completions $(DESTDIR)$(PREFIX)/share/zsh/site-functions \
		$(DESTDIR)$(PREFIX)/share/fish/vendor_completions.d
	$(BINARY) completions fish > $(DESTDIR)$(PREFIX)/share/fish/vendor_completions.d/larder.fish
	$(BINARY) completions bash > $(DESTDIR)$(PREFIX)/share/bash-completion/completions/larder
	$(BINARY) completions zsh > $(DESTDIR)$(PREFIX)/share/zsh/site-functions/_larder

# Keeps configuration, cache and state.
uninstall:
	rm -f $(DESTDIR)$(PREFIX)/bin/larder $(DESTDIR)$(PREFIX)/share/man/man1/larder.1 \
		$(addprefix $(DESTDIR)$(PREFIX)/share/doc/larder/,larder.yaml LICENSE NOTICE THIRD-PARTY-NOTICES examples/larder.json \
		examples/alerts.yml $(addprefix examples/,$(notdir $(wildcard config/providers.d/*.yaml)))) \
		$(DESTDIR)$(UNITDIR)/larder.socket $(DESTDIR)$(UNITDIR)/larder.service \
		$(DESTDIR)$(PREFIX)/share/bash-completion/completions/larder \
		$(DESTDIR)$(PREFIX)/share/zsh/site-functions/_larder \
		$(DESTDIR)$(PREFIX)/share/fish/vendor_completions.d/larder.fish

deb: build
	@scripts/install-packages binutils dpkg-dev
	scripts/make-deb

dist: build
	@scripts/install-packages binutils
	scripts/make-dist

# Full tests need root, a fresh Debian and systemd. The script reports the tests that it leaves out.
test-deb: deb
	@scripts/install-packages debootstrap lintian systemd-container
	scripts/test-deb

bench: build
	scripts/bench

profile: build
	scripts/profile

# Runs public tools from the network, in temporary folders. Not part of CI.
public-testers: deps check-swift
	@scripts/install-packages python3-venv curl
	LARDER_PUBLIC_TESTERS=1 scripts/test --filter PublicTesterScenarios
	scripts/public-testers/axe

check-hot-path: build
	scripts/check-hot-path

fuzz: deps check-swift
	scripts/fuzz --record 60

soak: deps check-swift
	scripts/soak

# The date of the last run without a finding appears in the table of `make bench`.
sanitize: deps check-swift
	scripts/sanitize --whole thread
	scripts/sanitize --whole address
	echo "$$(date -u +%F): whole suite under both" > .build/sanitizers

lint:
	scripts/check-format
	scripts/check-imports
	scripts/check-house-rules

units: build
	scripts/check-units $(CURDIR)/$(BINARY)

# Generates the pages from the tables of settings and subcommands. Tests compare the committed pages with them.
docs: conformance routes
docs man: build
	mkdir -p man config Docs
	$(BINARY) help --man > man/larder.1
	$(BINARY) params --yaml > config/larder.yaml
	$(BINARY) params --markdown > Docs/configuration.md

# Generates the page about conformance from the tables of its tests.
conformance: deps check-swift
	LARDER_WRITE_CONFORMANCE=$(CURDIR)/Docs/conformance.md scripts/test --filter ConformancePageTests

# Generates the reference of the routes from their records.
routes: deps check-swift
	LARDER_WRITE_REFERENCE=$(CURDIR)/Docs/reference.md scripts/test --filter RouteReferencePageTests

clean:
	rm -rf .build
