"""A headless Chromium in a process group of its own, and one websocket to its page (Chrome DevTools Protocol)."""

import json
import os
import shutil
import signal
import subprocess
import tempfile
import time
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

from cuascore.errors import UserError

VARIABLE = "CUASCORE_CHROMIUM"
COMMANDS = ("chromium-headless-shell", "chromium")
FLAGS = (
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-smooth-scrolling",
    # Pages are files; the desktop must be able to reach into the frame that shows the task.
    "--allow-file-access-from-files",
    "--disable-background-networking",
    "--disable-component-update",
    "--no-first-run",
    "--mute-audio",
    "--font-render-hinting=none",
    "--force-color-profile=srgb",
    "--remote-allow-origins=*",
    "--remote-debugging-port=0",
)
GUARD = 'read -r _; kill -s KILL -- "-$0"; sleep 0.2; rm -rf -- "$1"'
START_SECONDS = 30.0
REPLY_SECONDS = 30.0


class BrowserError(RuntimeError):
    """The browser answered with an error, or not at all."""


def find_chromium() -> str:
    """Return the path of the browser's command.

    Raises:
        UserError: there is none, or ``CUASCORE_CHROMIUM`` names none.
    """
    named = os.environ.get(VARIABLE)
    if named:
        found = shutil.which(named)
        if not found:
            raise UserError(f"{VARIABLE}={named}: no such program")
        return found
    for command in COMMANDS:
        if found := shutil.which(command):
            return found
    raise UserError(
        f"no browser: neither {' nor '.join(COMMANDS)} is on PATH; install Debian's chromium-headless-shell "
        f"or name one with {VARIABLE}"
    )


class Browser:
    """One page of one fresh browser. Close it, or use it as a context manager: its processes and profile go with it."""

    def __init__(self) -> None:
        try:
            import websocket
        except ImportError:
            raise UserError(
                "websocket-client is not installed; install the extra: pip install 'cuascore[online]'"
            ) from None
        command = find_chromium()
        self._profile = Path(tempfile.mkdtemp(prefix="cuascore-chromium-"))
        # A session of its own: Debian's launcher is a shell script that does not exec; only the group reaches them all.
        self._process = subprocess.Popen(
            [command, *FLAGS, f"--user-data-dir={self._profile}", "about:blank"],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
        )
        # Whatever ends this process, even SIGKILL, closes the guard's pipe, and the guard ends the browser.
        self._guard = subprocess.Popen(
            ["/bin/sh", "-c", GUARD, str(self._process.pid), str(self._profile)],
            stdin=subprocess.PIPE,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
        )
        self._socket: Any = None
        self._last = 0
        try:
            port, path = self._endpoint()
            self._socket = websocket.create_connection(f"ws://127.0.0.1:{port}{path}", timeout=REPLY_SECONDS)
            target = self._call("Target.createTarget", {"url": "about:blank"}, "")["targetId"]
            self._session = self._call("Target.attachToTarget", {"targetId": target, "flatten": True}, "")["sessionId"]
        except BaseException:
            self.close()
            raise

    def __enter__(self) -> "Browser":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _endpoint(self) -> tuple[str, str]:
        file = self._profile / "DevToolsActivePort"
        end = time.monotonic() + START_SECONDS
        while time.monotonic() < end:
            with suppress(FileNotFoundError):
                lines = file.read_text().split("\n")
                if len(lines) >= 2 and lines[1]:
                    return lines[0], lines[1]
            if self._process.poll() is not None:
                raise BrowserError(f"the browser ended at once with status {self._process.returncode}")
            time.sleep(0.02)
        raise BrowserError(f"the browser did not open its port within {START_SECONDS:.0f} s")

    def _send(self, method: str, parameters: dict[str, Any], session: str) -> int:
        self._last += 1
        message = {"id": self._last, "method": method, "params": parameters}
        if session:
            message["sessionId"] = session
        self._socket.send(json.dumps(message))
        return self._last

    def _call(self, method: str, parameters: dict[str, Any], session: str) -> dict[str, Any]:
        number = self._send(method, parameters, session)
        while True:
            reply = json.loads(self._socket.recv())
            if reply.get("id") != number:
                continue  # an event, or the answer to a call that was given up
            if "error" in reply:
                raise BrowserError(f"{method}: {reply['error'].get('message')}")
            return reply["result"]

    def call_all(self, method: str, calls: Sequence[dict[str, Any]]) -> None:
        """Call a method several times in a row without waiting in between, then wait for all answers.

        A mouse move alone would wait for the next frame of the display; a press behind it sends it on at once.

        Raises:
            BrowserError: the browser refused one.
        """
        waiting = {self._send(method, parameters, self._session) for parameters in calls}
        while waiting:
            reply = json.loads(self._socket.recv())
            waiting.discard(reply.get("id", 0))
            if "error" in reply:
                raise BrowserError(f"{method}: {reply['error'].get('message')}")

    def call(self, method: str, **parameters: Any) -> dict[str, Any]:
        """Call a method of the protocol on the page and return its result.

        Raises:
            BrowserError: the browser refused.
        """
        return self._call(method, parameters, self._session)

    def evaluate(self, expression: str) -> Any:
        """Evaluate JavaScript in the page, await a promise, and return its JSON value.

        Raises:
            BrowserError: the expression threw.
        """
        reply = self.call("Runtime.evaluate", expression=expression, returnByValue=True, awaitPromise=True)
        if "exceptionDetails" in reply:
            details = reply["exceptionDetails"]
            raise BrowserError(details.get("exception", {}).get("description", details["text"]))
        return reply["result"].get("value")

    def close(self) -> None:
        """End the whole process group and remove the profile. Safe to call again."""
        if self._socket is not None:
            with suppress(Exception):
                self._socket.close()
            self._socket = None
        # The guard goes first: later the number of the group might be another's.
        self._guard.kill()
        self._guard.wait()
        if self._guard.stdin is not None:
            self._guard.stdin.close()
        with suppress(ProcessLookupError):
            os.killpg(self._process.pid, signal.SIGKILL)
        with suppress(subprocess.TimeoutExpired):
            self._process.wait(timeout=10)
        shutil.rmtree(self._profile, ignore_errors=True)
