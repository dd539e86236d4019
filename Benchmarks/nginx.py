"""nginx configurations: the upstream that both proxies face, and nginx as a faithful gateway.

The gateway configuration forwards as exactly as nginx can: the target's tail is taken from the raw
`$request_uri`, slashes stay, unusual field names pass, nothing is rewritten in the response.
"""

UPSTREAM_NAME = "api.octetproof.com"
REPLY = '{"status":"ok","pad":"' + "x" * 276 + '"}'  # 300 octets
assert len(REPLY) == 300

COMMON = """
daemon off;
master_process on;
worker_processes {workers};
worker_rlimit_nofile 20000;
pid {directory}/nginx.pid;
error_log {directory}/error.log error;
events {{ worker_connections 8192; }}
http {{
  client_body_temp_path {directory}/body;
  proxy_temp_path {directory}/proxy;
  fastcgi_temp_path {directory}/fastcgi;
  scgi_temp_path {directory}/scgi;
  uwsgi_temp_path {directory}/uwsgi;
  keepalive_requests 1000000000;
  keepalive_timeout 600s;
  tcp_nodelay on;
  client_max_body_size 8m;
  default_type application/json;
"""


def upstream(directory, plain_port, tls_port, certificate, key):
    """Answers any method with 300 octets, after the whole body was read.

    `return` answers before the body is there, which makes a proxy drop its connection. So the
    mirror module reads the body first; the file module then refuses POST, and `error_page` turns
    that into the reply. `/count` is how many requests arrived (stub_status).
    """
    return COMMON.format(workers=1, directory=directory) + f"""
  access_log off;
  client_body_buffer_size 512k;
  server {{
    listen 127.0.0.1:{plain_port} backlog=8192;
    listen 127.0.0.1:{tls_port} ssl backlog=8192;
    ssl_certificate {certificate};
    ssl_certificate_key {key};
    ssl_protocols TLSv1.2 TLSv1.3;
    ssl_session_cache shared:upstream:10m;
    # One suite for both proxies, whatever order their libraries offer.
    ssl_conf_command Ciphersuites TLS_AES_128_GCM_SHA256;
    root {directory};
    location = /count {{ stub_status; }}
    location = /drained {{ internal; return 204; }}
    location = /reply {{ internal; return 200 '{REPLY}'; }}
    location /v1/get {{ return 200 '{REPLY}'; }}
    location /v1/post {{
      mirror /drained;
      mirror_request_body on;
      error_page 404 405 =200 /reply;
      try_files /reply.json =404;
    }}
  }}
}}
"""


def gateway(directory, port, certificate, key, workers, log, upstream_tls, upstream_port, ca_file):
    """nginx as the gateway. `log` is a path, or None for no access log."""
    listen = f"listen 127.0.0.1:{port}{' ssl' if certificate else ''} backlog=8192;"
    tls = ""
    if certificate:
        tls = f"""
    ssl_certificate {certificate};
    ssl_certificate_key {key};
    ssl_protocols TLSv1.2 TLSv1.3;
    ssl_session_cache shared:clients:10m;"""
    verify = ""
    if upstream_tls:
        verify = f"""
      proxy_ssl_protocols TLSv1.2 TLSv1.3;
      proxy_ssl_verify on;
      proxy_ssl_verify_depth 3;
      proxy_ssl_trusted_certificate {ca_file};
      proxy_ssl_name {UPSTREAM_NAME};
      proxy_ssl_server_name on;
      proxy_ssl_session_reuse on;"""
    scheme = "https" if upstream_tls else "http"
    access_log = f"access_log {log} combined" if log else "access_log off"
    return COMMON.format(workers=workers, directory=directory) + f"""
  {access_log};
  map $request_uri $octet_tail {{
    default "";
    "~^/octet/v1/(?<raw_tail>.*)$" $raw_tail;
  }}
  upstream origin {{ server 127.0.0.1:{upstream_port}; keepalive 1024; keepalive_requests 1000000000; }}
  merge_slashes off;
  underscores_in_headers on;
  ignore_invalid_headers off;
  large_client_header_buffers 8 32k;
  server {{
    {listen}{tls}
    location /octet/v1/ {{
      proxy_pass {scheme}://origin/v1/$octet_tail;
      proxy_http_version 1.1;
      proxy_set_header Connection "";
      proxy_set_header Host {UPSTREAM_NAME};
      proxy_pass_header Server;
      proxy_pass_header Date;
      proxy_redirect off;
      proxy_next_upstream off;
      proxy_request_buffering {REQUEST_BUFFERING};
      proxy_buffering {BUFFERING};
      client_body_buffer_size 64k;
      proxy_read_timeout 300s;{verify}
    }}
    location / {{ return 404; }}
  }}
}}
"""


# Streaming uploads are asked of a gateway; of response buffering nginx gets whichever was faster.
REQUEST_BUFFERING = "off"
BUFFERING = "on"
