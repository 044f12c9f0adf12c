# syntax=docker/dockerfile:1
# A small image of the daemon. Every step is a make target, so a machine without a container engine can run the same
# steps.

FROM swift:6.3-bookworm AS builder
WORKDIR /larder
RUN apt-get update && apt-get install -y --no-install-recommends make && rm -rf /var/lib/apt/lists/*
# Packages first, because they change less often than the sources.
COPY Makefile ./
COPY scripts/install-packages scripts/check-swift scripts/
RUN make deps && rm -rf /var/lib/apt/lists/*
COPY . .
# docker build --build-arg COMMIT="$(git rev-parse --short=12 HEAD)": the context lacks the Git history.
ARG COMMIT
ENV LARDER_COMMIT=$COMMIT
RUN make build && make install DESTDIR=/image PREFIX=/usr

FROM debian:bookworm-slim
COPY --from=builder /larder/Makefile /tmp/larder/Makefile
COPY --from=builder /larder/scripts/install-packages /tmp/larder/scripts/install-packages
RUN apt-get update && apt-get install -y --no-install-recommends make \
    && make -C /tmp/larder deps-runtime \
    && apt-get purge -y --auto-remove make && rm -rf /var/lib/apt/lists/* /tmp/larder \
    && groupadd --system --gid 8787 larder \
    && useradd --system --uid 8787 --gid 8787 --no-create-home --shell /usr/sbin/nologin larder \
    && install -d -o larder -g larder -m 0700 /var/cache/larder /var/lib/larder \
    && install -d -o larder -g larder -m 0755 /run/larder
COPY --from=builder /image/ /

# docker build --build-arg VERSION="$(scripts/package-version)": the script needs the history, which the context lacks.
ARG VERSION=unknown
LABEL org.opencontainers.image.title="Larder" \
    org.opencontainers.image.description="A local HTTP cache in front of public search APIs and your own" \
    org.opencontainers.image.licenses="Apache-2.0" \
    org.opencontainers.image.version="$VERSION"

USER larder
ENV CACHE_DIRECTORY=/var/cache/larder \
    STATE_DIRECTORY=/var/lib/larder \
    RUNTIME_DIRECTORY=/run/larder \
    LARDER_LISTEN="0.0.0.0:8787,unix:/run/larder/larder.sock" \
    LARDER_ALLOWREMOTE=true
# All addresses inside a container are the container's own. The published port decides who can reach them: publish
# 127.0.0.1:8787:8787. The Host check stays on: list the host names that other machines use in LARDER_HOSTNAMES.
EXPOSE 8787
VOLUME ["/var/cache/larder", "/var/lib/larder"]
HEALTHCHECK --interval=30s --timeout=5s --start-period=5s CMD ["larder", "status", "--quiet"]
STOPSIGNAL SIGTERM
ENTRYPOINT ["larder"]
CMD ["serve", "--config", "/etc/larder/larder.yaml"]
