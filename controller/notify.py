"""Telling systemd how we are: one datagram a message (sd_notify(3)); see ADR 0005."""

from __future__ import annotations

import os
import socket

PATIENCE_S = 0.02
"""No table waits longer for a listener whose mailbox is full."""


def notify(message: str) -> bool:
    """Send "READY=1", "WATCHDOG=1", "STATUS=…" or "STOPPING=1". False when nobody listens, which is no error."""
    path = os.environ.get("NOTIFY_SOCKET", "")
    if not path:
        return False
    address = "\0" + path[1:] if path.startswith("@") else path
    try:
        with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM | socket.SOCK_CLOEXEC) as s:
            s.settimeout(PATIENCE_S)
            s.sendto(message.encode(), address)
    except OSError:
        return False
    return True


def watchdog_s() -> float:
    """How often systemd wants to hear from us at least, in seconds; 0 when it does not watch this process."""
    if os.environ.get("WATCHDOG_PID", str(os.getpid())) != str(os.getpid()):
        return 0.0
    try:
        return max(0, int(os.environ.get("WATCHDOG_USEC", "0"))) / 1e6
    except ValueError:
        return 0.0
