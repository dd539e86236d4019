#!/usr/bin/env python3
"""Checks that imports point the way the architecture drawing says. Prints file:line for each that does not.

- A pure core imports the Swift standard library and the cores it declares, nothing else.
- A C library is imported, and depended on, only by the target that wraps it.
- Whatever is imported from this package is declared in Package.swift.
- octet-gateway links none of the peers that exist for the demo and the tests.

Usage: check_imports.py [PACKAGE_DIRECTORY [DESCRIPTION.json]]; the description is that of
`swift package describe --type json`, which is run when no file is given.
"""

import json
import pathlib
import re
import subprocess
import sys

CORES = {"HTTPMessage", "HTTP1", "Routing", "FieldPolicy", "OriginPool", "Exchange", "GatewayConfig"}
STANDARD_LIBRARY = {"Swift"}
OWNERS = {
    "CCurl": {"OriginClient", "url-session-client"},  # the latter is a program of the tests
    "COpenSSL": {"TLSEngine", "ScriptedPeers", "ProofMaker"},
    "CConfuse": {"ConfigReader"},
}
COMMAND, NEVER_LINKED = "octet-gateway", {"ScriptedPeers", "ProofMaker"}
IMPORT = re.compile(
    r"^\s*(?:@\w+(?:\([^)]*\))?\s+)*(?:(?:public|package|internal|fileprivate|private)\s+)?"
    r"import\s+(?:(?:struct|class|enum|protocol|func|var|let|typealias|actor)\s+)?(\w+)")


def imports(text):
    """(line number, module) of each import; those in comments and multi-line strings do not count."""
    text = re.sub(r"/\*.*?\*/", lambda match: "\n" * match.group().count("\n"), text, flags=re.S)
    in_string = False
    for number, line in enumerate(text.split("\n"), 1):
        if not in_string:
            for statement in line.split("//")[0].split(";"):
                match = IMPORT.match(statement)
                if match:
                    yield number, match.group(1)
        if line.count('"""') % 2:
            in_string = not in_string


def owns(target, library):
    """A wrapper's own tests may look at what it wraps."""
    return target.removesuffix("Tests") in OWNERS[library]


def objection(target, module, declared, targets):
    """Why `target` may not import `module`; None if it may."""
    if target in CORES and module not in STANDARD_LIBRARY and not (module in CORES and module in declared):
        return f"pure core {target} imports {module}"
    if module in OWNERS and not owns(target, module):
        return f"{target} imports {module}, which belongs to {', '.join(sorted(OWNERS[module]))}"
    if module in targets and module not in declared and module != target:
        return f"{target} imports {module} without declaring it in Package.swift"
    return None


def closure(name, targets):
    found = [name]
    for target in found:
        found += [other for other in targets.get(target, ()) if other not in found]
    return set(found)


def manifest_line(root, name):
    lines = (root / "Package.swift").read_text().split("\n")
    start = next((i for i, line in enumerate(lines) if line.strip().startswith("targets:")), 0)
    return next((i + 1 for i in range(start, len(lines)) if f'"{name}"' in lines[i]), 1)


def violations(root, description):
    targets = {target["name"]: target.get("target_dependencies") or [] for target in description["targets"]}
    for name, declared in targets.items():
        place = f"Package.swift:{manifest_line(root, name)}"
        for other in declared:
            if name in CORES and other not in CORES:
                yield f"{place}: pure core {name} depends on {other}"
            elif other in OWNERS and not owns(name, other):
                yield f"{place}: {name} depends on {other}, which belongs to {', '.join(sorted(OWNERS[other]))}"
    for name in sorted(closure(COMMAND, targets) & NEVER_LINKED):
        yield f"Package.swift:{manifest_line(root, COMMAND)}: {COMMAND} links {name}"
    for target in description["targets"]:
        for path in sorted((root / target["path"]).rglob("*.swift")):
            for number, module in imports(path.read_text()):
                reason = objection(target["name"], module, targets[target["name"]], targets)
                if reason:
                    yield f"{path.relative_to(root)}:{number}: {reason}"
    for core in sorted(CORES - set(targets)):
        yield f"Package.swift:1: the pure core {core} is gone; tell {pathlib.Path(__file__).name}"


def main():
    root = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else ".")
    if len(sys.argv) > 2:
        text = pathlib.Path(sys.argv[2]).read_text()
    else:
        text = subprocess.run(
            ["swift", "package", "--package-path", str(root), "describe", "--type", "json"],
            check=True, capture_output=True, text=True).stdout
    found = list(violations(root, json.loads(text)))
    print("\n".join(found) if found else "imports: as declared")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
