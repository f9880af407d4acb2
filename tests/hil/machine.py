"""A machine: QEMU, its disk, the line to the hand in it (``tests.hil.guest.agent``), and the switch of its power.

Simulated down to the processor (``tcg``): the bench needs no right to virtualise. Either in real time, or in *virtual*
time, where the machine's clock counts its instructions: what it measures then does not depend on who else is busy.
"""

from __future__ import annotations

import json
import queue
import socket
import subprocess
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

from tests.hil.image import Image

MEMORY_MB = 512
"""A Zero 2 W has no more."""

INSTRUCTION = 0
"""In virtual time an instruction takes two to the power of this, in nanoseconds: 1 ns. Hands and harness share the one
processor with the program: together they have less than the slowest board, a Zero 2 W with four of 1 GHz. Nobody waits
for an idle machine: its clock jumps to what comes next."""

BOOT_S = 180
"""Seconds that a start may take on a slow host."""

KERNEL = (
    "root=/dev/vda rw console=ttyS0 quiet loglevel=4 mitigations=off random.trust_cpu=on no_timer_check panic=-1 "
    "systemd.mask=systemd-networkd-wait-online.service systemd.mask=apt-daily.timer systemd.show_status=0 net.ifnames=0"
)


class MachineError(Exception):
    """The machine does not do what it must; the message says what it was doing, and what its console says."""


