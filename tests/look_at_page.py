#!/usr/bin/env python3
"""Checks a page of `bankline report` in headless Chromium or Firefox, narrow and wide, light and dark.

usage: look_at_page.py BROWSER PAGE.html some|all
       look_at_page.py --paint BROWSER... -- PAGE.html...

The page is shown in a frame of each width, because a browser window cannot be made narrow enough. A script is added to
a copy of the page. It sorts and filters the tables, and reports whether anything is fetched, a script fails, anything
is wider than the frame, a figure lacks a caption or a table, an id occurs twice, a row is taller than one line, text
has too little contrast, or headings are out of order. some: one width in each theme; all: every width in both themes.

--paint prints a table. For each page it shows the time until the largest contentful paint in a browser that has just
started (median and range of PAINTS loads), the same time for an empty page, and the ratio. The two pages are opened
alternately. For Chromium, the table also shows the processor time of the page's main thread until the paint and in all,
from traces of TRACES further loads. Other load of the host hardly changes this time. No test depends on --paint.
"""

import http.server
import json
import math
import os
import pathlib
import queue
import re
import signal
import socket
import statistics
import subprocess
import sys
import tempfile
import threading
import time

PROBE = """
<script>
const seen = {errors: window.__errors, width: innerWidth};
seen.wide = document.documentElement.scrollWidth > document.documentElement.clientWidth;
seen.fetched = performance.getEntriesByType("resource").map((entry) => entry.name);
seen.wordless = [...document.querySelectorAll("figure")].filter(
  (figure) => !figure.querySelector("figcaption")?.textContent.trim() || !figure.querySelector("svg")).length;
seen.tableless = [...document.querySelectorAll("figure")].filter((figure) => !figure.querySelector("table")).length;
const ids = [...document.querySelectorAll("[id]")].map((element) => element.id);
seen.twice = ids.filter((id, i) => ids.indexOf(id) !== i);
seen.nowhere = [...document.querySelectorAll("nav a, a[href^='#']")].filter(
  (link) => !document.getElementById(link.getAttribute("href").slice(1))).length;
seen.contents = document.querySelectorAll("nav a").length === document.querySelectorAll("h2").length;
seen.titles = [...document.querySelectorAll("svg title")].map((title) => title.textContent)
  .filter((text) => /gnuplot|column\(|ARG/i.test(text));
for (const table of document.querySelectorAll("figure details")) table.open = true;
const heights = [...document.querySelectorAll("#rows tbody tr")].map((row) => row.getBoundingClientRect().height);
seen.tall = heights.filter((height) => height > 1.5 * Math.min(...heights)).length;
/* A heading may be broken only between words. */
seen.broken = [...document.querySelectorAll("thead th")].filter((head) => {
  const range = document.createRange();
  range.selectNodeContents(head);
  const tops = new Set([...range.getClientRects()].map((part) => Math.round(part.top / 6)));
  return tops.size > 2 * head.textContent.trim().split(/\\s+/).length;
}).map((head) => head.textContent);
/* Tables of several runs or nights, and source code, may scroll sideways within their part of the page. */
seen.cut = [...document.querySelectorAll(".scroll")].filter(
  (part) => part.scrollWidth > part.clientWidth && !/side by side|source/.test(part.getAttribute("aria-label")))
  .map((part) => `${part.getAttribute("aria-label")}: ${part.scrollWidth} px`);
/* No name of at most 40 letters may be cut, so that the names of different cases look different. */
const names = [...document.querySelectorAll("#rows th[scope=row], .shapes th[scope=row], #curves + .curves th[scope=row]")];
seen.cropped = names.filter((name) => name.checkVisibility() && name.textContent.length <= 40)
  .filter((name) => name.scrollWidth > name.clientWidth)
  .map((name) => name.textContent);
seen.figures = document.querySelectorAll("figure").length;
const levels = [...document.querySelectorAll("h1, h2, h3")].map((heading) => Number(heading.tagName[1]));
seen.headings = levels[0] === 1 && levels.every((level, i) => i === 0 || level <= levels[i - 1] + 1);
const table = document.getElementById("rows"), rows = () => [...table.tBodies[0].rows];
const column = [...table.tHead.rows[0].cells].findIndex((cell) => cell.textContent === "measured");
const button = table.tHead.rows[0].cells[column].querySelector("button");
const numbers = () => rows().map((row) => row.cells[column].textContent.trim()).filter((text) => text !== "").map(Number);
button.click();
seen.ascending = numbers().every((number, i, all) => i === 0 || all[i - 1] <= number);
button.click();
seen.descending = numbers().every((number, i, all) => i === 0 || all[i - 1] >= number);
seen.rows = rows().length;
const form = document.querySelector("form.filter");
form.elements.verdict.value = "confirmed";
form.dispatchEvent(new Event("input"));
const shown = rows().filter((row) => !row.hidden);
seen.filtered = shown.length === rows().filter((row) => row.dataset.verdict === "confirmed").length &&
  shown.every((row) => row.dataset.verdict === "confirmed");
form.elements.verdict.value = "";
form.elements.text.value = "no such row";
form.dispatchEvent(new Event("input"));
seen.none = rows().every((row) => row.hidden);
const summary = document.querySelector("details");
if (summary) summary.open = true;
form.elements.text.value = "";
form.dispatchEvent(new Event("input"));
const figure = rows()[0].cells[column];
figure.click();
const copied = new ClipboardEvent("copy", {clipboardData: new DataTransfer(), bubbles: true, cancelable: true});
figure.dispatchEvent(copied);
seen.copied = copied.clipboardData.getData("text/plain");
const choice = document.querySelector("details.choose[data-table=rows]"), shows = (name) =>
  getComputedStyle([...table.tHead.rows[0].cells].find((head) => head.textContent === name)).display !== "none";
choice.open = true;
choice.dispatchEvent(new Event("toggle"));
const box = [...choice.querySelectorAll("label")].find((label) => label.textContent.trim() === "document")
  .querySelector("input");
seen.chosen = [shows("document")];
for (let i = 0; i < 2; i++) {
  box.click();
  seen.chosen.push(shows("document"));
}
const first = rows()[0];
first.cells[0].click();
seen.opened = first.classList.contains("open");
first.cells[0].click();
const luminance = (text) => {
  const parts = text.match(/[\d.]+/g).slice(0, 3).map((part) => part / 255)
    .map((part) => (part <= 0.03928 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4));
  return 0.2126 * parts[0] + 0.7152 * parts[1] + 0.0722 * parts[2];
};
const paper = getComputedStyle(document.body).backgroundColor;
const under = (element) => {
  for (; element; element = element.parentElement) {
    const colour = getComputedStyle(element).backgroundColor;
    if (colour !== "rgba(0, 0, 0, 0)" && !colour.startsWith("color")) return colour;
  }
  return paper;
};
seen.pale = [...document.querySelectorAll("p, td, th, dt, dd, a, summary, caption, h1, h2, h3, span, b, em, strong, svg text")].filter((element) => {
  const style = getComputedStyle(element), ink = element.closest("svg") ? style.fill : style.color;
  const [a, b] = [luminance(ink), luminance(under(element))].sort((x, y) => y - x);
  return (a + 0.05) / (b + 0.05) < 4.5;
}).length;
seen.dark = luminance(paper) < 0.2;
seen.unnamed = [...document.querySelectorAll("svg")].filter(
  (svg) => !svg.closest("[aria-labelledby]") && !svg.getAttribute("aria-label")).length;
parent.postMessage(JSON.stringify(seen), "*");
</script>
"""
FRAME = """<!DOCTYPE html><body><iframe src="page.html" style="border: 0; width: {width}px; height: 900px"></iframe><script>
addEventListener("message", (event) => {{
  const note = document.createElement("pre");
  note.id = "seen";
  note.textContent = event.data;
  document.body.append(note);
}});
</script></body>"""
VIEWS = {"some": [(420, "dark"), (1400, "light")],
         "all": [(width, theme) for width in (420, 800, 1400) for theme in ("light", "dark")]}
