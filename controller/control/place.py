"""Where the control socket is: opened early and alone, since a start need not wait for what is said there."""

from __future__ import annotations

import errno
import os
import socket
from pathlib import Path

from controller.core.messages import msg

MODE = 0o660
"""Of the socket's file: its owner and its group may connect."""


class ControlError(Exception):
    """The socket cannot be opened; `text` is a message id that `values` fill. As a string: English."""

    def __init__(self, text: str, **values: str) -> None:
        super().__init__(text.format_map(values))
        self.text = text
        self.values = values


def listening_socket(path: Path) -> socket.socket:
    """A listening socket at `path`, for its owner and group. Removes the file of a daemon that is no more.

    Raises ControlError: somebody listens there, another file is there, or the place cannot be used.
    """
    sock = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM | socket.SOCK_CLOEXEC | socket.SOCK_NONBLOCK)
    try:
        _make_room(path)
        mask = os.umask(0o777 & ~MODE)
        try:
            sock.bind(str(path))
        finally:
            os.umask(mask)
        sock.listen()
    except (OSError, ControlError) as error:
        sock.close()
        if isinstance(error, ControlError):
            raise
        raise ControlError(
            msg("The control socket {path} cannot be opened: {why}."), path=str(path), why=error.strerror or str(error)
        ) from error
    return sock


def _make_room(path: Path) -> None:
    """Raises OSError or ControlError if there is none."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM | socket.SOCK_NONBLOCK) as probe:
        failure = probe.connect_ex(str(path))
    if failure == errno.ENOENT:
        return
    if failure in (0, errno.EAGAIN):
        raise ControlError(
            msg("Another program listens at {path}: stop it, or give this table another socket."), path=str(path)
        )
    if failure != errno.ECONNREFUSED:
        raise OSError(failure, os.strerror(failure))
    if not path.is_socket():
        raise ControlError(
            msg("The file {path} is no socket: move it away, or give this table another socket."), path=str(path)
        )
    path.unlink()
