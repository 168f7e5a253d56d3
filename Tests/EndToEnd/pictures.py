"""Pictures as djpeg, a decoder that is not ours, sees them."""

import subprocess

BARS = ("white", "yellow", "cyan", "green", "magenta", "red", "blue", "black")
COLORS = {
    "white": (255, 255, 255), "yellow": (255, 255, 0), "cyan": (0, 255, 255), "green": (0, 255, 0),
    "magenta": (255, 0, 255), "red": (255, 0, 0), "blue": (0, 0, 255), "black": (0, 0, 0),
}
TOLERANCE = 24


def decode(jpeg):
    """Width, height and RGB bytes."""
    done = subprocess.run(["djpeg", "-pnm"], input=jpeg, capture_output=True)
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


def average(pixels, width, x, y, radius):
    rows = [pixels[3 * (row * width + x - radius):3 * (row * width + x + radius)] for row in range(y - radius, y + radius)]
    together = b"".join(rows)
    return tuple(sum(together[color::3]) // (len(together) // 3) for color in range(3))
