"""Starts and stops what a run needs: certificates, the upstream, and the two proxies."""

import contextlib
import os
import pathlib
import shlex
import shutil
import signal
import socket
import subprocess
import tempfile
import time

import nginx

HERE = pathlib.Path(__file__).resolve().parent
NGINX = shutil.which("nginx") or "/usr/sbin/nginx"
GATEWAY = "octet-gateway"


def cores(workers):
    """Which cores the proxy and everything else get, as taskset lists; None leaves a side free.

    A proxy of one worker has core 0 for itself. With more workers it has as many cores of its own
    if at least as many are left for the load; else (two workers on two cores) nothing is pinned.
    """
    count = os.cpu_count() or 1
    if count < 2 * workers:
        return None, None
    return (f"0-{workers - 1}" if workers > 1 else "0"), f"{workers}-{count - 1}"


def pinned(core_list, command):
    return (["taskset", "-c", core_list] if core_list else []) + command


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


class Server:
    """One started program and the process ids below it."""

    def __init__(self, name, command, port, log_path):
        self.name, self.port, self.log_path = name, port, log_path
        self.output = open(log_path, "wb")
        self.process = subprocess.Popen(
            command, stdin=subprocess.DEVNULL, stdout=self.output, stderr=subprocess.STDOUT)
        self.wait_until_listening()

    def wait_until_listening(self, seconds=15):
        deadline = time.monotonic() + seconds
        while time.monotonic() < deadline:
            if self.process.poll() is not None:
                break
            with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", self.port), 1):
                return
            time.sleep(0.02)
        self.stop()
        raise SystemExit(f"{self.name} did not start:\n{pathlib.Path(self.log_path).read_text()}")

    def pids(self):
        """The program and all its descendants."""
        parents = {}
        for entry in os.listdir("/proc"):
            if entry.isdigit():
                with contextlib.suppress(OSError), open(f"/proc/{entry}/stat") as stat:
                    parents[int(entry)] = int(stat.read().rsplit(")", 1)[1].split()[1])
        found = [self.process.pid]
        for pid in found:
            found += [child for child, parent in parents.items() if parent == pid]
        return found

    def stop(self):
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGTERM)
            try:
                self.process.wait(10)
            except subprocess.TimeoutExpired:
                for pid in reversed(self.pids()):
                    os.kill(pid, signal.SIGKILL)
                self.process.wait()
        self.output.close()


class Bench:
    """A temporary directory with certificates and a running upstream."""

    def __init__(self):
        self.directory = pathlib.Path(tempfile.mkdtemp(prefix="octet-bench-"))
        self.directory.chmod(0o755)  # nginx workers drop to another user
        self.serial = 0
        self.gateway_command = shlex.split(
            os.environ.get("OCTET_GATEWAY_COMMAND", ".build/release/octet-gateway"))
        self.make_certificates()
        self.plain_port, self.tls_port = free_port(), free_port()
        self.upstream = None

    def make_certificates(self):
        def openssl(*arguments):
            subprocess.run(["openssl", *arguments], check=True, capture_output=True)

        at = lambda name: str(self.directory / name)
        curve = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days", "30"]
        openssl("req", "-x509", *curve, "-subj", "/CN=Benchmark CA", "-keyout", at("ca.key"), "-out", at("ca.pem"))
        for name, host in (("upstream", nginx.UPSTREAM_NAME), ("front", "localhost")):
            openssl(
                "req", "-x509", "-CA", at("ca.pem"), "-CAkey", at("ca.key"), *curve, "-subj", f"/CN={host}",
                "-addext", f"subjectAltName=DNS:{host},IP:127.0.0.1", "-addext", "basicConstraints=critical,CA:FALSE",
                "-keyout", at(f"{name}.key"), "-out", at(f"{name}.pem"))

    def own_directory(self, name):
        self.serial += 1
        directory = self.directory / f"{self.serial}-{name}"
        directory.mkdir()
        return directory

    def start_upstream(self, core_list):
        directory = self.own_directory("upstream")
        (directory / "reply.json").write_text(nginx.REPLY)
        text = nginx.upstream(
            directory, self.plain_port, self.tls_port, self.directory / "upstream.pem", self.directory / "upstream.key")
        self.upstream = self.start_nginx("upstream", directory, text, self.plain_port, core_list)

    def start_nginx(self, name, directory, text, port, core_list):
        (directory / "nginx.conf").write_text(text)
        command = [NGINX, "-p", str(directory), "-e", str(directory / "error.log"), "-c", str(directory / "nginx.conf")]
        return Server(name, pinned(core_list, command), port, directory / "output.log")

    def start_proxy(self, which, tls, workers, logging):
        """`which` is "nginx" or "octet-gateway"; TLS is on both of its sides or on neither."""
        directory, port = self.own_directory(which), free_port()
        log = directory / "access.log" if logging else None
        front = (self.directory / "front.pem", self.directory / "front.key") if tls else (None, None)
        core_list = cores(workers)[0]
        if which == "nginx":
            text = nginx.gateway(
                directory, port, *front, workers, log, tls, self.tls_port if tls else self.plain_port,
                self.directory / "ca.pem")
            return self.start_nginx(which, directory, text, port, core_list)
        config = directory / "gateway.conf"
        config.write_text(self.gateway_config(port, *front, workers, log))
        command = [*self.gateway_command, "serve", "--config", str(config)]
        return Server(which, pinned(core_list, command), port, directory / "output.log")

    def gateway_config(self, port, certificate, key, workers, log):
        listen = f'certificate = "{certificate}" certificate_key = "{key}"' if certificate else ""
        if certificate:
            route = f'upstream = "https://{nginx.UPSTREAM_NAME}/v1/"'
            reach = (f'upstream_ca_file = "{self.directory / "ca.pem"}"\n'
                     f'connect_to = {{"{nginx.UPSTREAM_NAME}:443:127.0.0.1:{self.tls_port}"}}\n')
        else:
            route = f'upstream = "http://127.0.0.1:{self.plain_port}/v1/" plain_upstream = true'
            reach = ""
        return (f'prefix = "/octet"\nlisten "127.0.0.1:{port}" {{ {listen} }}\nworkers = {workers}\n'
                f'route "/v1/" {{ {route} }}\n{reach}'
                f'access_log = "{log or "off"}"\nconnection_limit = 8192\n'
                # nginx keeps idle upstream connections for 60 s; a pause between turns must not cost either its pool.
                f'upstream_keep_alive_timeout = 60s\n')

    def close(self):
        if self.upstream:
            self.upstream.stop()
        shutil.rmtree(self.directory, ignore_errors=True)