CATCHER = '<script>window.__errors = []; addEventListener("error", (event) => __errors.push(event.message)); ' \
          'addEventListener("securitypolicyviolation", (event) => __errors.push(event.blockedURI));</script>'


# Sends the time of the largest contentful paint to the server two seconds after loading.
PAINT = """<script>
let largest = 0;
new PerformanceObserver((list) => {
  for (const entry of list.getEntries()) largest = entry.startTime;
}).observe({type: "largest-contentful-paint", buffered: true});
addEventListener("load", () => setTimeout(() => fetch("/paint", {method: "POST", body:
  JSON.stringify({paint: largest, elements: document.querySelectorAll("*").length})}), 2000));
</script>"""
EMPTY = '<!DOCTYPE html>\n<html lang="en"><head><meta charset="utf-8"><title>empty</title></head><body><p>Empty.</p></body></html>'
TRACED = "blink.user_timing,loading,disabled-by-default-devtools.timeline"
TRACES, TRACE_S = 3, 10
PAINTS = 9
START_S = 60
CHROMIUM = ["--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage"]


class PaintServer(http.server.BaseHTTPRequestHandler):
    """Serves a page. The page sends back its time of paint and its number of elements, which are put into the server's
    queue."""

    def answer(self, status, body):
        self.send_response(status)
        self.send_header("Content-Type", "text/html; charset=utf-8")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def do_GET(self):  # pylint: disable=invalid-name
        is_page = self.path == "/page.html"
        self.answer(200 if is_page else 404, self.server.page if is_page else b"")

    def do_POST(self):  # pylint: disable=invalid-name
        self.server.paints.put(json.loads(self.rfile.read(int(self.headers["Content-Length"]))))
        self.answer(200, b"")

    def log_message(self, *_):  # pylint: disable=arguments-differ
        pass


