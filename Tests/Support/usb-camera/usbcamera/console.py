"""The control socket: a command a line, an answer a line, "ok …" or "error …"."""

import asyncio
import json

from .controls import BY_NAME, Refused
from .faults import Faults

HELP = """\
status                        what the camera is doing, as JSON
wait STATE [SECONDS]          until it is attached, detached, streaming or idle (10 s)
get CONTROL                   its value in the camera
set CONTROL VALUE… [silently] the camera changes it by itself, and says so on its status endpoint unless silently
requests                      the requests for controls since the last time, as JSON, oldest first
press                         the button, down and up
unplug, plug                  the cable
serial [TEXT]                 of the device, or none; from the next plugging in on
spoil KIND [COUNT]            makes the next frames bad: truncate, corrupt, headless, error, skip
stall, resume                 the stream goes silent, and on
halt                          the video endpoint stalls
refuse CONTROL CODE [COUNT]   SET_CUR is stalled with a UVC error code, 1 to 8, so often; 0 lifts it
subject FOCUS|none            raw pictures are sharp with that focus_absolute, and blurred with others; none: they do not tell
delay CONTROL SECONDS         its SET_CUR and GET_CUR take that long; 0 lifts it
withhold, answer              answers to what the host gives up: none, until they are lifted; the driver hangs meanwhile
reset                         lifts all faults and restores all defaults
help                          this, as JSON"""


class Console:
    """Serves commands for some cameras. A line may begin with a camera's number (default: 0)."""

    def __init__(self, cameras):
        self._cameras = cameras

    async def start(self, port):
        self._server = await asyncio.start_server(self._serve, "127.0.0.1", port)
        return self._server.sockets[0].getsockname()[1]

    async def _serve(self, reader, writer):
        try:
            while line := await reader.readline():
                try:
                    answer = f"ok {await self._answer(line.decode().split()) or ''}".rstrip()
                except (LookupError, OverflowError, Refused, TypeError, ValueError, TimeoutError) as error:
                    answer = f"error {type(error).__name__}: {error}"
                writer.write(answer.encode() + b"\n")
                await writer.drain()
        except ConnectionError:
            pass
        finally:
            writer.close()

    async def _answer(self, words):
        number = int(words.pop(0)) if words and words[0].isdecimal() else 0
        camera = self._cameras[number]
        command, *arguments = words
        method = getattr(self, f"do_{command}", None)
        if not method:
            raise ValueError(f"no command {command}; there are: {', '.join(sorted(commands()))}")
        answer = method(camera, *arguments)
        return await answer if asyncio.iscoroutine(answer) else answer

    def do_help(self, camera):
        return json.dumps(HELP.splitlines())

    def do_status(self, camera):
        stream = camera.stream
        mode = stream.running and f"{stream.mode.fourcc} {stream.mode.width}x{stream.mode.height} {stream.rate:g}"
        return json.dumps({
            "plugged": camera.plugged, "attached": camera.link is not None, "serial": camera.serial,
            "streaming": mode or None, "next": stream.number, "sent": stream.sent,
        })

    async def do_wait(self, camera, state, seconds="10"):
        conditions = {
            "attached": lambda: camera.link is not None,
            "detached": lambda: camera.link is None,
            "streaming": lambda: camera.stream.running,
            "idle": lambda: not camera.stream.running,
        }
        await asyncio.wait_for(camera.until(conditions[state]), float(seconds))

    def do_get(self, camera, name):
        return " ".join(map(str, camera.bank.values[BY_NAME[name].name]))

    def do_set(self, camera, name, *words):
        control = BY_NAME[name]
        announced = words[-1] != "silently"
        value = tuple(int(word) for word in (words if announced else words[:-1]))
        if len(value) != control.count:
            raise ValueError(f"{name} takes {control.count} numbers")
        control.check(value)
        camera.change(control, value, announced)

    def do_requests(self, camera):
        answer = json.dumps(list(camera.requests))
        camera.requests.clear()
        return answer

    def do_press(self, camera):
        camera.press()

    def do_unplug(self, camera):
        camera.unplug()

    def do_plug(self, camera):
        camera.plug()

    def do_serial(self, camera, text=None):
        camera.serial = text

    def do_spoil(self, camera, kind, count="1"):
        if kind not in Faults.FRAMES:
            raise ValueError(f"no kind {kind}; there are: {', '.join(Faults.FRAMES)}")
        camera.faults.spoil(kind, int(count))

    def do_stall(self, camera):
        camera.faults.stall()

    def do_resume(self, camera):
        camera.faults.resume()

    def do_halt(self, camera):
        camera.faults.halted = True

    def do_refuse(self, camera, name, code, count=None):
        camera.faults.refuse(BY_NAME[name].name, int(code), count and int(count))

    def do_delay(self, camera, name, seconds):
        camera.faults.delays[BY_NAME[name].name] = float(seconds)

    def do_subject(self, camera, focus):
        camera.subject = None if focus == "none" else int(focus)

    def do_withhold(self, camera):
        camera.withhold(True)

    def do_answer(self, camera):
        camera.withhold(False)

    def do_reset(self, camera):
        camera.faults.reset()
        camera.withhold(False)
        camera.subject = None
        camera.bank.reset()
        camera.requests.clear()


def commands():
    return [name[3:] for name in dir(Console) if name.startswith("do_")]
