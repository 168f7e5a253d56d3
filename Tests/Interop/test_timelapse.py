"""Timelapses whose exposure stays locked, as a program has them.

usage: test_timelapse.py DIRECTORY-OF-PROGRAMS

Prints a line "ok NAME" or "not ok NAME" for each test; the status is 0 when all are ok.
"""

import sys

from capture_client import Connection, pb
from configured_node import all_pass

CONFIGURATION = """{
  listen: [{address: "127.0.0.1:0", trustLocalUsers: true}], state: "none", cameras: ["synthetic:physics:320x240@30,light=2"],
  library: {root: "LIBRARY", freeBytes: 0}, logLevel: "error",
}"""
CAMERA = "synthetic-physics-0"


def start(node, **settings):
    photo = pb.PhotoSettings(settle=pb.SettlingBound(longest_ms=0))
    settings = pb.TimelapseSettings(device=CAMERA, interval_ms=1000, photo=photo, **settings)
    return node.unary("capture.v1.Jobs/Start", pb.StartJobRequest(timelapse=settings), pb.Job)


def until(node, job, holds):
    """The job, once that holds for it."""
    for event in node.server_stream("capture.v1.Jobs/Watch", pb.WatchJobsRequest(id=job.id), pb.JobEvent, timeout=60):
        if holds(event.job):
            return event.job
    raise AssertionError("the watch ended")


def modes(node):
    settings = node.unary("capture.v1.Settings/Get", pb.GetSettingsRequest(device=CAMERA), pb.CameraSettings)
    return settings.exposure.mode, settings.white_balance.mode


def photos(node, job):
    """Returns the photos of a job, the first one first."""
    request = pb.ListAssetsRequest(filter=pb.AssetFilter(sequence=job.id))
    page = node.unary("capture.v1.Library/List", request, pb.AssetPage)
    return sorted(page.assets, key=lambda asset: int(asset.shot))


def exposure_stays_as_it_is_after_the_first_photo(node, other):
    before = modes(node)
    automatic = pb.EXPOSURE_MODE_AUTO, pb.EXPOSURE_MODE_CONTINUOUS
    assert before[0] in automatic, before
    # More than are looked at: a busy machine tells of the second when the third is due.
    count = 5
    job = start(node, lock_exposure=pb.EXPOSURE_LOCKING_FIRST, count=count)
    until(node, job, lambda job: job.done + job.failed + job.missed >= 2)
    assert modes(other) == (pb.EXPOSURE_MODE_LOCKED, pb.WHITE_BALANCE_MODE_LOCKED), modes(other)
    job = until(node, job, lambda job: job.state == pb.JOB_STATE_DONE)
    assert job.failed == 0 and job.done >= 2 and not job.last_error, job
    taken = photos(node, job)
    told = [asset.metadata.exposure_mode for asset in taken]
    assert told == [before[0]] + [pb.EXPOSURE_MODE_LOCKED] * (len(taken) - 1), told
    durations = {asset.info.settings.exposure_duration.value for asset in taken[1:]}
    assert len(durations) == 1, durations
    # What others had comes back behind the last one.
    until(node, job, lambda _: modes(other) == before)
    for asset in taken:
        place = asset.metadata.place
        assert (asset.metadata.sequence, place.number, place.count) == (job.id, int(asset.shot) + 1, count), asset.metadata


def a_photo_counts_although_another_client_keeps_it_from_being_locked(node, other):
    before = modes(node)
    request = pb.AcquireLeaseRequest(device=CAMERA, duration_ms=60_000, holder="other")
    lease = other.unary("capture.v1.Leases/Acquire", request, pb.LeaseInfo)
    job = start(node, lock_exposure=pb.EXPOSURE_LOCKING_FIRST)
    told = until(node, job, lambda job: job.done > 0 or job.failed > 0)
    assert told.failed == 0 and told.done == 1 and told.last_asset, told
    assert "not locked yet" in told.last_error and "other" in told.last_error, told.last_error
    assert modes(node) == before
    other.unary("capture.v1.Leases/Release", pb.ReleaseLeaseRequest(token=lease.token), pb.ReleaseLeaseResponse)
    told = until(node, job, lambda job: job.done > 1 and not job.last_error)
    assert told.failed == 0 and modes(node)[0] == pb.EXPOSURE_MODE_LOCKED, told
    assert len(photos(node, told)) >= told.done
    node.unary("capture.v1.Jobs/Control", pb.ControlJobRequest(id=job.id, action=pb.ControlJobRequest.STOP), pb.Job)
    until(node, job, lambda job: job.state == pb.JOB_STATE_STOPPED and modes(other) == before)


TESTS = [exposure_stays_as_it_is_after_the_first_photo, a_photo_counts_although_another_client_keeps_it_from_being_locked]


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)

    def run(test, address, folder):
        with Connection(address, timeout=60) as node, Connection(address, timeout=60) as other:
            test(node, other)

    sys.exit(not all_pass(TESTS, sys.argv[1], CONFIGURATION, run))


if __name__ == "__main__":
    main()