class Chromium:
    """Opens every page in a separate browser process, which prints the document after its scripts have run."""

    def __init__(self, program, theme, folder):
        self.command = [program, *CHROMIUM, f"--user-data-dir={folder}/profile",
                        f"--blink-settings=preferredColorScheme={0 if theme == 'dark' else 1}", "--dump-dom"]

    def document(self, address, width):
        done = subprocess.run([*self.command, f"--window-size={width},1000", "--virtual-time-budget=20000", address],
                              capture_output=True, text=True, check=False, timeout=120)
        return done.stdout

    def close(self):
        pass


class Firefox:
    """A browser process that is controlled by the Marionette protocol: over a local socket, JSON texts that each follow
    their length."""

    def __init__(self, program, theme, folder):
        profile = pathlib.Path(folder) / "profile"
        profile.mkdir()
        choices = {"marionette.port": 0,
                   "layout.css.prefers-color-scheme.content-override": 0 if theme == "dark" else 1,
                   "app.update.enabled": False, "datareporting.policy.dataSubmissionEnabled": False,
                   "network.captive-portal-service.enabled": False, "network.connectivity-service.enabled": False}
        (profile / "user.js").write_text("".join(f"user_pref({json.dumps(name)}, {json.dumps(value)});\n"
                                                 for name, value in choices.items()), encoding="utf-8")
        # pylint: disable=consider-using-with
        self.process = subprocess.Popen([program, "--headless", "--no-remote", "--marionette", "--profile", profile],
                                        stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True,
                                        env={**os.environ, "HOME": str(folder)})
        try:
            self.socket = socket.create_connection(("127.0.0.1", self.port(profile)), timeout=120)
            self.file = self.socket.makefile("rb")
            self.read()  # the browser's greeting
            self.calls = 0
            self.call("WebDriver:NewSession", {})
        except BaseException:
            os.killpg(self.process.pid, signal.SIGKILL)
            raise

    def port(self, profile):
        port = profile / "MarionetteActivePort"
        end = time.monotonic() + START_S
        while time.monotonic() < end and self.process.poll() is None:
            if port.exists() and port.read_text(encoding="ascii"):
                return int(port.read_text(encoding="ascii"))
            time.sleep(0.1)
        sys.exit("Firefox opened no port")

    def read(self):
        size = b""
        while not size.endswith(b":"):
            byte = self.file.read(1)
            if not byte:
                sys.exit("Firefox closed its port")
            size += byte
        return json.loads(self.file.read(int(size[:-1])))

    def call(self, name, values):
        self.calls += 1
        message = json.dumps([0, self.calls, name, values]).encode()
        self.socket.sendall(b"%d:%s" % (len(message), message))
        _, _, error, result = self.read()
        if error:
            sys.exit(f"Firefox, {name}: {error['message']}")
        return result

    def document(self, address, width):
        self.call("WebDriver:SetWindowRect", {"width": width, "height": 1000})
        self.call("WebDriver:Navigate", {"url": address})
        script = "return document.documentElement.outerHTML"
        text = self.call("WebDriver:ExecuteScript", {"script": script, "args": []})["value"]
        end = time.monotonic() + START_S
        while 'id="seen"' not in text and time.monotonic() < end:
            time.sleep(0.1)
            text = self.call("WebDriver:ExecuteScript", {"script": script, "args": []})["value"]
        return text

    def close(self):
        self.call("Marionette:Quit", {"flags": ["eForceQuit"]})
        self.process.wait(timeout=60)


