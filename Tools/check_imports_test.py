#!/usr/bin/env python3
"""Self-test of check_imports.py: a small package that is right, then one wrong line for each rule."""

import json
import pathlib
import subprocess
import sys
import tempfile
import unittest

import check_imports

BASE = {
    **{core: [] for core in check_imports.CORES},
    "HTTP1": ["HTTPMessage"],
    "CCurl": [], "COpenSSL": [], "CConfuse": [], "EventLoop": [],
    "OriginClient": ["CCurl", "EventLoop"],
    "TLSEngine": ["COpenSSL"],
    "ScriptedPeers": ["COpenSSL"],
    "Gateway": ["OriginClient", "TLSEngine", "HTTP1"],
    "octet-gateway": ["Gateway"],
    "TLSEngineTests": ["TLSEngine", "COpenSSL"],
}
GOOD = {
    "HTTP1/Parser.swift": "import Swift\npackage import HTTPMessage\n",
    "OriginClient/Handle.swift": "internal import CCurl\nimport EventLoop\nimport Foundation\n",
    "TLSEngineTests/T.swift": "@testable import TLSEngine\nimport COpenSSL\n",
    "Routing/Comment.swift": '/* import Glibc\n*/\n// import Foundation\nlet text = """\nimport Dispatch\n"""\n',
}


def check(files=(), dependencies=()):
    """(exit code, output) of the checker for GOOD with some files and dependencies replaced."""
    targets = {**BASE, **dict(dependencies)}
    with tempfile.TemporaryDirectory() as name:
        root = pathlib.Path(name)
        for path, text in {**GOOD, **dict(files)}.items():
            (root / "Sources" / path).parent.mkdir(parents=True, exist_ok=True)
            (root / "Sources" / path).write_text(text)
        (root / "Package.swift").write_text("targets: [\n" + "".join(f'"{target}",\n' for target in targets) + "]\n")
        description = {"targets": [
            {"name": target, "path": f"Sources/{target}", "target_dependencies": declared}
            for target, declared in targets.items()]}
        (root / "description.json").write_text(json.dumps(description))
        done = subprocess.run(
            [sys.executable, check_imports.__file__, name, str(root / "description.json")],
            capture_output=True, text=True)
    return done.returncode, done.stdout + done.stderr


class CheckImports(unittest.TestCase):
    def assert_refused(self, place, files=(), dependencies=()):
        code, output = check(files, dependencies)
        self.assertEqual(code, 1, output)
        self.assertIn(place, output)
        self.assertEqual(len(output.strip().split("\n")), 1, output)

    def test_a_package_in_order_passes(self):
        self.assertEqual(check(), (0, "imports: as declared\n"))

    def test_a_core_imports_nothing_from_the_system(self):
        for module in ("Foundation", "Glibc", "Dispatch", "Synchronization", "CLinux", "CCurl", "EventLoop"):
            for line in (f"import {module}", f"@preconcurrency internal import {module}", f"import func {module}.f"):
                self.assert_refused("Sources/Exchange/E.swift:3: ", {"Exchange/E.swift": f"// E\n\n{line}\n"})
        self.assert_refused(
            "E.swift:2: ", {"Exchange/E.swift": "#if os(Linux)\n  import Swift; import Glibc\n#endif\n"})

    def test_a_core_imports_only_the_cores_it_declares(self):
        self.assert_refused("Sources/Routing/R.swift:1: ", {"Routing/R.swift": "import HTTPMessage\n"})

    def test_a_core_depends_on_cores_only(self):
        self.assert_refused("Package.swift:", dependencies={"Routing": ["EventLoop"]})

    def test_a_c_library_has_one_door(self):
        for library, owner in (("CCurl", "OriginClient"), ("COpenSSL", "TLSEngine"), ("CConfuse", "ConfigReader")):
            self.assert_refused(owner, {"EventLoop/L.swift": f"import {library}\n"})
            self.assert_refused(owner, dependencies={"EventLoop": [library]})

    def test_imports_are_declared(self):
        self.assert_refused("Sources/TLSEngine/T.swift:2: ", {"TLSEngine/T.swift": "\nimport EventLoop\n"})

    def test_the_command_links_no_peers_even_at_a_distance(self):
        self.assert_refused("octet-gateway links ScriptedPeers", dependencies={"EventLoop": ["ScriptedPeers"]})


if __name__ == "__main__":
    unittest.main()
