"""The calls of the contract, each as its method, its request and the type of its answers. Blocking and asyncio code share them."""

from __future__ import annotations

from typing import Any, Iterable, Mapping, NamedTuple

from . import messages
from .frames import rendition_of


SHORTEST_LEASE_MS = 100


class Request(NamedTuple):
    method: str
    message: Any
    answer: Any


def devices() -> Request:
    return Request("capture.v1.Devices/List", messages.ListDevicesRequest(), messages.ListDevicesResponse)


def watch_devices() -> Request:
    return Request("capture.v1.Devices/Watch", messages.WatchDevicesRequest(), messages.DeviceEvent)


def formats(device: str) -> Request:
    return Request("capture.v1.Devices/Formats", messages.FormatsRequest(device=device), messages.FormatsResponse)


def controls(device: str) -> Request:
    return Request("capture.v1.Devices/Controls", messages.ControlsRequest(device=device), messages.ControlsResponse)


def info() -> Request:
    return Request("capture.v1.Node/Info", messages.InfoRequest(), messages.InfoResponse)


def status() -> Request:
    return Request("capture.v1.Node/Status", messages.StatusRequest(), messages.StatusResponse)


def _role(role: str) -> messages.Role:
    """A role by its word; empty: unspecified."""
    roles = {"": messages.ROLE_UNSPECIFIED, "view": messages.ROLE_VIEW, "control": messages.ROLE_CONTROL, "admin": messages.ROLE_ADMIN}
    if role not in roles:
        raise ValueError(f"a role is view, control or admin, not {role!r}")
    return roles[role]


def _medium(medium: str) -> messages.Medium:
    """A medium by its word; empty: unspecified."""
    media = {"": messages.MEDIUM_UNSPECIFIED, "video": messages.MEDIUM_VIDEO, "library": messages.MEDIUM_LIBRARY}
    if medium not in media:
        raise ValueError(f"a medium is video or library, not {medium!r}")
    return media[medium]


def authorization(device: str, role: str, medium: str) -> Request:
    message = messages.AccessStatusRequest(device=device, role=_role(role), medium=_medium(medium))
    return Request("capture.v1.Access/Status", message, messages.AccessStatusResponse)


def watch_authorization(device: str, role: str, medium: str) -> Request:
    message = messages.AccessStatusRequest(device=device, role=_role(role), medium=_medium(medium))
    return Request("capture.v1.Access/Watch", message, messages.AccessStatusResponse)


def request_access(cameras: Iterable[str], role: str, media: Iterable[str], withdraw: bool) -> Request:
    message = messages.AccessRequest(
        cameras=list(cameras), role=_role(role), media=[_medium(medium) for medium in media], withdraw=withdraw)
    return Request("capture.v1.Access/Request", message, messages.AccessStatusResponse)


def describe(device: str) -> Request:
    return Request("capture.v1.Settings/Describe", messages.DescribeSettingsRequest(device=device), messages.SettingsDescription)


def get(device: str) -> Request:
    return Request("capture.v1.Settings/Get", messages.GetSettingsRequest(device=device), messages.CameraSettings)


def set(device: str, change: Any, clamp: bool) -> Request:
    message = messages.SetSettingsRequest(device=device, change=change, clamp=clamp)
    return Request("capture.v1.Settings/Set", message, messages.SetSettingsResponse)


def await_change(device: str, change: int) -> Request:
    return Request("capture.v1.Settings/AwaitChange", messages.AwaitChangeRequest(device=device, change=change), messages.AppliedChange)


def watch(device: str, names: Iterable[str]) -> Request:
    return Request("capture.v1.Settings/Watch", messages.WatchSettingsRequest(device=device, names=list(names)), messages.SettingsEvent)


