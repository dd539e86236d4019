"""client.py PORT CA PLAN: sends each call of a plan by urllib3 and prints what came back."""

import base64
import sys

import urllib3

port, authorities, plan = int(sys.argv[1]), sys.argv[2], sys.argv[3]
pool = urllib3.HTTPSConnectionPool(
    "localhost", port, ca_certs=authorities, cert_reqs="CERT_REQUIRED", maxsize=1, block=True, retries=False, timeout=30
)


def pieces(content):
    """The content in pieces of odd sizes, as a stream gives them."""
    for start in range(0, len(content), 7001):
        yield content[start : start + 7001]


for line in open(plan, encoding="utf-8"):
    name, method, target, framing, path, *fields = line.rstrip("\n").split("\t")
    content = None if framing == "none" else open(path, "rb").read()
    if framing == "stream":
        content = pieces(content)
    response = pool.urlopen(
        method,
        target,
        body=content,
        headers=dict(field.split(": ", 1) for field in fields),
        chunked=framing == "stream",
        redirect=False,
        preload_content=False,
        decode_content=False,
    )
    received = response.read(decode_content=False)
    response.release_conn()
    print("answer", name, response.status, response.reason)
    for field in response.headers.iteritems():
        print("field %s: %s" % field)
    print("content", len(received), base64.b64encode(received).decode())
print("connections", pool.num_connections)
