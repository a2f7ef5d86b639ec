#!/bin/sh
# Installs Paddock for this user, from a tarball or from this clone. Run it again with a newer tarball to upgrade.
#
#   sh deploy/install.sh [--prefix DIR] [--bin DIR] [--service] [--no-completion] [--no-media] [TARBALL]
#
# Without TARBALL, it makes one of the clone that it lies in. It changes nothing outside the folders that it names.
# Where git and g++ are there, it compiles what reads images natively, which takes about a minute: --no-media leaves it out.
set -eu

prefix="${XDG_DATA_HOME:-$HOME/.local/share}/paddock"
bin="$HOME/.local/bin"
service=no
completion=yes
media=yes
tarball=

fail() {
  echo "install.sh: $1" >&2
  exit 1
}

while [ $# -gt 0 ]; do
  case "$1" in
    --prefix) prefix=${2:?--prefix needs a folder}; shift ;;
    --bin) bin=${2:?--bin needs a folder}; shift ;;
    --service) service=yes ;;
    --no-completion) completion=no ;;
    --no-media) media=no ;;
    --help) sed -n '2,8s/^# \{0,1\}//p' "$0"; exit 0 ;;
    -*) fail "unknown option $1" ;;
    *) tarball=$1 ;;
  esac
  shift
done

command -v node >/dev/null || fail "Node is not there: install Node 20.19 or newer first, from https://nodejs.org"
node -e 'const [a, b] = process.versions.node.split(".").map(Number); process.exit(a > 20 || (a === 20 && b >= 19) ? 0 : 1)' ||
  fail "Node $(node --version) is too old: Paddock needs 20.19 or newer"
command -v npm >/dev/null || fail "npm is not there: it comes with Node"

if [ -z "$tarball" ]; then
  clone=$(cd "$(dirname "$0")/.." && pwd)
  [ -f "$clone/package.json" ] || fail "there is no clone around this script: name a tarball"
  [ -d "$clone/node_modules" ] || (cd "$clone" && npm ci)
  tarball="$clone/$(cd "$clone" && npm pack --silent | tail -n 1)"
fi
[ -f "$tarball" ] || fail "there is no file $tarball"

mkdir -p "$prefix" "$bin"
npm install --prefix "$prefix" --no-fund --no-audit "$tarball"
ln -sf "$prefix/node_modules/.bin/paddock" "$bin/paddock"
echo "Installed paddock $("$bin/paddock" --version) into $prefix, as $bin/paddock"

if [ "$media" = yes ] && [ "$(uname)" = Linux ] && command -v git >/dev/null && command -v "${CXX:-g++}" >/dev/null; then
  echo "Compiling libmtmd, which reads images and recordings natively"
  node "$prefix/node_modules/paddock/native/build-media.js" ||
    echo "install.sh: it could not be compiled, so models with a projector run on WebAssembly" >&2
fi

if [ "$completion" = yes ]; then
  data="${XDG_DATA_HOME:-$HOME/.local/share}"
  config="${XDG_CONFIG_HOME:-$HOME/.config}"
  for place in bash:"$data/bash-completion/completions/paddock" zsh:"$data/zsh/site-functions/_paddock" \
    fish:"$config/fish/completions/paddock.fish"; do
    shell=${place%%:*}
    file=${place#*:}
    command -v "$shell" >/dev/null || continue
    mkdir -p "$(dirname "$file")"
    "$bin/paddock" completion "$shell" >"$file"
    echo "Completion for $shell: $file"
  done
fi

if [ "$service" = yes ]; then
  unit="${XDG_CONFIG_HOME:-$HOME/.config}/systemd/user/paddock.service"
  mkdir -p "$(dirname "$unit")"
  cat >"$unit" <<UNIT
[Unit]
Description=Paddock, an LLM inference server

[Service]
Type=exec
ExecStart=$(command -v node) $prefix/node_modules/.bin/paddock serve
Restart=on-failure
RestartSec=2
TimeoutStopSec=20
KillMode=mixed

[Install]
WantedBy=default.target
UNIT
  echo "Service: $unit. Start it with: systemctl --user enable --now paddock"
fi

case ":$PATH:" in
  *":$bin:"*) ;;
  *) echo "$bin is not in your PATH: add it, or call $bin/paddock" ;;
esac
