# Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0
"""Pages in a real browser, without a window."""

import html
import json
import shutil
import subprocess
import tempfile
import threading
from collections.abc import Callable, Sequence
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from typing import Any

from tidings.errors import UserError

#: What Debian installs, and what others do.
BROWSERS = ("chromium", "chromium-browser", "google-chrome")
_OPTIONS = ("--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--hide-scrollbars")
_PATIENCE_SECONDS = 300
#: Shows a page in a frame of any width, and says what a script found in it.
_FRAME = """<!doctype html><html><body style="margin:0">
<iframe id="page" style="border:0;width:{width}px;height:{height}px" srcdoc="{page}"></iframe>
<script>
const frame = document.getElementById("page");
frame.addEventListener("load", async () => {{
  const page = frame.contentDocument, view = frame.contentWindow;
  const pause = () => new Promise((done) => setTimeout(done, 100));
  const until = async (holds) => {{ for (let tries = 0; !holds() && tries < 600; ++tries) await pause(); }};
  let found;
  try {{ found = await (async () => {{ {script} }})(); }} catch (problem) {{ found = {{ problem: String(problem) }}; }}
  {tell}
}});
</script></body></html>"""
_WATCH = (
    "<script>window.problems = []; addEventListener('error', (event) => problems.push(event.message));"
    "addEventListener('unhandledrejection', (event) => problems.push(String(event.reason)));</script></head>"
)
#: Says what a script has found when the page has been loaded and painted.
_CLOCK = """<script>addEventListener("load", () => requestAnimationFrame(() => requestAnimationFrame(async () => {{
  const opened = performance.now();
  const found = [opened, await (async () => {{ {script} }})()];
  {tell}
}})));</script></head>"""


def find() -> str | None:
    """Return the browser, or None if there is none."""
    return next((path for name in BROWSERS if (path := shutil.which(name)) is not None), None)


def look(page: Path, folder: Path, script: str, *, width: int = 1280, height: int = 6000, dark: bool = False) -> Any:
    """Return what a script finds: the body of an asynchronous function of `page`, `view`, `pause` and `until`."""
    frame = folder / "frame.html"
    options = [f"--window-size={max(width, 500)},{height}", *_scheme(dark)]
    return _told(frame, lambda tell: _framed(page, width, height, script, tell), options)


def photograph(page: Path, picture: Path, *, width: int = 1280, height: int = 800, dark: bool = False) -> None:
    """Write a picture of the top of a page, as PNG.

    Raises
    ------
    UserError
        If there is no browser.
    """
    with tempfile.TemporaryDirectory(prefix="tidings-", ignore_cleanup_errors=True) as name:
        frame = Path(name) / "frame.html"
        frame.write_text(_framed(page, width, height, "", ""), encoding="utf-8")
        line = [_found(), *_OPTIONS, *_scheme(dark), f"--user-data-dir={name}/profile"]
        line += [f"--window-size={max(width, 500)},{height}", "--virtual-time-budget=20000"]
        line += [f"--screenshot={picture}", frame.as_uri()]
        subprocess.run(line, capture_output=True, check=True, timeout=_PATIENCE_SECONDS)


def opened(page: Path, script: str = "") -> tuple[float, Any]:
    """Open a page as a user does, and return after how many seconds it was painted, and what a script found then.

    Parameters
    ----------
    page : Path
        The HTML file.
    script : str
        The body of an asynchronous function on the page.

    Raises
    ------
    UserError
        If there is no browser, or the page does not open.
    """
    with tempfile.TemporaryDirectory(prefix="tidings-") as name:

        def clocked(tell: str) -> str:
            clock = _CLOCK.format(script=script, tell=tell)
            return page.read_text(encoding="utf-8").replace("</head>", clock, 1)

        milliseconds, found = _told(Path(name) / "page.html", clocked, ["--window-size=1280,800"])
    return milliseconds / 1e3, found


def _scheme(dark: bool) -> list[str]:
    return [f"--blink-settings=preferredColorScheme={0 if dark else 1}"]


def _framed(page: Path, width: int, height: int, script: str, tell: str) -> str:
    text = html.escape(page.read_text(encoding="utf-8").replace("</head>", _WATCH, 1))
    return _FRAME.format(width=width, height=height, page=text, script=script, tell=tell)


def _told(file: Path, page: Callable[[str], str], options: Sequence[str]) -> Any:
    """Show a page, and return what it tells by the statement that it is made with, which sends `found`."""
    told: list[Any] = []
    done = threading.Event()

    class Listener(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            told.append(json.loads(self.rfile.read(int(self.headers["Content-Length"]))))
            self.send_response(204)
            self.end_headers()
            done.set()

        def log_message(self, format: str, *args: object) -> None:  # noqa: A002, the name of the base class
            """Say nothing."""

    with (
        tempfile.TemporaryDirectory(prefix="tidings-", ignore_cleanup_errors=True) as profile,
        HTTPServer(("127.0.0.1", 0), Listener) as server,
    ):
        threading.Thread(target=server.serve_forever, daemon=True).start()
        body = '{ method: "POST", mode: "no-cors", body: JSON.stringify(found) }'
        file.write_text(page(f'fetch("http://127.0.0.1:{server.server_port}/", {body});'), encoding="utf-8")
        line = [_found(), *_OPTIONS, *options, "--remote-debugging-port=0", f"--user-data-dir={profile}"]
        with subprocess.Popen([*line, file.as_uri()], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as shown:
            came = done.wait(_PATIENCE_SECONDS)
            shown.terminate()
        server.shutdown()
    if not came:
        message = f"{file} did not open within {_PATIENCE_SECONDS} s in {line[0]}"
        raise UserError(message)
    return told[0]


def _found() -> str:
    browser = find()
    if browser is None:
        message = f"there is no browser: install one of {', '.join(BROWSERS)}"
        raise UserError(message)
    return browser