def photo_settings(
    size: tuple[int, int] | None, gravity: str | None, crop: tuple[float, float, float, float] | None, orientation: int, mirrored: bool, quality: int,
    settle: float | None, tags: Mapping[str, str], store: str = "", full_size: str = "",
) -> messages.PhotoSettings:
    """Raises ValueError for a way to store a photo, or to its full size, that there is not."""
    stores = {"": messages.STORE_MODE_UNSPECIFIED, "also": messages.STORE_MODE_ALSO, "only": messages.STORE_MODE_ONLY}
    if store not in stores:
        raise ValueError(f"store {store!r}: there are also, only")
    full_sizes = {
        "": messages.FULL_SIZE_UNSPECIFIED, "stream": messages.FULL_SIZE_STREAM, "switch": messages.FULL_SIZE_SWITCH, "big": messages.FULL_SIZE_BIG,
    }
    if full_size not in full_sizes:
        raise ValueError(f"full_size {full_size!r}: there are stream, switch, big")
    settings = messages.PhotoSettings(rendition=rendition_of("jpeg", size, gravity, crop, orientation, mirrored, quality), store=stores[store], full_size=full_sizes[full_size])
    if settle is not None:
        settings.settle.longest_ms = int(settle * 1000)
        settings.settle.SetInParent()
    for name, value in tags.items():
        settings.tags.add(name=name, value=value)
    return settings


def photo(device: str, session: str, output: str, settings: messages.PhotoSettings) -> Request:
    message = messages.CapturePhotoRequest(device=device, settings=settings, session=session, output=output)
    return Request("capture.v1.Photos/Capture", message, messages.PhotoEvent)


def frames(
    device: str, session: str, output: str, format: str, size: tuple[int, int] | None, rate: float, gravity: str | None,
    crop: tuple[float, float, float, float] | None, orientation: int, mirrored: bool, quality: int,
) -> Request:
    rendition = rendition_of(format, size, gravity, crop, orientation, mirrored, quality)
    message = messages.SubscribeRequest(device=device, rendition=rendition, rate=rate, session=session, output=output)
    return Request("capture.v1.Video/Subscribe", message, messages.VideoFrame)


def acquire(device: str, seconds: float, holder: str, wait: float) -> Request:
    message = messages.AcquireLeaseRequest(device=device, duration_ms=int(seconds * 1000), holder=holder, wait_ms=int(wait * 1000))
    return Request("capture.v1.Leases/Acquire", message, messages.LeaseInfo)


def release(token: str) -> Request:
    return Request("capture.v1.Leases/Release", messages.ReleaseLeaseRequest(token=token), messages.ReleaseLeaseResponse)


def renew(token: str) -> Request:
    return Request("capture.v1.Leases/Renew", messages.RenewLeaseRequest(token=token), messages.LeaseInfo)


def renewal_pause(lease: Any) -> float:
    """How long a lease that was just acquired goes without a renewal, in seconds. Two renewals may fail, or be late, before it expires."""
    return max(int(lease.remaining_ms), SHORTEST_LEASE_MS) / 3000


def sessions() -> Request:
    return Request("capture.v1.Sessions/List", messages.ListSessionsRequest(), messages.ListSessionsResponse)


def configure(session: str, configuration: Any, start: bool, revision: int, dry_run: bool, create: bool) -> Request:
    message = messages.ConfigureSessionRequest(
        session=session, configuration=configuration, start=start, revision=revision, dry_run=dry_run, create=create)
    return Request("capture.v1.Sessions/Configure", message, messages.SessionState)


def of_session(verb: str, session: str) -> Request:
    """Get, Start, Stop, Close or Events of a session."""
    answer = {"Close": messages.CloseSessionResponse, "Events": messages.SessionEvent}.get(verb, messages.SessionState)
    kind = getattr(messages, f"{verb}SessionRequest" if verb != "Events" else "SessionEventsRequest")
    return Request(f"capture.v1.Sessions/{verb}", kind(session=session), answer)


