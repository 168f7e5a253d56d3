# Shared by the scripts of this directory; sourced, never run.

set -euo pipefail

vm_scripts=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
project=$(cd "$vm_scripts/../.." && pwd)
# shellcheck disable=SC2034 # not every script uses it
cache=$project/.cache/vm

# die TEXT… : says what went wrong and ends with 125, a status that is the harness's own.
die() {
  printf 'vm: %s\n' "$*" >&2
  exit 125
}

# require TOOL PACKAGE … : ends with an error that names every missing tool's Debian package.
require() {
  local missing=()
  while (($#)); do
    command -v "$1" >/dev/null || missing+=("$2")
    shift 2
  done
  ((${#missing[@]} == 0)) || die "missing tools; install them with: apt-get install ${missing[*]}"
}
