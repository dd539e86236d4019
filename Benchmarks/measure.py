"""One measurement of one proxy: CPU, requests, failures, memory."""

import contextlib
import dataclasses
import http.client
import re
import signal
import socket
import ssl
import subprocess
import time

import nginx
import servers

SLICE = 0.5  # seconds that one proxy runs before it is the other's turn
SETTLE = 0.1  # seconds after which a proxy has nothing to do once its load is paused
BATCH = 250  # new connections before it is the other's turn
H2LOAD = ["h2load", "--h1", "-t", "1", "--tls13-ciphers", "TLS_AES_128_GCM_SHA256"]


@dataclasses.dataclass
class Sample:
    figures: dict  # name to number, see bench.py for the names
    failures: str = ""  # empty when every request was answered with a 2xx


def cpu_seconds(pids):
    """User and system time of whole processes, all threads, ended ones too, in nanosecond resolution.

    The clock id is Linux's encoding of another process's CPU clock, as clock_getcpuclockid makes it.
    """
    try:
        return sum(time.clock_gettime((~pid << 3) | 2) for pid in pids)
    except OSError as error:
        raise SystemExit("bench: a process of the proxy ended while it was measured") from error


def resident_bytes(pids):
    """Resident memory; a page that several of the processes share counts once (proportional set size)."""
    total = 0
    for pid in pids:
        with open(f"/proc/{pid}/smaps_rollup") as rollup:
            total += int(re.search(r"^Pss:\s+(\d+) kB", rollup.read(), re.M).group(1)) * 1024
    return total


def upstream_requests(bench):
    """How many requests reached the upstream, from its own counter; this question counts too."""
    client = http.client.HTTPConnection("127.0.0.1", bench.plain_port, timeout=10)
    client.request("GET", "/count")
    text = client.getresponse().read().decode()
    client.close()
    return int(text.split("requests\n")[1].split()[2])


def check_reply(bench, proxy, row):
    """One request by hand: the reply must be the upstream's, before speed means anything."""
    if row.tls:
        context = ssl.create_default_context(cafile=str(bench.directory / "ca.pem"))
        client = http.client.HTTPSConnection("127.0.0.1", proxy.port, context=context, timeout=10)
    else:
        client = http.client.HTTPConnection("127.0.0.1", proxy.port, timeout=10)
    with contextlib.closing(client):
        client.request("POST" if row.body else "GET", row.path, body=b"x" * row.body or None)
        reply = client.getresponse()
        if reply.status != 200 or reply.read().decode() != nginx.REPLY:
            raise SystemExit(f"{proxy.name}: {row.name}: answered {reply.status} with other content")


def start_h2load(bench, proxy, row, options):
    command = [*H2LOAD, "-c", str(row.connections), *options]
    if row.body:
        path = bench.directory / f"body-{row.body}"
        if not path.exists():
            path.write_bytes(b"x" * row.body)
        command += ["-d", str(path)]
    command.append(f"http{'s' if row.tls else ''}://127.0.0.1:{proxy.port}{row.path}")
    return subprocess.Popen(
        servers.pinned(servers.cores(row.workers)[1], command), stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT)


def failures_in(output, expected=None):
    """What h2load counted as not succeeded; anything it did not say is a failure as well."""
    counts = re.search(
        r"requests: (\d+) total, \d+ started, (\d+) done, (\d+) succeeded, (\d+) failed, (\d+) errored, (\d+) timeout",
        output)
    statuses = re.search(r"status codes: (\d+) 2xx", output)
    if not counts or not statuses:
        return "h2load gave no counts: " + output[-300:]
    total, done, succeeded, failed, errored, timeout = map(int, counts.groups())
    if failed or errored or timeout or succeeded != done or done == 0 or int(statuses.group(1)) < succeeded:
        return f"{counts.group(0)}; {statuses.group(0)}"
    if expected is not None and done != expected:
        return f"{done} of {expected} requests done"
    return ""


