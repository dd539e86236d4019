#!/usr/bin/env python3
"""octet-gateway beside nginx, in one run: CPU and memory of the proxy, requests per second.

Usage: bench.py [--write FILE] [--list]

nginx and octet-gateway take turns every half second, so that a slow minute of the machine hits both;
a round adds up the slices of each, and the figure that counts is the median of the rounds' ratios.
Settings, as environment:

  BENCH_SECONDS          seconds that each proxy is measured in one round (3)
  BENCH_ROUNDS           number of rounds (3)
  BENCH_ROWS             only rows whose name matches this regular expression, case ignored
  OCTET_GATEWAY_COMMAND  what is run as octet-gateway (.build/release/octet-gateway)

Without --write the tables go to standard output. Ends with 1 if any request of any row failed.
"""

import argparse
import contextlib
import os
import re
import resource
import shutil
import sys

import measure
import report
import rows
import servers


SIDES = ("nginx", "octet-gateway")


@contextlib.contextmanager
def both(bench, row):
    """The two proxies, freshly started, each of them answering as the upstream does."""
    proxies = []
    try:
        for which in SIDES:
            proxies.append(bench.start_proxy(which, row.tls, row.workers, row.logging))
            measure.check_reply(bench, proxies[-1], row)
        yield proxies
    finally:
        for proxy in proxies:
            proxy.stop()


def measure_row(bench, row, rounds, seconds):
    """[(nginx sample, octet-gateway sample)], a pair for each round."""
    if row.kind == "idle":  # each round needs the memory of a fresh process
        pairs = []
        for _ in range(rounds):
            with both(bench, row) as proxies:
                pairs.append(tuple(measure.idle(bench, proxy, row) for proxy in proxies))
        return pairs
    with both(bench, row) as proxies:
        return {"load": measure.load, "connect": measure.connect}[row.kind](bench, proxies, row, rounds, seconds)


def run(bench, chosen, rounds, seconds):
    results, started_for = [], None
    for row in chosen:
        core_list = servers.cores(row.workers)[1]
        if bench.upstream is None or started_for != core_list:
            if bench.upstream:
                bench.upstream.stop()
            bench.start_upstream(core_list)
            started_for = core_list
        pairs = measure_row(bench, row, rounds, seconds)
        results.append((row, pairs))
        figure = "bytes" if row.kind == "idle" else "us"
        line = (f"{number_of(results, chosen)} {report.mark(row, pairs)}: {figure} nginx "
                f"{report.number(report.median(pairs, 0, figure))}, ours {report.number(report.median(pairs, 1, figure))}, "
                f"ratio {report.ratio_text(pairs, figure)}")
        print(line.replace("*", ""), file=sys.stderr, flush=True)
        for failure in report.failed(pairs):
            print(f"    {failure}", file=sys.stderr, flush=True)
    return results


def number_of(results, chosen):
    return f"[{len(results)}/{len(chosen)}]"


def setup():
    """What every run needs: descriptors, and the programs."""
    hard = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    wanted = 16384 if hard == resource.RLIM_INFINITY else min(hard, 16384)
    resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, hard))
    if wanted < 8192:
        print(f"only {wanted} file descriptors allowed; rows of 1000 connections may fail", file=sys.stderr)
    for program in ("h2load", "openssl", "taskset", servers.NGINX):
        if not shutil.which(program):
            raise SystemExit(f"bench: {program} is missing; run make deps-bench")
    bench = servers.Bench()
    if not shutil.which(bench.gateway_command[0]):
        bench.close()
        raise SystemExit(f"bench: {bench.gateway_command[0]} is missing; run make build")
    return bench


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--write", metavar="FILE", help="put the tables between the markers in FILE")
    parser.add_argument("--list", action="store_true", help="print the rows' names and stop")
    arguments = parser.parse_args()
    settings = {name: os.environ[name] for name in ("BENCH_SECONDS", "BENCH_ROUNDS", "BENCH_ROWS") if os.environ.get(name)}
    pattern = re.compile(settings.get("BENCH_ROWS", ""), re.IGNORECASE)
    chosen = [row for row in rows.ALL if pattern.search(row.name)]
    if arguments.list:
        print("\n".join(row.name for row in chosen))
        return 0
    if not chosen:
        raise SystemExit("bench: no row matches BENCH_ROWS; --list shows them")
    seconds, rounds = float(settings.get("BENCH_SECONDS", 3)), int(settings.get("BENCH_ROUNDS", 3))

    bench = setup()
    try:
        text = report.facts(bench, settings)
        results = run(bench, chosen, rounds, seconds)
    finally:
        bench.close()
    text += "\n\n" + report.tables(results)
    if arguments.write:
        report.write(arguments.write, text)
    else:
        print(text)
    return 1 if any(report.failed(pairs) for _, pairs in results) else 0


if __name__ == "__main__":
    sys.exit(main())