def name_of(program):
    return "Firefox" if "firefox" in pathlib.Path(program).name else "Chromium"


def opened(program, theme, folder):
    return {"Firefox": Firefox, "Chromium": Chromium}[name_of(program)](program, theme, folder)


def paint_of(program, text, trace=None):
    """Starts a browser, loads the page, and returns {"paint": time of the largest contentful paint in ms, "elements":
    number of elements}. trace: the file into which Chromium writes a trace, or None."""
    traced = [f"--trace-startup={TRACED}", f"--trace-startup-file={trace}", "--trace-startup-format=json",
              f"--trace-startup-duration={TRACE_S}"] if trace else []
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder, \
            http.server.ThreadingHTTPServer(("127.0.0.1", 0), PaintServer) as server:
        server.page, server.paints = text.replace("</title>", "</title>" + PAINT, 1).encode(), queue.Queue()
        threading.Thread(target=server.serve_forever, daemon=True).start()
        options = {"Firefox": ["--headless", "--no-remote", "--profile", folder],
                   "Chromium": [*CHROMIUM, f"--user-data-dir={folder}", "--window-size=1400,1000",
                                "--remote-debugging-port=0", *traced]}[name_of(program)]
        with subprocess.Popen([program, *options, f"http://127.0.0.1:{server.server_port}/page.html"],
                              stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as browser:
            try:
                seen = server.paints.get(timeout=START_S)
                end = time.monotonic() + START_S
                while trace and not trace.exists() and time.monotonic() < end:
                    time.sleep(0.1)
                return seen
            finally:
                browser.terminate()
                server.shutdown()


def main_thread_ms(program, text):
    """Returns the processor time of the page's main thread in ms: until the largest contentful paint, and in all."""
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        path = pathlib.Path(folder) / "trace.json"
        paint_of(program, text, path)
        events = json.loads(path.read_text(encoding="utf-8"))["traceEvents"]
    begun = [event for event in events if event["name"] == "navigationStart" and "/page.html" in str(event["args"])]
    process = begun[-1]["pid"]
    own = [event for event in events if event["pid"] == process]
    painted = max(event["ts"] for event in own if event["name"] == "largestContentfulPaint::Candidate")
    thread = next(event["tid"] for event in own if event["args"].get("name") == "CrRendererMain")
    tasks = [event for event in own if event["name"] == "RunTask" and event["tid"] == thread and
             event["ts"] >= begun[-1]["ts"]]
    return [sum(task.get("tdur", 0) for task in tasks if task["ts"] < end) / 1000 for end in (painted, math.inf)]


def print_paints(programs, pages):
    print(f"{PAINTS} loads of each page, alternating with loads of an empty page; {os.cpu_count()} cores; load average "
          f"before the first load: {os.getloadavg()[0]:.1f}\n")
    print("| page | KB | elements | browser | paint, median | min | max | empty page, median | ratio "
          "| main thread, until the paint and in all | empty page, main thread |\n"
          "| --- | ---: | ---: | --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: |")
    for page in pages:
        text = pathlib.Path(page).read_text(encoding="utf-8")
        text = re.sub(r'<meta http-equiv="Content-Security-Policy"[^>]*>', "", text)
        for program in programs:
            version = re.search(r"[\d.]+\d", subprocess.run([program, "--version"], capture_output=True, text=True,
                                                            check=True).stdout).group(0)
            seen = [(paint_of(program, text), paint_of(program, EMPTY)) for _ in range(PAINTS)]
            own, empty = ([one[i]["paint"] for one in seen] for i in range(2))
            threads = ["", ""]
            if name_of(program) == "Chromium":
                threads = [", ".join(f"{statistics.median(times):.0f}" for times in
                                     zip(*(main_thread_ms(program, one) for _ in range(TRACES)))) + " ms"
                           for one in (text, EMPTY)]
            print(f"| {pathlib.Path(page).stem} | {pathlib.Path(page).stat().st_size / 1000:.0f} "
                  f"| {seen[0][0]['elements']} | {name_of(program)} {version} | {statistics.median(own):.0f} ms "
                  f"| {min(own):.0f} | {max(own):.0f} | {statistics.median(empty):.0f} ms "
                  f"| {statistics.median(own) / statistics.median(empty):.2f} | {' | '.join(threads)} |", flush=True)


def look(browser, page, width, theme, folder):
    """Opens the page in a frame of this width. Returns what the script PROBE in the page reports."""
    text = pathlib.Path(page).read_text(encoding="utf-8")
    copy, frame = pathlib.Path(folder) / "page.html", pathlib.Path(folder) / "frame.html"
    copy.write_text(text.replace("</title>", "</title>" + CATCHER, 1).replace("</body>", PROBE + "</body>"),
                    encoding="utf-8")
    frame.write_text(FRAME.format(width=width), encoding="utf-8")
    document = browser.document(frame.as_uri(), width + 100)
    found = re.search(r'<pre id="seen">(.*?)</pre>', document, re.S)
    if not found:
        sys.exit(f"{width} px, {theme}: the browser showed nothing: {document[-500:]}")
    return json.loads(found.group(1).replace("&lt;", "<").replace("&gt;", ">").replace("&amp;", "&"))


def faults_of(seen, width, theme):
    wanted = {"errors": [], "wide": False, "fetched": [], "wordless": 0, "headings": True, "ascending": True,
              "descending": True, "filtered": True, "none": True, "pale": 0, "unnamed": 0, "tableless": 0,
              "twice": [], "nowhere": 0, "contents": True, "titles": [], "tall": 0, "broken": [], "cut": [],
              "cropped": [],
              "width": width, "dark": theme == "dark", "chosen": [False, True, False], "opened": True}
    faults = [f"{name} is {seen[name]}, not {value}" for name, value in wanted.items() if seen[name] != value]
    if not re.fullmatch(r"[0-9.]+ of the baseline's throughput", seen["copied"]):
        faults.append(f"copied is '{seen['copied']}'")
    if seen["rows"] < 1 or seen["figures"] < 1:
        faults.append(f"{seen['rows']} rows and {seen['figures']} figures")
    return faults


def main():
    if sys.argv[1] == "--paint":
        end = sys.argv.index("--")
        print_paints(sys.argv[2:end], sys.argv[end + 1:])
        return 0
    program, page, views = sys.argv[1:4]
    faults = []
    for theme in ("light", "dark"):
        with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
            browser = opened(program, theme, folder)
            for width in [width for width, of in VIEWS[views] if of == theme]:
                faults += [f"{name_of(program)}, {width} px, {theme}: {fault}"
                           for fault in faults_of(look(browser, page, width, theme, folder), width, theme)]
            browser.close()
    print("\n".join(faults) or f"{page} is as it should be in {len(VIEWS[views])} views of {name_of(program)}")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