class Generator:
    """h2load on one proxy, stopped and continued by signals: its connections outlive the pauses."""

    def __init__(self, bench, proxy, row, seconds):
        self.bench, self.proxy, self.pids = bench, proxy, proxy.pids()
        self.requests, self.cpu, self.seconds = 0, 0.0, 0.0
        options = ["-D", f"{int(seconds * 1000)}ms", "--warm-up-time", "100ms"]
        self.process = start_h2load(bench, proxy, row, options)

    def pause(self):
        self.process.send_signal(signal.SIGSTOP)
        time.sleep(SETTLE)

    def slice(self, seconds):
        """Runs for a while. CPU and the upstream's counter are read while paused, before and after:
        then what was half done at the beginning stands against what is half done at the end."""
        requests, cpu = upstream_requests(self.bench), cpu_seconds(self.pids)
        self.process.send_signal(signal.SIGCONT)
        start = time.monotonic()
        time.sleep(seconds)
        self.process.send_signal(signal.SIGSTOP)
        self.seconds += time.monotonic() - start
        time.sleep(SETTLE)  # what is under way ends
        # The second question is the one request that no proxy sent.
        self.requests += upstream_requests(self.bench) - requests - 1
        self.cpu += cpu_seconds(self.pids) - cpu

    def take(self):
        """The figures since the last call."""
        count, cpu, seconds = self.requests, self.cpu, self.seconds
        self.requests, self.cpu, self.seconds = 0, 0.0, 0.0
        failures = "" if count > 0 else "no request was answered"
        return Sample(figures(cpu, max(count, 1), seconds), failures)

    def finish(self):
        self.process.send_signal(signal.SIGCONT)
        return failures_in(finish(self.process, 30))


def figures(cpu, count, seconds):
    return {"us": cpu / count * 1e6, "per_second": count / seconds, "core": cpu / seconds}


def load(bench, proxies, row, rounds, seconds):
    """Load on both proxies in turn, on connections that stay.

    Short slices even out the machine's moods; uploads too large to end within one get long ones.
    """
    slices = 1 if row.body > 100_000 else max(1, round(seconds / SLICE))
    length = seconds / slices
    warm_up = 1 + row.connections / 400
    total = 2 * (warm_up + 1) + 2 * rounds * slices * (length + 3 * SETTLE) + 5
    generators, pairs = [], []
    try:
        for proxy in proxies:
            generators.append(Generator(bench, proxy, row, total))
            time.sleep(warm_up)
            generators[-1].pause()
        for _ in range(rounds):
            for _ in range(slices):
                for generator in generators:
                    generator.slice(length)
            pairs.append(tuple(generator.take() for generator in generators))
    finally:
        failures = [generator.finish() for generator in generators]
    for sample, failure in zip(pairs[-1], failures):
        sample.failures = sample.failures or failure
    return pairs


def connect(bench, proxies, row, rounds, seconds):
    """A new connection, with a full handshake, for each request."""
    def batch(proxy):
        pids = proxy.pids()
        cpu, start = cpu_seconds(pids), time.monotonic()
        output = finish(start_h2load(bench, proxy, row, ["-n", str(BATCH), "-H", "connection: close"]), 60)
        return cpu_seconds(pids) - cpu, time.monotonic() - start, failures_in(output, BATCH)

    def total(batches):
        cpu, passed, failures = zip(*batches)
        return Sample(figures(sum(cpu), BATCH * len(batches), sum(passed)), next(filter(None, failures), ""))

    for proxy in proxies:
        batch(proxy)
    pairs = []
    for _ in range(rounds):
        turns = [[batch(proxy) for proxy in proxies] for _ in range(max(1, round(seconds * 1000 / BATCH)))]
        pairs.append(tuple(total(side) for side in zip(*turns)))
    return pairs


def finish(generator, seconds):
    try:
        return generator.communicate(timeout=seconds)[0].decode(errors="replace")
    except subprocess.TimeoutExpired:
        generator.kill()
        return generator.communicate()[0].decode(errors="replace")


def idle(bench, proxy, row):
    """Resident memory for each idle client connection that has had one answer. Needs a fresh proxy."""
    pids = proxy.pids()
    opened, context = [], ssl.create_default_context(cafile=str(bench.directory / "ca.pem"))

    def open_one():
        client = socket.create_connection(("127.0.0.1", proxy.port), 10)
        client = context.wrap_socket(client, server_hostname="127.0.0.1") if row.tls else client
        opened.append(client)
        client.sendall(f"GET {row.path} HTTP/1.1\r\nHost: localhost\r\n\r\n".encode())
        reply = b""
        while not reply.endswith(nginx.REPLY.encode()):
            octets = client.recv(65536)
            if not octets:
                return False
            reply += octets
        return reply.startswith(b"HTTP/1.1 200 ")

    start = resident_bytes(pids)
    good = all([open_one() for _ in range(20)])
    time.sleep(0.2)
    before = resident_bytes(pids)
    good = all([open_one() for _ in range(row.connections)]) and good
    time.sleep(0.5)
    after = resident_bytes(pids)
    for client in opened:
        client.close()
    return Sample(
        {"bytes": (after - before) / row.connections, "start": start}, "" if good else "a reply was missing or not 200")
