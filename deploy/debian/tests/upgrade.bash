# An upgrade, with one before it that fails half way; sourced by lifecycle, never run.

# From the folder as a repository of apt's.
upgrade_from_repository() {
  echo "deb [signed-by=$packages/$1.gpg] file:$packages/$1 ./" > "$work/list"
  local only=(-o "Dir::Etc::SourceList=$work/list" -o Dir::Etc::SourceParts=/dev/null -o Dpkg::Options::=--force-confold)
  apt-get update -q "${only[@]}" && apt-get install -y -q --no-install-recommends "${only[@]}" capture-node capturectl
}

# What is running, is known, or was set by hand before.
leave_what_an_upgrade_keeps() {
  # The conffile, which an older version had elsewhere, with a change of the administrator's: pictures are kept, and a camera is in no session.
  was=$(dpkg-query -W -f '${Conffiles}' capture-node | awk '$1 ~ "json5$" { print $1 }')
  check the_version_before_has_a_conffile test -e "$was"
  runuser -u _capture-node -- capture-node library init --mark-only $kept > /dev/null
  sed -i "0,/^{/s|^{|{\n  library: { root: \"$kept\" }, cameras: [\"synthetic\", \"synthetic:320x240@30\"],|" "$was"
  systemctl restart $unit
  check a_session_is_made eventually as ada "capturectl session configure door --input 0 --start"
  check a_timelapse_is_begun as ada "capturectl timelapse start 1 --interval 1"
  check a_client_is_paired as bob "capturectl pair --name studio <<< '$(capture-node pair --address 127.0.0.1 2> "$work/pair.log")'"
  as ada "capturectl --timeout 30 stream --session door --reconnect --json-frames --duration 600 > frames.json 2> told.txt" &
  stream=$!
  check frames_come eventually has_more_lines 0
  check photos_come eventually has_photos 1
}
kept=/var/lib/capture-node/pictures
configured=/etc/capture-node/node.json5
has_more_lines() { [[ $(wc -l < ~ada/frames.json) -gt $(($1 + 10)) ]]; }
timelapse() { as ada "capturectl --json timelapse list" | sed -n "s/.*\"$1\": *\([0-9]*\).*/\1/p"; }
has_photos() { [[ $(timelapse "done") -ge $1 ]]; }

# The package's script cannot do its work, as on a full disk.
upgrade_that_fails() {
  local state before
  before=$(mainpid)
  mv /usr/bin/systemd-sysusers{,.whole}
  printf '#!/bin/sh\necho "systemd-sysusers: No space left on device" >&2\nexit 1\n' > /usr/bin/systemd-sysusers
  chmod +x /usr/bin/systemd-sysusers
  state=$(sha256sum /var/lib/capture-node/{access.json,identity.pem})
  check an_upgrade_that_cannot_go_on_ends fails_to_upgrade
  check it_says_what_to_do contains "sudo dpkg --configure -a" cat "$work/failed.log"
  check the_node_of_before_serves as ada "capturectl devices"
  check it_is_the_process_of_before test "$(mainpid)" = "$before"
  check what_it_keeps_is_as_it_was test "$(sha256sum /var/lib/capture-node/{access.json,identity.pem})" = "$state"
  mv /usr/bin/systemd-sysusers{.whole,}
}
fails_to_upgrade() { ! upgrade_from_repository now > "$work/failed.log" 2>&1; }

upgrade() {
  local before lines photos
  before=$(mainpid)
  # A unit that somebody made, and which knows where the next version has its configuration.
  sed "s,--config .*,--config /etc/capture-node," "$(systemctl show -p FragmentPath --value $unit)" > /etc/systemd/system/$unit
  check it_upgrades_where_it_stopped finish_the_upgrade
  check what_comes_before_the_packages_unit_is_named contains "rm /etc/systemd/system/$unit" cat "$work/configure.log"
  rm /etc/systemd/system/$unit
  systemctl daemon-reload
  check another_process_serves eventually test "$(mainpid)" != "$before"
  [[ $was == "$configured" ]] || check the_conffile_has_moved test ! -e "$was"
  check the_change_in_it_is_kept contains $kept cat $configured
  check the_session_is_there_again contains door as ada "capturectl session list"
  lines=$(wc -l < ~ada/frames.json)
  check a_stream_that_reconnects_goes_on eventually has_more_lines "$lines"
  pkill -TERM -u ada -x capturectl
  wait $stream
  check a_paired_client_is_known_still as bob "capturectl --node studio devices"
  photos=$(timelapse "done")
  check the_timelapse_goes_on eventually has_photos $((photos + 2))
  check it_lost_what_fell_into_the_restart has_missed_little
  end_what_an_upgrade_keeps
  check dpkg_finds_nothing_changed_after_the_upgrade dpkg --verify capture-node capturectl
}
finish_the_upgrade() { dpkg --force-confold --configure -a > "$work/configure.log" 2>&1 || { cat "$work/configure.log" && false; }; }

# The node was off from the end of its service to its next beginning; each second has a photo, and each end of that time may cost one.
has_missed_little() {
  local off
  off=$(systemctl show -p ActiveExitTimestampMonotonic -p ActiveEnterTimestampMonotonic $unit | sed 's/.*=//' | sort -n | awk 'NR == 1 { a = $1 } END { print ($1 - a) / 1e6 }')
  echo "# off for $off s, $(timelapse missed) photos missed, $(timelapse failed) failed, $(timelapse "done") taken"
  [[ $(timelapse failed) -eq 0 ]] && awk -v off="$off" -v missed="$(timelapse missed)" 'BEGIN { exit !(missed <= off + 2) }'
}

end_what_an_upgrade_keeps() {
  as ada "capturectl timelapse stop \"\$(capturectl --json timelapse list | sed -n 's/.*\"id\": *\"\([^\"]*\)\".*/\1/p')\""
  rm -r ~bob/.config
  # As the package has it, whichever way that came there.
  dpkg-deb --fsys-tarfile "$packages"/now/capture-node_*.deb | tar -xO .$configured > $configured
  rm -f $configured.dpkg-*
  systemctl restart $unit
  rm -r $kept
}