def session_configuration(
    cameras: Iterable[str], preset: str, outputs: Mapping[str, str], connections: Iterable[Mapping[str, Any]]
) -> messages.SessionConfiguration:
    """Raises ValueError for a preset or a kind of output that there is not."""
    presets: dict[str, Any] = {name[len("SESSION_PRESET_"):].lower(): number for name, number in messages.SessionPreset.items()}
    kinds: dict[str, Any] = {name[len("OUTPUT_KIND_"):].lower(): number for name, number in messages.OutputKind.items()}
    for word, words, what in [(preset or "unspecified", presets, "preset"), *((kind, kinds, "kind of output") for kind in outputs.values())]:
        if word.lower() not in words:
            raise ValueError(f"{what} {word!r}: there are {', '.join(name for name in words if name != 'unspecified')}")
    return messages.SessionConfiguration(
        inputs=[messages.SessionInput(device=camera) for camera in cameras],
        outputs=[messages.SessionOutput(name=name, kind=kinds[kind.lower()]) for name, kind in outputs.items()],
        connections=[messages.SessionConnection(**connection) for connection in connections],
        preset=presets[(preset or "unspecified").lower()])


def library_status() -> Request:
    return Request("capture.v1.Library/Status", messages.LibraryStatusRequest(), messages.LibraryStatus)


def library_authorization() -> Request:
    return Request("capture.v1.Library/Authorization", messages.LibraryAuthorizationRequest(), messages.LibraryAuthorization)


def list_assets(filter: messages.AssetFilter, page_size: int, page_token: str) -> Request:
    message = messages.ListAssetsRequest(filter=filter, page_size=page_size, page_token=page_token)
    return Request("capture.v1.Library/List", message, messages.AssetPage)


def get_assets(ids: Iterable[str]) -> Request:
    return Request("capture.v1.Library/Get", messages.AssetIds(ids=ids), messages.AssetPage)


def thumbnails(ids: Iterable[str]) -> Request:
    return Request("capture.v1.Library/Thumbnails", messages.AssetIds(ids=ids), messages.Thumbnail)


def fetch(id: str, resource: int, offset: int, sha256: bytes) -> Request:
    message = messages.FetchResourceRequest(id=id, resource=resource, offset=offset, sha256=sha256)
    return Request("capture.v1.Library/Fetch", message, messages.ResourceChunk)


def label_assets(ids: Iterable[str], add: Iterable[str], remove: Iterable[str]) -> Request:
    return Request("capture.v1.Library/Label", messages.LabelAssetsRequest(ids=ids, add=add, remove=remove), messages.AssetPage)


def delete_assets(ids: Iterable[str]) -> Request:
    return Request("capture.v1.Library/Delete", messages.AssetIds(ids=ids), messages.DeletedAssets)


def watch_assets(token: str, filter: messages.AssetFilter) -> Request:
    return Request("capture.v1.Library/Watch", messages.WatchAssetsRequest(token=token, filter=filter), messages.AssetEvent)


def jobs() -> Request:
    return Request("capture.v1.Jobs/List", messages.ListJobsRequest(), messages.JobList)


def timelapse(device: str, interval: float, count: int, lock_exposure: bool, labels: Iterable[str], photo: messages.PhotoSettings) -> Request:
    locking = messages.EXPOSURE_LOCKING_FIRST if lock_exposure else messages.EXPOSURE_LOCKING_NEVER
    settings = messages.TimelapseSettings(
        device=device, interval_ms=round(interval * 1000), count=count, photo=photo, lock_exposure=locking, labels=[*labels])
    return Request("capture.v1.Jobs/Start", messages.StartJobRequest(timelapse=settings), messages.Job)


def control_job(id: str, action: Any) -> Request:
    return Request("capture.v1.Jobs/Control", messages.ControlJobRequest(id=id, action=action), messages.Job)


def watch_jobs(id: str) -> Request:
    return Request("capture.v1.Jobs/Watch", messages.WatchJobsRequest(id=id), messages.JobEvent)
