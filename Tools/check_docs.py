#!/usr/bin/env python3
"""Checks what the Markdown pages promise: links lead to files, make targets exist, shell blocks are shell.

With --run, blocks fenced as ```sh run are executed as well, each from the package's directory.
"""

import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
LINK = re.compile(r"\[[^\]]*\]\(([^)#\s]+)[^)]*\)")
FENCE = re.compile(r"^```(\w[\w ]*)?\n(.*?)^```$", re.S | re.M)
TARGET = re.compile(r"`(?:\w+=\S+ )*make ((?:[a-z][a-z-]*\s?)+)`")


def pages():
    listed = subprocess.run(
        ["git", "ls-files", "*.md"], cwd=ROOT, check=True, capture_output=True, text=True).stdout.split()
    # Test cases are Markdown too, and quote what is wrong on purpose.
    return [ROOT / name for name in listed if not name.startswith(("Tests/", "Fuzz/"))]


def problems(page, targets, run):
    text = page.read_text()
    line_of = lambda position: text.count("\n", 0, position) + 1
    prose = FENCE.sub(lambda match: "\n" * match.group().count("\n"), text)
    for match in LINK.finditer(prose):
        if "://" not in match.group(1) and not (page.parent / match.group(1)).exists():
            yield prose.count("\n", 0, match.start()) + 1, f"no such file: {match.group(1)}"
    for match in TARGET.finditer(prose):
        for target in set(match.group(1).split()) - targets:
            yield prose.count("\n", 0, match.start()) + 1, f"no such make target: {target}"
    for match in FENCE.finditer(text):
        words = (match.group(1) or "").split()
        if not words or words[0] not in ("sh", "bash"):
            continue
        parsed = subprocess.run(["bash", "-n"], input=match.group(2), capture_output=True, text=True)
        if parsed.returncode:
            yield line_of(match.start()), f"not shell: {parsed.stderr.strip()}"
        for name in re.findall(r"^make ([a-z-]+)", match.group(2), re.M):
            if name not in targets:
                yield line_of(match.start()), f"no such make target: {name}"
        if run and words[1:] == ["run"]:
            print(f"{page.relative_to(ROOT)}:{line_of(match.start())}: running", flush=True)
            done = subprocess.run(["bash", "-euo", "pipefail", "-c", match.group(2)], cwd=ROOT, stdin=subprocess.DEVNULL)
            if done.returncode:
                yield line_of(match.start()), f"the block ended with {done.returncode}"


def main():
    targets = set(re.findall(r"^([a-z][a-z-]*):", (ROOT / "Makefile").read_text(), re.M))
    found = [f"{page.relative_to(ROOT)}:{line}: {text}" for page in pages()
             for line, text in problems(page, targets, "--run" in sys.argv)]
    print("\n".join(found) if found else "docs: in order")
    return 1 if found else 0


sys.exit(main())
