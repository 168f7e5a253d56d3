# Shared by the tests of this directory; sourced, never run. Each behaviour is a line "ok NAME" or "not ok NAME".

failed=0

check() { # check NAME COMMAND… : the command succeeds; fails as it does
  local name=$1 told
  shift
  if told=$("$@" 2>&1); then
    echo "ok $name"
  else
    failed=1
    printf 'not ok %s\n%s\n' "$name" "$told"
    return 1
  fi
}

stop() { # stop TEXT : nothing that follows could be told
  echo "stopped: $1"
  exit 1
}

refuses() { ! "$@"; }

contains() { # contains TEXT COMMAND… : the command prints the text, however it ends
  local text=$1 told
  shift
  told=$("$@" 2>&1) || true
  [[ $told == *"$text"* ]] || { printf 'no "%s" in:\n%s\n' "$text" "$told" && false; }
}

eventually() { # eventually COMMAND… : succeeds within 20 s
  local _
  for _ in {1..200}; do
    "$@" > /dev/null 2>&1 && return
    sleep 0.1
  done
  echo "not within 20 s: $*"
  "$@"
}

# As a user's login shell would run it.
as() { runuser -l "$1" -c "$2"; }

is_jpeg() { [[ $(head -c 2 "$1" | od -An -tx1) == " ff d8" ]]; }

add_users() {
  useradd --create-home --shell /bin/bash ada
  usermod -aG video ada
  useradd --create-home --shell /bin/bash bob
}
