"""`capture-node library init` on the machine in a folder: what it writes, and that it writes nothing where something is in the way.

usage: test_library_setup.py DIRECTORY    with the programs
"""

import os
import subprocess
import sys
import tempfile
from pathlib import Path

from cases import passes

CONFIGURATION, DROP_IN = "etc/capture-node/conf.d/library.json5", "etc/systemd/system/capture-node.service.d/library.conf"
USER = 4711


class Machine:
    """The files of a machine where the package is installed. Root is needed to give files away; others are the node's user themselves."""

    def __init__(self, program):
        self.program, self.directory = program, tempfile.TemporaryDirectory()
        self.root = Path(self.directory.name)
        self.user = USER if os.geteuid() == 0 else os.geteuid()
        for folder in ("etc/capture-node/conf.d", "etc/systemd/system", "srv"):
            (self.root / folder).mkdir(parents=True)
        (self.root / "etc/passwd").write_text(f"root:x:0:0::/root:/bin/sh\n_capture-node:x:{self.user}:{os.getegid()}::/:/bin/false\n")
        (self.root / "etc/capture-node/node.json5").write_text("{ audit: 'all' }")

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.directory.cleanup()

    def files(self):
        return {str(path.relative_to(self.root)): (path.stat().st_uid, path.is_file() and path.read_bytes()) for path in self.root.rglob("*")}

    def init(self, folder, *options, cwd=None):
        command = [self.program, "library", "init", "--root", self.root, folder, *options]
        return subprocess.run(command, capture_output=True, text=True, timeout=30, cwd=cwd)

    def good(self, folder, *options):
        done = self.init(folder, *options)
        assert done.returncode == 0 and not done.stderr, done.stderr
        return done.stdout

    def refused(self, folder, *words):
        """Nothing is done, and the error has these words."""
        before = self.files()
        done = self.init(folder)
        assert done.returncode == 1 and not done.stdout, done
        for word in words:
            assert word in done.stderr, f"no {word!r} in: {done.stderr}"
        assert self.files() == before, set(self.files()) ^ set(before)

    def unit(self):
        """The paths of the drop-in, as systemd reads them."""
        return (self.root / DROP_IN).read_text()


def a_library_of_an_installed_node(program):
    with Machine(program) as machine:
        said = machine.good("/srv/pictures")
        assert "/srv/pictures is now a library" in said and CONFIGURATION in said and DROP_IN in said, said
        for path in ("srv/pictures", "srv/pictures/.capture-library", "srv/pictures/.capture-library/library"):
            assert (machine.root / path).stat().st_uid == machine.user, path
            assert (machine.root / path).stat().st_mode & 0o027 == 0, f"others can enter {path}, or its group can write it"
        assert (machine.root / CONFIGURATION).read_text().splitlines()[2].strip() == 'library: { root: "/srv/pictures" },'
        assert machine.unit().splitlines()[1:] == ["[Service]", 'ReadWritePaths="-/srv/pictures"']
        for file in (CONFIGURATION, DROP_IN):
            assert (machine.root / file).stat().st_mode & 0o777 == 0o644, file
        before = machine.files()
        assert "already a library" in machine.good("/srv/./pictures/")
        assert machine.files() == before, "the second time changes nothing"


