# Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0
"""Pages in a real browser, without a window."""

import html
import json
import re
import shutil
import subprocess
import tempfile
import threading
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from typing import Any

from tidings.errors import UserError

#: What Debian installs, and what others do.
BROWSERS = ("chromium", "chromium-browser", "google-chrome")
_OPTIONS = ("--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--hide-scrollbars")
_PATIENCE_SECONDS = 300
#: Shows a page in a frame of any width, and says what a script found in it.
_FRAME = """<!doctype html><html><body style="margin:0"><pre id="found" hidden></pre>
<iframe id="page" style="border:0;width:{width}px;height:{height}px" srcdoc="{page}"></iframe>
<script>
const frame = document.getElementById("page");
const tell = (value) => {{ document.getElementById("found").textContent = JSON.stringify(value); }};
frame.addEventListener("load", () => setTimeout(async () => {{
  const page = frame.contentDocument, view = frame.contentWindow;
  const pause = () => new Promise((done) => setTimeout(done, 200));
  try {{ tell(await (async () => {{ {script} }})()); }} catch (problem) {{ tell({{ problem: String(problem) }}); }}
}}, 1500));
</script></body></html>"""
_WATCH = (
    "<script>window.problems = []; addEventListener('error', (event) => problems.push(event.message));"
    "addEventListener('unhandledrejection', (event) => problems.push(String(event.reason)));</script></head>"
)
#: Says what a script has found when the page has been loaded and painted.
_CLOCK = """<script>addEventListener("load", () => requestAnimationFrame(() => requestAnimationFrame(async () => {{
  const opened = performance.now();
  const found = await (async () => {{ {script} }})();
  fetch("http://127.0.0.1:{port}/", {{ method: "POST", mode: "no-cors", body: JSON.stringify([opened, found]) }});
}})));</script></head>"""


def find() -> str | None:
    """Return the browser, or None if there is none."""
    return next((path for name in BROWSERS if (path := shutil.which(name)) is not None), None)


def look(
    page: Path,
    folder: Path,
    script: str,
    *,
    width: int = 1280,
    height: int = 6000,
    dark: bool = False,
    screenshot: Path | None = None,
) -> Any:
    """Return what a script finds on a page: the body of an asynchronous function of `page`, `view` and `pause`."""
    text = page.read_text(encoding="utf-8").replace("</head>", _WATCH, 1)
    frame = folder / "frame.html"
    frame.write_text(_FRAME.format(width=width, height=height, page=html.escape(text), script=script), encoding="utf-8")
    command = [_found(), *_OPTIONS]
    command += [f"--user-data-dir={folder / 'profile'}", f"--window-size={max(width, 500)},{height}"]
    command += [f"--blink-settings=preferredColorScheme={0 if dark else 1}", "--virtual-time-budget=20000"]
    command += ["--dump-dom"] if screenshot is None else [f"--screenshot={screenshot}"]
    shown = subprocess.run(
        [*command, frame.as_uri()], capture_output=True, text=True, check=True, timeout=_PATIENCE_SECONDS, cwd=folder
    )
    if screenshot is not None:
        return None
    found = re.search(r'<pre id="found" hidden="">(.*?)</pre>', shown.stdout, re.DOTALL)
    assert found is not None
    return json.loads(html.unescape(found[1]))


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

    command = [_found(), *_OPTIONS, "--window-size=1280,800", "--remote-debugging-port=0"]
    with (
        tempfile.TemporaryDirectory(prefix="tidings-", ignore_cleanup_errors=True) as name,
        HTTPServer(("127.0.0.1", 0), Listener) as server,
    ):
        threading.Thread(target=server.serve_forever, daemon=True).start()
        clock = _CLOCK.format(script=script, port=server.server_port)
        watched = Path(name) / "page.html"
        watched.write_text(page.read_text(encoding="utf-8").replace("</head>", clock, 1), encoding="utf-8")
        line = [*command, f"--user-data-dir={name}/profile", watched.as_uri()]
        with subprocess.Popen(line, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as shown:
            came = done.wait(_PATIENCE_SECONDS)
            shown.terminate()
        server.shutdown()
    if not came:
        message = f"{page} did not open within {_PATIENCE_SECONDS} s in {command[0]}"
        raise UserError(message)
    milliseconds, found = told[0]
    return milliseconds / 1e3, found


def _found() -> str:
    browser = find()
    if browser is None:
        message = f"there is no browser: install one of {', '.join(BROWSERS)}"
        raise UserError(message)
    return browser
