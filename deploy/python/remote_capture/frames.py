"""Live frames, and how their bytes become arrays."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from . import messages

if TYPE_CHECKING:
    import numpy


class PixelLayoutError(ValueError):
    """A frame whose bytes are not laid out as its description says."""


def fourcc(text: str) -> int:
    """V4L2's number of a four-character code."""
    return int.from_bytes(text.encode("ascii"), "little")


def fourcc_text(number: int) -> str:
    return number.to_bytes(4, "little").decode("latin-1")


# The names of ffmpeg, and what the node is asked for. Any other four characters are V4L2's code of a raw format.
PIXEL_FORMATS = {"bgr24": "RGB3", "rgb24": "RGB3", "bgra": "AR24", "nv12": "NV12", "i420": "YU12", "grey": "GREY", "gray": "GREY"}
# Bytes of a pixel, where pixels lie one behind the other.
_PACKED = {"RGB3": 3, "BGR3": 3, "AR24": 4, "XR24": 4, "YUYV": 2, "UYVY": 2, "YVYU": 2, "VYUY": 2, "GREY": 1}
_SIXTEEN_BITS = ("Y10 ", "Y12 ", "Y16 ")
_SEMIPLANAR, _PLANAR = ("NV12", "NV21"), ("YU12", "YV12")


def rendition_of(
    format: str, size: tuple[int, int] | None, gravity: str | None, crop: tuple[float, float, float, float] | None, orientation: int,
    mirrored: bool, quality: int,
) -> messages.Rendition:
    """The message for what Python's callers say. Raises ValueError for what no node could do."""
    rendition = messages.Rendition(orientation=orientation, mirrored=mirrored, quality=quality)
    name = format.lower()
    if name in ("jpeg", "mjpeg"):
        rendition.encoding = messages.ENCODING_JPEG
    else:
        rendition.encoding = messages.ENCODING_RAW
        if name in PIXEL_FORMATS:
            rendition.pixel_format = fourcc(PIXEL_FORMATS[name])
        elif name != "raw":
            if len(format) != 4 or not format.isascii():
                raise ValueError(f"format {format!r}: there are jpeg, raw, {', '.join(PIXEL_FORMATS)}, and V4L2's codes of four characters")
            rendition.pixel_format = fourcc(format)
    if size is not None:
        rendition.size.width, rendition.size.height = size
    if gravity is not None:
        gravities = {"aspect": "RESIZE_ASPECT", "fill": "RESIZE_ASPECT_FILL", "resize": "RESIZE"}
        if gravity not in gravities:
            raise ValueError(f"gravity {gravity!r}: there are {', '.join(gravities)}")
        rendition.gravity = getattr(messages, f"VIDEO_GRAVITY_{gravities[gravity]}")
    if crop is not None:
        region = rendition.crop
        region.x, region.y, region.width, region.height = crop
    return rendition


