#!/usr/bin/env python3
"""nginx behind octet-gateway's command line: `standin.py serve --config FILE`.

With OCTET_GATEWAY_COMMAND set to this file, both sides of the benchmark are the same nginx, so
every ratio should be 1.00; what it is instead is the noise of the method on this machine. STANDIN_BUFFERING
and STANDIN_REQUEST_BUFFERING change nginx's settings on this side, to find which serve nginx best.
"""

import os
import pathlib
import re
import sys

import nginx
import servers


def main():
    if sys.argv[1:3] != ["serve", "--config"] or len(sys.argv) != 4:
        raise SystemExit("usage: standin.py serve --config FILE")
    path = pathlib.Path(sys.argv[3])
    text = path.read_text()

    def value(pattern):
        match = re.search(pattern, text)
        return match and match.group(1)

    nginx.BUFFERING = os.environ.get("STANDIN_BUFFERING", nginx.BUFFERING)
    nginx.REQUEST_BUFFERING = os.environ.get("STANDIN_REQUEST_BUFFERING", nginx.REQUEST_BUFFERING)
    tls = value(r'connect_to = \{".*:(\d+)"\}')
    plain = value(r'upstream = "http://127\.0\.0\.1:(\d+)/')
    log = value(r'access_log = "(.*)"')
    config = path.with_name("nginx.conf")
    config.write_text(nginx.gateway(
        path.parent, value(r'listen "127\.0\.0\.1:(\d+)"'), value(r' certificate = "(.*?)"'),
        value(r'certificate_key = "(.*?)"'), value(r"workers = (\d+)"), None if log == "off" else log,
        bool(tls), tls or plain, value(r'upstream_ca_file = "(.*)"')))
    os.execv(servers.NGINX, [servers.NGINX, "-p", str(path.parent), "-e", str(path.parent / "error.log"), "-c", str(config)])


main()
