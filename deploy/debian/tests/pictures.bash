# What a purge does with pictures, wherever they are; sourced by lifecycle, never run. The package has been removed, and is not purged yet.

state=/var/lib/capture-node
configuration=/etc/capture-node/conf.d/library.json5
dropin=/etc/systemd/system/capture-node.service.d/library.conf

# The script that a removal and a purge run, as often as there are cases.
clean_up() { DPKG_MAINTSCRIPT_PACKAGE=capture-node DPKG_MAINTSCRIPT_NAME=postrm "${work:?}/postrm" "${1:-purge}" > "$work/purge.log" 2>&1 || { cat "$work/purge.log" && false; }; }
says() { contains "$1" cat "$work/purge.log"; }

make_library() { # make_library FOLDER [FILE] : with a picture, if FILE is there
  mkdir -p "$1/.capture-library/set-aside"
  touch "$1/.capture-library/library"
  [[ -z ${2-} ]] || touch "$1/$2"
}

configure_library() { # configure_library TEXT [KEYS] : as "library init" does; TEXT is the path as JSON has it, KEYS is what somebody added
  mkdir -p "${configuration%/*}"
  printf '// Written by: capture-node library init\n{\n  library: { root: "%s"%s },\n}\n' "$1" "${2-}" > "$configuration"
}

pictures_in_the_state_folder_stay() {
  make_library $state/pictures one.jpg
  make_library $state/aside .capture-library/set-aside/two.jpg
  make_library $state/empty
  make_library /srv/linked three.jpg
  ln -s /srv/linked $state/link
  check a_purge_succeeds_with_pictures clean_up
  check pictures_stay test -e $state/pictures/one.jpg
  check where_they_are_is_told says "rm -r $state/pictures"
  check pictures_set_aside_stay test -e $state/aside/.capture-library/set-aside/two.jpg
  check where_those_are_is_told says "rm -r $state/aside"
  check linked_pictures_stay test -e /srv/linked/three.jpg -a ! -L $state/link
  check where_linked_ones_are_is_told says "rm -r /srv/linked"
  check a_library_without_pictures_goes test ! -e $state/empty
  rm -r $state/pictures $state/aside /srv/linked
}

configured_pictures_stay() {
  make_library '/srv/it'\''s "ours"' one.jpg
  configure_library '/srv/it'\''s \"ours\"'
  check a_purge_succeeds_with_a_library_elsewhere clean_up
  check pictures_behind_quotes_stay test -e '/srv/it'\''s "ours"/one.jpg'
  check where_they_are_is_told_as_a_shell_takes_it says "rm -r '/srv/it'\\''s \"ours\"'"
  check its_configuration_goes test ! -e $configuration
  rm -r '/srv/it'\''s "ours"'

  # As docs/library.md has other keys added.
  make_library /srv/pictures one.jpg
  configure_library /srv/pictures ', quotaBytes: 50e9, whenFull: "removeOldest"'
  check a_purge_succeeds_with_more_keys_on_the_line clean_up
  check the_path_ends_where_its_quotes_end grep -q 'rm -r /srv/pictures$' "$work/purge.log"
  rm -r /srv/pictures

  configure_library '/srv/away and\\gone'
  check a_purge_succeeds_with_a_backslash_in_a_path clean_up
  check a_path_is_quoted_where_it_is_not_found says "no library was found in '/srv/away and\\gone',"

  configure_library /srv/away/pictures
  check a_purge_succeeds_while_the_disk_is_away clean_up
  check the_library_that_is_away_is_named says /srv/away/pictures

  mkdir /srv/disk
  mount -t tmpfs none /srv/disk
  make_library /srv/disk one.jpg
  configure_library /srv/disk
  check a_purge_succeeds_with_a_mounted_library clean_up
  check mounted_pictures_stay test -e /srv/disk/one.jpg
  rm /srv/disk/one.jpg
  configure_library /srv/disk
  check a_purge_succeeds_with_a_mounted_library_without_pictures clean_up
  check the_disk_stays_mounted mountpoint -q /srv/disk
  check it_is_no_library_any_more test ! -e /srv/disk/.capture-library
  umount /srv/disk
  rmdir /srv/disk
}

