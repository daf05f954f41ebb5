# Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0
"""Pages in a real browser, without a window."""

import html
import json
import re
import shutil
import subprocess
from pathlib import Path
from typing import Any

#: What Debian installs, and what others do.
BROWSERS = ("chromium", "chromium-browser", "google-chrome")
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
    browser = find()
    assert browser is not None
    command = [browser, "--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--hide-scrollbars"]
    command += [f"--user-data-dir={folder / 'profile'}", f"--window-size={max(width, 500)},{height}"]
    command += [f"--blink-settings=preferredColorScheme={0 if dark else 1}", "--virtual-time-budget=20000"]
    command += ["--dump-dom"] if screenshot is None else [f"--screenshot={screenshot}"]
    shown = subprocess.run(
        [*command, frame.as_uri()], capture_output=True, text=True, check=True, timeout=300, cwd=folder
    )
    if screenshot is not None:
        return None
    found = re.search(r'<pre id="found" hidden="">(.*?)</pre>', shown.stdout, re.DOTALL)
    assert found is not None
    return json.loads(html.unescape(found[1]))
