"""The host's hand in the machine: runs commands that come over a virtio-serial line, and sends back what they print.

Lines of JSON. To the machine: ``{"id": 1, "run": ["echo", "hello"]}``, optionally with ``"input"``, text for its
standard input. From it: ``{"id": 1, "out": "hello"}`` a line, then ``{"id": 1, "exit": 0}``. ``{"id": 0, "out":
"ready"}`` comes first. Only the standard library: this is part of the image, below any version of pozo.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import threading
import time
from contextlib import suppress
from typing import Any

PORT = "/dev/virtio-ports/pozo.hil"


class Agent:
    """Serves one line."""

    def __init__(self, port: str) -> None:
        while not os.path.exists(port):  # udev has not come to it yet
            time.sleep(0.05)
        self._port = open(port, "r+b", buffering=0)  # noqa: SIM115 - as long as the machine runs
        self._turn = threading.Lock()

    def serve(self) -> None:
        """Until the machine stops."""
        self.send({"id": 0, "out": "ready"})
        rest = b""
        while True:
            heard = self._port.read(65536)
            if not heard:  # nobody is at the other end
                time.sleep(0.05)
            rest += heard
            *lines, rest = rest.split(b"\n")
            for line in lines:
                threading.Thread(target=self._run, args=(json.loads(line),), daemon=True).start()

    def send(self, message: dict[str, Any]) -> None:
        """Send one line, whole."""
        data = memoryview(json.dumps(message).encode() + b"\n")
        with self._turn:
            while data:
                data = data[self._port.write(data) :]

    def _run(self, asked: dict[str, Any]) -> None:
        number = asked["id"]
        try:
            process = subprocess.Popen(
                asked["run"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
            )
        except OSError as error:
            self.send({"id": number, "out": str(error)})
            self.send({"id": number, "exit": 127})
            return
        assert process.stdin is not None
        assert process.stdout is not None
        with suppress(BrokenPipeError):  # it does not listen
            process.stdin.write(asked.get("input", ""))
        with suppress(BrokenPipeError):
            process.stdin.close()
        for line in process.stdout:
            self.send({"id": number, "out": line.rstrip("\n")})
        self.send({"id": number, "exit": process.wait()})


if __name__ == "__main__":
    Agent(sys.argv[1] if len(sys.argv) > 1 else PORT).serve()