class Machine:
    """One machine on `disk`, a qcow2 of its own. `folder` is for its sockets and its console."""

    def __init__(self, image: Image, disk: Path, folder: Path, *, virtual: bool = False, watched: bool = False) -> None:
        self.disk, self.folder = disk, folder
        self.virtual = virtual
        self._image = image
        self._watched = watched
        self._process: subprocess.Popen[bytes] | None = None
        self._hand: _Line | None = None
        self._monitor: _Line | None = None
        self._replies: queue.SimpleQueue[dict[str, Any]] = queue.SimpleQueue()
        self._answers: dict[int, queue.SimpleQueue[dict[str, Any]]] = {}
        self._asked = 0
        self._turn = threading.Lock()

    @property
    def console(self) -> Path:
        """What the machine says on its first serial line."""
        return self.folder / "console"

    @property
    def serial(self) -> Path:
        """The socket that is the other end of its second serial line, ttyS1."""
        return self.folder / "ttyS1"

    # --- power ----------------------------------------------------------------------------------------------

    def on(self, snapshot: str | None = None) -> None:
        """Switch on: cold, or as it was at `snapshot`. Returns when the hand answers. Raises MachineError."""
        self.folder.mkdir(parents=True, exist_ok=True)
        for name in ("hand", "monitor", "ttyS1"):
            (self.folder / name).unlink(missing_ok=True)
        try:
            self._start(snapshot)
        except BaseException:
            self.cut()
            raise

    def _start(self, snapshot: str | None) -> None:
        command = self.command(snapshot)
        with (self.folder / "qemu.log").open("ab") as log:
            # A session of its own: Ctrl-C at a terminal is for the bench, which then ends its machines.
            self._process = subprocess.Popen(
                command, stdin=subprocess.DEVNULL, stdout=log, stderr=log, start_new_session=True
            )
        self._asked, self._answers = 0, {0: queue.SimpleQueue()}
        self._replies = queue.SimpleQueue()
        self._monitor = _Line(self._socket("monitor"), self._replies.put)
        self.monitor("qmp_capabilities")
        self._hand = _Line(self._socket("hand"), self._heard)
        if snapshot is None:
            self._next(0, BOOT_S)
        else:
            self.run("true")

    def cut(self) -> None:
        """Cut the power: nothing in the machine gets to know of it."""
        if self._process is not None:
            self._process.kill()
            self._process.wait()
        self._process = None
        for line in (self._hand, self._monitor):
            if line is not None:
                line.close()
        self._hand = self._monitor = None

    def off(self, within: float = 60) -> None:
        """Let it shut down."""
        self.run("systemctl", "poweroff", check=False)
        if self._process is not None:
            self._process.wait(within)
        self.cut()

    def keep(self, name: str) -> None:
        """Keep the machine as it is now, disk and memory, as the snapshot `name` in its disk."""
        self._said(f"savevm {name}")

    def forget(self, name: str) -> None:
        """Keep the snapshot `name` no longer."""
        self._said(f"delvm {name}")

    def _said(self, line: str) -> None:
        said = self.monitor("human-monitor-command", **{"command-line": line})
        if said.strip():
            raise MachineError(f"{line}: {said.strip()}")

    def plug(self, disk: str, name: str) -> None:
        """Plug in a disk: a raw file, or ``nbd:unix:SOCKET``."""
        if disk.startswith("nbd:"):
            node = {"driver": "nbd", "server": {"type": "unix", "path": disk.removeprefix("nbd:unix:")}}
        else:
            node = {"driver": "file", "filename": disk}
        raw = {"driver": "raw", "node-name": name, "file": {**node, "node-name": f"{name}-file"}}
        self.monitor("blockdev-add", **raw)
        self.monitor("device_add", driver="virtio-blk-pci", drive=name, id=name, serial=name)

    def monitor(self, execute: str, **arguments: Any) -> str:
        """Ask QEMU itself. Raises MachineError."""
        assert self._monitor is not None
        self._monitor.send({"execute": execute, "arguments": arguments})
        while True:  # its events come between
            said = self._taken(self._replies, 60, execute)
            if "error" in said:
                raise MachineError(f"{execute}: {said['error']['desc']}")
            if "return" in said:
                return str(said["return"] or "")

    # --- the hand ---------------------------------------------------------------------------------------------

    def run(self, *words: str, text: str = "", check: bool = True, within: float = 300) -> str:
        """Run a command in the machine; what it prints. Raises MachineError if it fails, or takes too long."""
        lines, status = [], 0
        for said in self.stream(*words, text=text, within=within):
            if isinstance(said, int):
                status = said
            else:
                lines.append(said)
        if check and status != 0:
            raise MachineError(f"{' '.join(words)} (exit {status}):\n" + "\n".join(lines[-60:]))
        return "\n".join(lines)

    def stream(self, *words: str, text: str = "", within: float = 300) -> Iterator[str | int]:
        """Run a command in the machine: its lines as they come, then its exit status. Raises MachineError."""
        with self._turn:
            self._asked += 1
            number = self._asked
            self._answers[number] = queue.SimpleQueue()
        if self._hand is None:
            raise MachineError("the machine is off")
        self._hand.send({"id": number, "run": words, "input": text})
        deadline = time.monotonic() + within
        while True:
            said = self._next(number, deadline - time.monotonic(), " ".join(words))
            if "exit" in said:
                yield said["exit"]
                return
            yield said["out"]

    def put(self, path: str, text: str) -> None:
        """Write a file in the machine."""
        self.run("sh", "-c", f"cat > '{path}'", text=text)

    def _next(self, number: int, within: float, what: str = "the start") -> dict[str, Any]:
        return self._taken(self._answers[number], within, what)

    def _taken(self, answers: queue.SimpleQueue[dict[str, Any]], within: float, what: str) -> dict[str, Any]:
        try:
            said = answers.get(timeout=max(0.001, within))
        except queue.Empty:
            raise MachineError(f"{what}: nothing more was heard. {self._last_words()}") from None
        if said.get("gone"):
            raise MachineError(f"{what}: the machine is gone. {self._last_words()}")
        return said

    def _heard(self, said: dict[str, Any]) -> None:
        if said.get("gone"):
            for answers in tuple(self._answers.values()):
                answers.put(said)
        elif said["id"] in self._answers:
            self._answers[said["id"]].put(said)

    def _last_words(self) -> str:
        said = self.console.read_bytes()[-1500:].decode(errors="replace") if self.console.exists() else ""
        log = (self.folder / "qemu.log").read_bytes()[-600:].decode(errors="replace")
        return f"Its console:\n{said}\n{log}"

    # --- QEMU -------------------------------------------------------------------------------------------------

    def command(self, snapshot: str | None) -> list[str]:
        """What starts it."""
        timed = ["-accel", "tcg,thread=single", "-smp", "1", "-icount", f"shift={INSTRUCTION},sleep=off"]
        processor = timed if self.virtual else ["-accel", "tcg,thread=multi", "-smp", "2"]
        # Whatever becomes of the bench, its machines end with it.
        words = [
            "setpriv",
            "--pdeathsig",
            "KILL",
            "qemu-system-x86_64",
            "-machine",
            "pc",
            "-cpu",
            "max",
            "-m",
            f"{MEMORY_MB}",
            *processor,
        ]
        words += ["-nodefaults", "-display", "none", "-no-reboot", "-nic", "none"]
        words += ["-kernel", f"{self._image.kernel}", "-initrd", f"{self._image.initrd}", "-append", KERNEL]
        # In virtual time what the host's disk takes would pass in the machine, many times over. To the host's memory
        # everything goes that the machine flushes, so nothing of it is lost when QEMU is killed.
        cached = ",cache=unsafe" if self.virtual else ""
        words += ["-drive", f"file={self.disk},if=none,id=root,format=qcow2,discard=unmap{cached}"]
        words += ["-device", "virtio-blk-pci,drive=root", "-device", "virtio-rng-pci", "-device", "virtio-serial-pci"]
        words += ["-chardev", f"socket,id=hand,path={self.folder}/hand,server=on,wait=off"]
        words += ["-device", "virtserialport,chardev=hand,name=pozo.hil"]
        words += ["-serial", f"file:{self.console}"]
        words += ["-chardev", f"socket,id=second,path={self.serial},server=on,wait=off", "-serial", "chardev:second"]
        words += ["-qmp", f"unix:{self.folder}/monitor,server=on,wait=off"]
        if self._watched:
            words += ["-device", "i6300esb", "-action", "watchdog=reset"]
        return [*words, "-loadvm", snapshot] if snapshot else words

    def _socket(self, name: str) -> socket.socket:
        """QEMU's end is there soon after its start."""
        for _ in range(1_000):
            assert self._process is not None
            if self._process.poll() is not None:
                raise MachineError(f"QEMU ended with {self._process.returncode}. {self._last_words()}")
            end = socket.socket(socket.AF_UNIX)
            try:
                end.connect(str(self.folder / name))
            except OSError:
                end.close()
                time.sleep(0.01)
            else:
                return end
        raise MachineError(f"QEMU opens no {name}")


class _Line:
    """Lines of JSON over a socket, heard by a thread."""

    def __init__(self, end: socket.socket, heard: Callable[[dict[str, Any]], None]) -> None:
        self._end = end
        self._heard = heard
        self._thread = threading.Thread(target=self._listen, daemon=True)
        self._thread.start()

    def send(self, message: dict[str, Any]) -> None:
        try:
            self._end.sendall(json.dumps(message).encode() + b"\n")
        except OSError as error:
            raise MachineError(f"the machine is gone: {error}") from error

    def close(self) -> None:
        with suppress(OSError):  # the other end is gone already
            self._end.shutdown(socket.SHUT_RDWR)
        self._thread.join(5)
        self._end.close()

    def _listen(self) -> None:
        rest = b""
        while True:
            try:
                data = self._end.recv(65536)
            except OSError:
                data = b""
            if not data:
                self._heard({"gone": True})
                return
            *lines, rest = (rest + data).split(b"\n")
            for line in lines:
                if line.strip():
                    self._heard(json.loads(line))
