"""Pictures as djpeg, a decoder that is not ours, sees them."""

import subprocess

BARS = ("white", "yellow", "cyan", "green", "magenta", "red", "blue", "black")
COLORS = {
    "white": (255, 255, 255), "yellow": (255, 255, 0), "cyan": (0, 255, 255), "green": (0, 255, 0),
    "magenta": (255, 0, 255), "red": (255, 0, 0), "blue": (0, 0, 255), "black": (0, 0, 0),
}
# Of pictures whose bars are of full colour, whatever they were taken in.
TOLERANCE = 24
# What a JPEG itself may be off from the raw frame.
RAW_TOLERANCE = 6


def decode(jpeg):
    """Width, height and RGB bytes."""
    done = subprocess.run(["djpeg", "-rgb", "-pnm"], input=jpeg, capture_output=True)
    assert done.returncode == 0 and not done.stderr, done.stderr.decode()
    kind, width, height, depth, pixels = done.stdout.replace(b"\n", b" ", 3).split(b" ", 4)
    assert (kind, depth) == (b"P6", b"255"), (kind, depth)
    return int(width), int(height), pixels


def check_bars(jpeg, size):
    """Eight bars of full colour, from the left; the means of a square within each are compared."""
    width, height, pixels = decode(jpeg)
    assert (width, height) == size, (width, height)
    check_colors(pixels, width, height)


def check_colors(pixels, width, height):
    for place, name in enumerate(BARS):
        mean = average(pixels, width, (2 * place + 1) * width // 16, height // 2, radius=8)
        wrong = max(abs(is_ - should) for is_, should in zip(mean, COLORS[name]))
        assert wrong <= TOLERANCE, f"the {name} bar is {mean}"


# How much red and blue count in the luma of each matrix; green counts the rest.
LUMA = {"REC709": (0.2126, 0.0722), "REC2020": (0.2627, 0.0593), "SMPTE240M": (0.212, 0.087)}


def check_as_raw(jpeg, raw, code, matrix, is_full):
    """The middle of each bar has the colours of a raw frame that shows the same, converted in floating point. `matrix`: a name of `LUMA`, for YUYV."""
    width, height, pixels = decode(jpeg)
    bytes_a_pixel = {"YUYV": 2, "RGB3": 3, "GREY": 1}[code]
    assert len(raw) == width * height * bytes_a_pixel, (len(raw), width, height)
    for bar in range(len(BARS)):
        x, y = (2 * bar + 1) * width // 16 & ~1, height // 2
        sample = raw[(y * width + x) * bytes_a_pixel:][:4]
        should = colour(sample, code, matrix, is_full)
        mean = average(pixels, width, x, y, radius=8)
        wrong = max(abs(is_ - wanted) for is_, wanted in zip(mean, should))
        assert wrong <= RAW_TOLERANCE, f"bar {bar} is {mean} and should be {[round(wanted) for wanted in should]}"


def colour(sample, code, matrix, is_full):
    """Red, green and blue, 0 to 255, of the first pixel of a raw sample."""
    def level(byte):
        return min(max(byte if is_full else (byte - 16) * 255 / 219, 0), 255)

    if code != "YUYV":
        return tuple(map(level, sample[:3] if code == "RGB3" else sample[:1] * 3))
    red_weight, blue_weight = LUMA[matrix]
    luma, blue_difference, red_difference = level(sample[0]), *((byte - 128) * 255 / (255 if is_full else 224) for byte in (sample[1], sample[3]))
    red, blue = luma + 2 * (1 - red_weight) * red_difference, luma + 2 * (1 - blue_weight) * blue_difference
    green = (luma - red_weight * red - blue_weight * blue) / (1 - red_weight - blue_weight)
    return tuple(min(max(value, 0), 255) for value in (red, green, blue))


def average(pixels, width, x, y, radius):
    rows = [pixels[3 * (row * width + x - radius):3 * (row * width + x + radius)] for row in range(y - radius, y + radius)]
    together = b"".join(rows)
    return tuple(sum(together[color::3]) // (len(together) // 3) for color in range(3))