class Frame:
    """A frame of a stream.

    `data` are its bytes, written by nobody else from here on; `info` is a `messages.FrameInfo` with number, times, size and settings. `discarded` frames
    before it were left out because this reader or the link was too slow, `thinned` ones for a lower rate. `reconnected`: the connection, the node or the
    camera was gone before it, and frames were missed. `discontinuity` and `reason` say whether and why the stream paused before it.
    """

    __slots__ = ("data", "info", "discarded", "thinned", "discontinuity", "reason", "reconnected", "_order")

    def __init__(self, message: Any, data: bytearray, format: str = "", reconnected: bool = False) -> None:
        self.data, self.info = data, message.info
        self.discarded: int = message.discarded
        self.thinned: int = message.thinned
        self.discontinuity: int = message.discontinuity
        self.reason: str = message.reason
        self.reconnected = reconnected
        self._order = format.lower()

    @property
    def size(self) -> tuple[int, int]:
        """Width and height, in pixels."""
        return self.info.size.width, self.info.size.height

    @property
    def array(self) -> numpy.ndarray[Any, Any]:
        """The picture as a numpy array that can be written to; `data` shares its memory, except as `bgr24` and where rows had to be joined.

        Rows, columns, channels as OpenCV has them: `bgr24` and `rgb24` height × width × 3, `bgra` height × width × 4, `grey` height × width; `nv12` and
        `i420` (height × 3 / 2) × width; packed 4:2:2 height × width × 2; 10 to 16 bits `uint16`. A JPEG, or what else has no rows, is one row of bytes, as
        `cv2.imdecode` takes it.
        """
        picture: numpy.ndarray[Any, Any] = self._array(_numpy())
        return picture

    def _array(self, numpy: Any) -> Any:
        code = fourcc_text(self.info.pixel_format)
        width, height = self.size
        planes = self.info.planes
        if sum(plane.bytes for plane in planes) > len(self.data):
            raise PixelLayoutError(f"a frame of {len(self.data)} bytes has planes of {sum(plane.bytes for plane in planes)}")
        if self.info.encoding == messages.ENCODING_RAW and planes:
            if code in _PACKED:
                return self._packed(numpy, width, height, _PACKED[code])
            if code in _SIXTEEN_BITS:
                return self._rows(numpy, 0, height, 2 * width, planes[0].stride).view("<u2")
            if code in _SEMIPLANAR or code in _PLANAR:
                return self._subsampled(numpy, width, height, 1 if code in _SEMIPLANAR else 2)
        return numpy.frombuffer(self.data, numpy.uint8)

    def _packed(self, numpy: Any, width: int, height: int, channels: int) -> Any:
        rows = self._rows(numpy, 0, height, width * channels, self.info.planes[0].stride)
        if channels == 1:
            return rows
        pixels = rows.reshape(height, width, channels)
        return numpy.ascontiguousarray(pixels[:, :, ::-1]) if self._order == "bgr24" else pixels

    def _rows(self, numpy: Any, first: int, count: int, used: int, stride: int) -> Any:
        """`count` rows of `used` bytes each. What is behind a row's end is left out."""
        if stride < used or first + (count - 1) * stride + used > len(self.data):
            raise PixelLayoutError(f"{count} rows of {used} bytes, {stride} apart, are not in the {len(self.data)} bytes of a frame")
        rows = numpy.ndarray((count, used), numpy.uint8, self.data, first, (stride, 1))
        return rows if stride == used else numpy.ascontiguousarray(rows)

    def _subsampled(self, numpy: Any, width: int, height: int, chroma_planes: int) -> Any:
        planes = list(self.info.planes)
        if len(planes) == 1:  # one plane of the driver has all of them, each row as long as its own plane needs
            stride = planes[0].stride
            strides = [stride] + [stride // chroma_planes] * chroma_planes
            starts = [0] + [height * stride + number * (height // 2) * strides[1] for number in range(chroma_planes)]
        else:
            strides = [plane.stride for plane in planes]
            starts = [sum(plane.bytes for plane in planes[:number]) for number in range(len(planes))]
        heights, widths = [height] + [height // 2] * chroma_planes, [width] + [width // chroma_planes] * chroma_planes
        parts = list(zip(starts, heights, widths, strides))
        if all(wide == stride for _, _, wide, stride in parts) and starts == [sum(h * w for _, h, w, _ in parts[:n]) for n in range(len(parts))]:
            return self._rows(numpy, 0, height * 3 // 2, width, width)
        joined = [self._rows(numpy, *part).reshape(-1) for part in parts]
        return numpy.concatenate(joined).reshape(height * 3 // 2, width)


class FrameJoiner:
    """Makes frames of a subscription's messages. What announcements tell, which have no picture, the next frame tells too."""

    def __init__(self, format: str) -> None:
        self._format = format
        self._discarded = self._thinned = 0
        self._reconnected = False

    def frame(self, message: Any, data: bytearray, reconnected: bool) -> Frame | None:
        self._discarded += message.discarded
        self._thinned += message.thinned
        self._reconnected |= reconnected
        if not data:
            return None
        frame = Frame(message, data, self._format, self._reconnected)
        frame.discarded, frame.thinned = self._discarded, self._thinned
        self._discarded = self._thinned = 0
        self._reconnected = False
        return frame


def _numpy() -> Any:
    try:
        import numpy
    except ImportError:
        raise ImportError("Frame.array needs numpy: pip install numpy, or apt install python3-numpy. Frame.data has the bytes without it") from None
    return numpy
