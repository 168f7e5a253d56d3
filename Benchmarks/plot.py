"""Draws curves as SVG, which is text: a change of the figures is a change of lines."""

WIDTH, HEIGHT, LEFT, TOP, ACROSS, DOWN, GAP = 760, 300, 60, 40, 280, 200, 100
INK, LINE = "#57606a", "#0969da"


def growth(points):
    """`points`: clients, processor time in percent of a core, resident memory in MB."""
    clients = [point[0] for point in points]
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" font-family="sans-serif" font-size="12" fill="{INK}">',
        f'<rect width="{WIDTH}" height="{HEIGHT}" fill="#ffffff"/>',
        *panel(LEFT, "processor time, % of one core", clients, [point[1] for point in points]),
        *panel(LEFT + ACROSS + GAP, "resident memory, MB", clients, [point[2] for point in points]),
        "</svg>",
    ]
    return "\n".join(parts) + "\n"


def panel(left, title, across, up):
    """One curve over the number of clients, both axes from nothing."""
    most_across, most_up = round_up(max(across)), round_up(max(up))

    def place(x, y):
        return left + ACROSS * x / most_across, TOP + DOWN * (1 - y / most_up)

    yield f'<text x="{left}" y="{TOP - 16}" font-weight="bold">{title}</text>'
    for step in range(5):
        value = most_up * step / 4
        _, y = place(0, value)
        yield f'<line x1="{left}" x2="{left + ACROSS}" y1="{y:.1f}" y2="{y:.1f}" stroke="#d0d7de"/>'
        yield f'<text x="{left - 8}" y="{y + 4:.1f}" text-anchor="end">{value:g}</text>'
        x, _ = place(most_across * step / 4, 0)
        yield f'<text x="{x:.1f}" y="{TOP + DOWN + 18}" text-anchor="middle">{most_across * step / 4:g}</text>'
    yield f'<text x="{left + ACROSS / 2}" y="{TOP + DOWN + 38}" text-anchor="middle">clients</text>'
    places = [place(x, y) for x, y in zip(across, up)]
    yield f'<polyline fill="none" stroke="{LINE}" stroke-width="2" points="{" ".join(f"{x:.1f},{y:.1f}" for x, y in places)}"/>'
    for x, y in places:
        yield f'<circle cx="{x:.1f}" cy="{y:.1f}" r="2.5" fill="{LINE}"/>'


def round_up(value):
    """To a number that four steps lead to: 4, 8, 12, 20, 40 times a power of ten."""
    power = 1.0
    while power * 4 < value:
        for steps in (4, 6, 8, 10, 12, 16, 20, 28):
            if steps * power >= value:
                return steps * power
        power *= 10
    return 4 * power
