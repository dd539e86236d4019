"""Samples to Markdown, and Markdown into docs/BENCHMARKS.md."""

import datetime
import os
import pathlib
import platform
import re
import shlex
import statistics
import subprocess

import nginx
import servers

BEGIN, END = "<!-- bench:begin -->", "<!-- bench:end -->"


def ratios(pairs, figure):
    return [ours.figures[figure] / theirs.figures[figure] for theirs, ours in pairs if theirs.figures[figure]]


def median(pairs, side, figure):
    return statistics.median(pair[side].figures[figure] for pair in pairs)


def ratio_text(pairs, figure):
    """The median of the rounds' ratios, and the lowest and highest of them."""
    values = ratios(pairs, figure)
    return f"**{statistics.median(values):.2f}** ({min(values):.2f}-{max(values):.2f})" if values else "-"


def number(value):
    return f"{value:.1f}" if value < 100 else f"{value:,.0f}"


def failed(pairs):
    """Failures of a row, by proxy."""
    return [f"{name}: {sample.failures}" for pair in pairs
            for name, sample in zip(("nginx", "octet-gateway"), pair) if sample.failures]


def mark(row, pairs):
    return ("FAILED: " if failed(pairs) else "") + row.name


def tables(results):
    """Markdown for `results`, a list of (row, [(nginx sample, our sample), ...])."""
    text = []
    loads = [(row, pairs) for row, pairs in results if row.kind != "idle"]
    if loads:
        text += [
            "CPU is microseconds of the proxy's processes for each request; core is how much of one core they used",
            "meanwhile. Below 1.00 is better for CPU, above 1.00 for requests per second.", "",
            "| row | nginx CPU us | ours CPU us | ours/nginx | nginx req/s | ours req/s | ours/nginx | core nginx, ours |",
            "|---|---|---|---|---|---|---|---|"]
    for row, pairs in loads:
        text.append("| " + " | ".join([
            mark(row, pairs), number(median(pairs, 0, "us")), number(median(pairs, 1, "us")), ratio_text(pairs, "us"),
            f"{median(pairs, 0, 'per_second'):,.0f}", f"{median(pairs, 1, 'per_second'):,.0f}",
            ratio_text(pairs, "per_second"),
            f"{median(pairs, 0, 'core'):.2f}, {median(pairs, 1, 'core'):.2f}"]) + " |")
    idles = [(row, pairs) for row, pairs in results if row.kind == "idle"]
    if idles:
        text += [
            "", "Resident memory; KiB for each idle client connection that has had one answer.", "",
            "| row | nginx KiB | ours KiB | ours/nginx | nginx at start MiB | ours at start MiB |",
            "|---|---|---|---|---|---|"]
    for row, pairs in idles:
        text.append("| " + " | ".join([
            mark(row, pairs), number(median(pairs, 0, "bytes") / 1024), number(median(pairs, 1, "bytes") / 1024),
            ratio_text(pairs, "bytes"), f"{median(pairs, 0, 'start') / 2**20:.1f}",
            f"{median(pairs, 1, 'start') / 2**20:.1f}"]) + " |")
    problems = [f"- {row.name}: {line}" for row, pairs in results for line in failed(pairs)]
    return "\n".join(text + (["", "Failures:", "", *problems] if problems else []))


def first_line(*command):
    """What a program says first, on either stream, without the directory it was started from."""
    try:
        done = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=10)
    except (OSError, subprocess.TimeoutExpired) as error:
        return f"unknown ({type(error).__name__})"
    lines = (done.stdout + done.stderr).strip().splitlines()
    return lines[0] if done.returncode == 0 and lines else "unknown"


def cpu_model():
    match = re.search(r"model name\s*: (.*)", pathlib.Path("/proc/cpuinfo").read_text())
    return match.group(1) if match else platform.machine()


def libcurl_version():
    words = re.search(r"libcurl/\S+", first_line("curl", "--version"))
    return words.group(0) if words else "libcurl unknown"


def facts(bench, settings):
    commit = first_line("git", "-C", str(servers.HERE), "describe", "--always", "--dirty")
    stand_in = "" if "OCTET_GATEWAY_COMMAND" not in os.environ else (
        f"\n- **octet-gateway replaced by** `{pathlib.Path(bench.gateway_command[0]).name}`")
    command = " ".join([f"{name}={shlex.quote(value)}" for name, value in settings.items()] + ["make bench"])
    return f"""- {datetime.date.today().isoformat()}, `{command}`
- octet-gateway {first_line(*bench.gateway_command, "--version")}, commit {commit}{stand_in}
- {first_line(servers.NGINX, "-v")}; {first_line("h2load", "--version")}; {first_line("openssl", "version")}; \
{libcurl_version()}; {first_line("swift", "--version")}
- Linux {platform.release()}, {cpu_model()}, {os.cpu_count()} cores; nginx with \
`proxy_request_buffering {nginx.REQUEST_BUFFERING}`, `proxy_buffering {nginx.BUFFERING}`"""


def write(path, text):
    """Replaces what is between the markers; what people wrote around them stays."""
    path = pathlib.Path(path)
    old = path.read_text() if path.exists() else f"# Benchmarks\n\n{BEGIN}\n{END}\n"
    if old.count(BEGIN) != 1 or old.count(END) != 1:
        raise SystemExit(f"{path}: needs one {BEGIN} and one {END}")
    head, rest = old.split(BEGIN)
    path.write_text(f"{head}{BEGIN}\n{text}\n{END}{rest.split(END)[1]}")