# The mark is what the node looks for; a purge looks for pictures.
pictures_without_a_mark_stay() {
  make_library $state/pictures one.jpg
  make_library /srv/pictures .capture-library/set-aside/two.jpg
  configure_library /srv/pictures
  rm $state/pictures/.capture-library/library /srv/pictures/.capture-library/library
  check a_purge_succeeds_where_marks_are_lost clean_up
  check pictures_without_a_mark_stay_in_the_state_folder test -e $state/pictures/one.jpg
  check pictures_without_a_mark_stay_where_they_were_set_aside test -e /srv/pictures/.capture-library/set-aside/two.jpg
  check where_unmarked_ones_are_is_told says "rm -r /srv/pictures"
  rm -r $state/pictures /srv/pictures
}

# In node.json5, which dpkg removes before a purge runs the script.
pictures_of_the_administrators_library_stay() {
  local file=/etc/capture-node/node.json5
  make_library /srv/own one.jpg
  make_library /srv/none
  mkdir -p ${file%/*}/conf.d
  printf '{\n  // library: { root: "/srv/example" },\n  library: { "root" : "/srv/own", freeBytes: 1 },\n}\n' > $file
  printf "{ library: { root: '/srv/none' } }\n" > ${file%/*}/conf.d/own.json5
  check a_removal_succeeds clean_up remove
  rm $file
  check a_purge_succeeds_with_the_administrators_libraries clean_up
  check they_stay test -e /srv/own/one.jpg -a -e /srv/none/.capture-library
  check where_the_one_with_pictures_is_is_told says "rm -r /srv/own"
  check nothing_else_is_told test "$(wc -l < "$work/purge.log")" = 1
  check nothing_stays_noted test ! -e /var/lib/capture-node.libraries
  rm -r /srv/own /srv/none ${file%/*}/conf.d/own.json5
}

mounts_in_the_state_folder_stay() {
  mkdir -p $state/disk $state/folder/disk
  mount -t tmpfs none $state/disk
  mount -t tmpfs none $state/folder/disk
  touch $state/disk/one $state/folder/disk/two
  check a_purge_succeeds_with_disks_in_the_state_folder clean_up
  check what_is_mounted_stays test -e $state/disk/one -a -e $state/folder/disk/two
  check what_stays_is_told says "$state/folder has something in it that is mounted"
  umount $state/disk $state/folder/disk
  rm -r $state/disk $state/folder

  mkdir -p $state
  mount -t tmpfs none $state
  touch $state/state.json
  check a_purge_succeeds_where_the_state_folder_is_a_disk clean_up
  check its_state_goes test ! -e $state/state.json
  check that_disk_is_named says "umount $state"
  umount $state
}

# As an older version's "library init" made of it.
secrets_go_where_the_state_folder_is_a_library() {
  make_library $state one.jpg
  touch $state/state.json $state/access.json $state/identity.pem
  check a_purge_succeeds_where_the_state_folder_is_a_library clean_up
  check its_pictures_stay test -e $state/one.jpg
  check its_secrets_go refuses find $state/state.json $state/access.json $state/identity.pem
  rm -r $state
}

pictures_stay() {
  # A purge removes the script itself; and what the library that is there was configured with is for the purge behind these cases.
  cp /var/lib/dpkg/info/capture-node.postrm "$work/postrm"
  tar -c /etc/capture-node $dropin 2> /dev/null > "$work/configuration.tar"
  rm $configuration $dropin
  mkdir -p $state
  pictures_in_the_state_folder_stay
  mkdir -p $state
  configured_pictures_stay
  mkdir -p $state
  pictures_without_a_mark_stay
  mkdir -p $state
  pictures_of_the_administrators_library_stay
  mkdir -p $state
  mounts_in_the_state_folder_stay
  mkdir -p $state
  secrets_go_where_the_state_folder_is_a_library
  mkdir -p $state
  tar -x -C / -f "$work/configuration.tar"
}
