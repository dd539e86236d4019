"""The rows of the benchmark: what is sent, over what, how much of it at once."""

import dataclasses


@dataclasses.dataclass(frozen=True)
class Row:
    kind: str  # "load": requests on kept connections; "connect": one request each; "idle": memory
    body: int = 0  # octets of the POST body; 0 is a GET
    tls: bool = True  # to the client and to the upstream
    connections: int = 64
    workers: int = 1
    logging: bool = False

    @property
    def name(self):
        """What BENCH_ROWS is matched against."""
        way = "TLS" if self.tls else "plain"
        if self.kind == "idle":
            return f"idle memory, {way}"
        if self.kind == "connect":
            return f"new connections, {way}, {self.connections} at once, {workers_text(self.workers)}"
        size = f"{self.body // 1024} KiB" if self.body else "300 B"
        return (f"{'POST' if self.body else 'GET'} {size}, {way}, {self.connections} conn, "
                f"{workers_text(self.workers)}{', logging' if self.logging else ''}")

    @property
    def path(self):
        return "/octet/v1/post" if self.body else "/octet/v1/get"


def workers_text(count):
    return f"{count} worker{'s' if count > 1 else ''}"


SHAPES = [(0, False), (0, True), (4096, True), (262_144, True)]

ALL = [
    *[Row("load", body, tls, connections, workers)
      for workers in (1, 2) for connections in (64, 1000) for body, tls in SHAPES],
    *[Row("load", body, tls, logging=True) for body, tls in SHAPES if body < 100_000],
    Row("connect", connections=16),
    Row("idle", tls=False, connections=1000),
    Row("idle", tls=True, connections=1000),
]
