#!/usr/bin/env python3
"""A million requests through octet-gateway; its resident memory must stay level.

GET over TLS and POST bodies of several sizes, in twenty equal parts. Prints memory at the start and after 10, 50 and 100 %, and ends with 1 if it grew by more
than 5 % from 10 % on, or if any request failed.

  SOAK_REQUESTS          number of requests (1000000)
  OCTET_GATEWAY_COMMAND  what is run as octet-gateway (.build/release/octet-gateway)
"""

import os
import sys

import bench as benchmark
import measure
import rows
import servers

PARTS = 20
ALLOWED_GROWTH = 0.05
# Share of the requests, octets of the body (0 is a GET), connections at once. Every part is the whole
# mix, so that memory which any of it needs is there after the first.
MIX = [(0.50, 0, 256), (0.30, 1024, 64), (0.15, 4096, 128), (0.04, 65_536, 32), (0.01, 262_144, 16)]


def part(bench, proxy, index, requests):
    """One part of the mix; text of the first failure, or empty."""
    for share, body, connections in MIX:
        count = max(connections, round(requests * share))
        row = rows.Row("load", body, connections=connections)
        output = measure.finish(measure.start_h2load(bench, proxy, row, ["-n", str(count)]), 600)
        failure = measure.failures_in(output, count)
        if failure:
            return f"part {index + 1}, body {body}: {failure}"
    return ""


def soak(bench, requests):
    bench.start_upstream(servers.cores(1)[1])
    row = rows.Row("load")
    proxy = bench.start_proxy("octet-gateway", tls=True, workers=1, logging=False)
    try:
        measure.check_reply(bench, proxy, row)
        resident, failure = {0: measure.resident_bytes(proxy.pids())}, ""
        print(f"start {resident[0] / 2**20:8.1f} MiB", flush=True)
        for index in range(PARTS):
            failure = part(bench, proxy, index, requests / PARTS)
            if failure:
                break
            percent = (index + 1) * 100 // PARTS
            resident[percent] = measure.resident_bytes(proxy.pids())
            if percent in (10, 50, 100):
                print(f"{percent:4} % {resident[percent] / 2**20:8.1f} MiB", flush=True)
    finally:
        proxy.stop()
    if failure:
        print(f"FAILED: {failure}")
        return 1
    growth = resident[100] / resident[10] - 1
    good = growth <= ALLOWED_GROWTH
    print(f"{'level' if good else 'FAILED'}: {growth:+.1%} from 10 % to 100 % of {requests} requests, "
          f"{ALLOWED_GROWTH:.0%} allowed; parts in MiB: "
          + " ".join(f"{octets / 2**20:.1f}" for octets in resident.values()))
    return 0 if good else 1


def main():
    requests = int(os.environ.get("SOAK_REQUESTS", 1_000_000))
    bench = benchmark.setup()
    try:
        return soak(bench, requests)
    finally:
        bench.close()


if __name__ == "__main__":
    sys.exit(main())