def the_node_takes_what_was_written(program):
    with Machine(program) as machine:
        machine.good('/srv/my "best" 100% pictures')
        assert machine.unit().splitlines()[2] == 'ReadWritePaths="-/srv/my \\"best\\" 100%% pictures"', machine.unit()
        with subprocess.Popen(
                [program, "--config", machine.root / "etc/capture-node", "--state", "none", "--listen", f"unix:{machine.root}/socket", "--camera", "synthetic"],
                stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as node:
            assert "listening on" in node.stdout.readline()
            node.terminate()
            told = node.stderr.read()
        # Its root is the image's, so that folder is not there on this machine.
        assert 'my "best" 100% pictures' in told, told


def what_lies_in_the_state_folder_needs_no_drop_in(program):
    with Machine(program) as machine:
        (machine.root / "var/lib/capture-node").mkdir(parents=True)
        machine.good("/var/lib/capture-node/pictures")
        assert (machine.root / CONFIGURATION).exists() and not (machine.root / DROP_IN).exists()


def a_new_disk_is_given_to_the_node(program):
    if os.geteuid() != 0:
        return
    with Machine(program) as machine:
        (machine.root / "srv/disk/lost+found").mkdir(parents=True)
        machine.good("/srv/disk")
        assert (machine.root / "srv/disk").stat().st_uid == USER and (machine.root / "srv/disk/lost+found").stat().st_uid == 0
        # The node's group is another one under the unit: a picture gets the folder's.
        for folder in ("srv/disk", "srv/disk/.capture-library"):
            assert (machine.root / folder).stat().st_mode & 0o7777 == 0o2750, folder


def whom_an_administrator_lets_read_stays(program):
    if os.geteuid() != 0:
        return
    with Machine(program) as machine:
        machine.good("/srv/pictures")
        os.chown(machine.root / "srv/pictures", USER, 4712)
        (machine.root / "srv/pictures").chmod(0o2755)
        machine.good("/srv/pictures")
        status = (machine.root / "srv/pictures").stat()
        assert (status.st_gid, status.st_mode & 0o7777) == (4712, 0o2755), status


def a_new_library_is_closed_also_in_a_folder_that_was_the_nodes(program):
    if os.geteuid() != 0:
        return
    with Machine(program) as machine:
        folder = machine.root / "srv/pictures"
        folder.mkdir()
        os.chown(folder, USER, 4712)
        folder.chmod(0o755)
        machine.good("/srv/pictures")
        status = folder.stat()
        assert (status.st_gid, status.st_mode & 0o7777) == (os.getegid(), 0o2750), status


def a_folder_is_closed_before_it_is_a_library(program):
    with Machine(program) as machine:
        folder = machine.root / "srv/pictures"
        # Where the mark would be, not even root can put one.
        (folder / ".capture-library/library/full").mkdir(parents=True)
        os.chown(folder, machine.user, os.getegid())
        folder.chmod(0o755)
        done = machine.init("/srv/pictures")
        assert done.returncode == 1 and not (machine.root / CONFIGURATION).exists(), done
        assert folder.stat().st_mode & 0o7777 == 0o2750, oct(folder.stat().st_mode)


def a_library_of_roots_without_pictures_is_given_to_the_node(program):
    with Machine(program) as machine:
        folder = machine.root / "srv/pictures"
        folder.mkdir()
        folder.chmod(0o755)
        machine.good("/srv/pictures", "--mark-only")
        machine.good("/srv/pictures")
        for path in (folder, folder / ".capture-library", folder / ".capture-library/library"):
            assert path.stat().st_uid == machine.user, path
        if os.geteuid() == 0:
            assert folder.stat().st_mode & 0o7777 == 0o2750, oct(folder.stat().st_mode)


def no_link_of_the_nodes_user_is_followed(program):
    if os.geteuid() != 0:
        return
    with Machine(program) as machine:
        machine.good("/srv/pictures")
        own, others = machine.root / "srv/pictures/.capture-library", machine.root / "srv/others"
        (others / "folder").mkdir(parents=True)
        (others / "folder").chmod(0o755)
        (others / "file").write_text("others'")
        # A temporary file of the mark that leads to another file.
        (own / "library").unlink()
        (own / "library.new").symlink_to(others / "file")
        machine.good("/srv/pictures")
        assert (others / "file").read_text() == "others'" and not (own / "library").is_symlink()
        # Another file that has a second name here.
        os.link(others / "file", own / "lock")
        done = machine.init("/srv/pictures")
        assert done.returncode == 1 and ".capture-library/lock" in done.stderr, done
        assert (others / "file").stat().st_uid == 0
        # The library's own folder leads to another one.
        own.rename(machine.root / "srv/pictures/aside")
        own.symlink_to(others)
        machine.refused("/srv/pictures", ".capture-library is no folder, or a link")
        assert (others / "folder").stat().st_mode & 0o7777 == 0o755


def the_folder_to_which_a_link_leads_is_given(program):
    with Machine(program) as machine:
        folder = machine.root / "mnt/disk/pictures"
        folder.mkdir(parents=True)
        folder.chmod(0o755)
        (machine.root / "srv/pictures").symlink_to("../mnt/disk/pictures")
        machine.good("/srv/pictures")
        assert folder.stat().st_uid == machine.user and folder.stat().st_mode & 0o7777 == 0o2750, folder.stat()
        assert machine.unit().splitlines()[2] == 'ReadWritePaths="-/srv/pictures"'


def a_link_in_a_folder_of_the_nodes_user_is_refused(program):
    """The path is the administrator's word, but the node's user could have put the link there since."""
    if os.geteuid() != 0:
        return
    with Machine(program) as machine:
        owned = machine.root / "var/lib/capture-node"
        owned.mkdir(parents=True)
        os.chown(owned, machine.user, machine.user)
        target = machine.root / "usr/local/sbin"
        target.mkdir(parents=True)
        (owned / "pictures").symlink_to("../../../usr/local/sbin")
        (owned / "local").symlink_to("../../../usr/local")
        before = target.stat()
        machine.refused("/var/lib/capture-node/pictures", "is a link in a folder of _capture-node")
        machine.refused("/var/lib/capture-node/local/sbin", "is a link in a folder of _capture-node")
        assert (target.stat().st_uid, target.stat().st_mode) == (before.st_uid, before.st_mode)
        (owned / "pictures").unlink()
        machine.good("/var/lib/capture-node/pictures")


def a_link_out_of_an_image_is_refused(program):
    with Machine(program) as machine, tempfile.TemporaryDirectory() as elsewhere:
        (machine.root / "srv/pictures").symlink_to(elsewhere)
        machine.refused("/srv/pictures", "leads by a link out of")
        machine.refused("/srv/pictures/new", "leads by a link out of")
        assert machine.init("/srv/pictures", "--mark-only").returncode == 1
        assert not os.listdir(elsewhere)


def somebodys_files_stay_somebodys(program):
    if os.geteuid() != 0:
        return
    with Machine(program) as machine:
        (machine.root / "srv/holiday").mkdir()
        (machine.root / "srv/holiday/one.jpg").write_text("")
        machine.refused("/srv/holiday", "has files in it", "sudo chown -R _capture-node /srv/holiday")
        (machine.root / "srv/empty").mkdir()
        os.chown(machine.root / "srv/empty", 4712, 4712)
        machine.refused("/srv/empty", "belongs to another user")


def whatever_is_in_the_way_is_named(program):
    with Machine(program) as machine:
        machine.refused("/nowhere/pictures", "/nowhere/pictures")
        machine.refused("/home/ada/pictures", "ProtectHome=", "/srv/pictures")
        machine.refused("/", "folder of its own")
        machine.refused("/var/lib/./capture-node/", "has the node's state", "/var/lib/capture-node/pictures")
        assert machine.init("/var/lib/capture-node", "--mark-only").returncode == 1
        machine.refused("/srv/../etc", "'..'")
        machine.refused("pictures", "absolute path of that machine")
        machine.refused("/srv/a\nReadWritePaths=/", "control characters")
        (machine.root / "srv/file").write_text("")
        machine.refused("/srv/file", "is no folder")
        drop_in = machine.root / DROP_IN
        drop_in.parent.mkdir()
        drop_in.write_text("[Service]\nNice=5\n")
        machine.refused("/srv/pictures", DROP_IN, "rename it")
        drop_in.unlink()
        (machine.root / "etc/capture-node/conf.d/mine.json5").write_text("{ library: { root: '/srv/old' } }")
        machine.refused("/srv/pictures", "has a library already, /srv/old, by /etc/capture-node/conf.d/mine.json5")
        (machine.root / "etc/capture-node/conf.d/mine.json5").write_text("{ library: { root: ")
        machine.refused("/srv/pictures", "conf.d/mine.json5")


def a_configuration_that_cannot_be_written_takes_the_drop_in_back(program):
    with Machine(program) as machine:
        # Where the configuration's file would be, not even root can put one.
        (machine.root / CONFIGURATION).mkdir()
        (machine.root / CONFIGURATION / "full").write_text("")
        done = machine.init("/srv/pictures")
        assert done.returncode == 1 and not (machine.root / DROP_IN).exists(), done


def only_the_mark(program):
    with Machine(program) as machine:
        before = set(machine.files())
        said = machine.good("/srv/pictures", "--mark-only")
        assert 'library: { root: "/srv/pictures" }' in said, said
        new = set(machine.files()) - before
        assert new == {"srv/pictures", "srv/pictures/.capture-library", "srv/pictures/.capture-library/library"}, new


def where_no_node_is_installed(program):
    with Machine(program) as machine:
        (machine.root / "etc/capture-node/node.json5").unlink()
        assert "names it" in machine.good("/srv/pictures")
        assert not (machine.root / CONFIGURATION).exists()


def main(directory):
    program = Path(directory).resolve() / "capture-node"
    tests = (
        a_library_of_an_installed_node, the_node_takes_what_was_written, what_lies_in_the_state_folder_needs_no_drop_in, a_new_disk_is_given_to_the_node,
        whom_an_administrator_lets_read_stays, a_new_library_is_closed_also_in_a_folder_that_was_the_nodes,
        a_folder_is_closed_before_it_is_a_library, a_library_of_roots_without_pictures_is_given_to_the_node,
        no_link_of_the_nodes_user_is_followed, the_folder_to_which_a_link_leads_is_given, a_link_in_a_folder_of_the_nodes_user_is_refused,
        a_link_out_of_an_image_is_refused, somebodys_files_stay_somebodys,
        whatever_is_in_the_way_is_named, a_configuration_that_cannot_be_written_takes_the_drop_in_back, only_the_mark, where_no_node_is_installed)
    sys.exit(0 if all([passes(test, program) for test in tests]) else 1)


if __name__ == "__main__":
    main(*sys.argv[1:])
