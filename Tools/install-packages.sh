#!/bin/bash
# Installs those of the named Debian packages that are missing; does nothing, and needs no rights, when all are there.
set -euo pipefail

missing=()
for package in "$@"; do
  # Not `dpkg -s`: it also succeeds for a package that was removed but not purged.
  state=$(dpkg-query -W -f '${db:Status-Status}' "$package" 2>/dev/null || true)
  [ "$state" = installed ] || missing+=("$package")
done
[ ${#missing[@]} -gt 0 ] || exit 0

echo "installing Debian packages: ${missing[*]}"
as_root=()
if [ "$(id -u)" -ne 0 ]; then
  if ! command -v sudo >/dev/null; then
    echo "not root and no sudo; run as root: apt-get install ${missing[*]}" >&2
    exit 1
  fi
  as_root=(sudo)
fi

# nginx is wanted as a program, not as a service: if it comes with us, keep it from starting.
fresh_nginx=no
if [[ " ${missing[*]} " == *" nginx-light "* ]] && ! command -v nginx >/dev/null && [ ! -x /usr/sbin/nginx ]; then
  fresh_nginx=yes
fi
if [ $fresh_nginx = yes ] && [ -d /run/systemd/system ]; then
  "${as_root[@]}" systemctl mask nginx.service
fi

install() {
  "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get install -q -y --no-install-recommends \
    -o Dpkg::Use-Pty=0 "${missing[@]}" </dev/null
}
# A fresh machine has no package lists yet, or old ones.
compgen -G '/var/lib/apt/lists/*Packages*' >/dev/null || "${as_root[@]}" apt-get update -q
install || { "${as_root[@]}" apt-get update -q && install; }

if [ $fresh_nginx = yes ]; then
  if [ -d /run/systemd/system ]; then
    "${as_root[@]}" systemctl unmask nginx.service
    "${as_root[@]}" systemctl disable nginx.service
  else
    "${as_root[@]}" service nginx stop || true
  fi
fi
