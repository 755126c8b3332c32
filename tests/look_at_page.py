#!/usr/bin/env python3
"""Opens a page in headless Chromium, narrow and wide, light and dark: look_at_page.py CHROMIUM PAGE.html some|all

The page lies in a frame of that width, for windows have a least one. A script is added to a copy of it, which
sorts and filters its tables and reports what it sees; nothing may be fetched, no script may fail, nothing may be
wider than the window, every figure must have words and a table, no id may be there twice, rows must be one line
tall, text must stand out, and headings must be in order. some: one width of each theme, all: every width of both.
all prints how long the largest contentful paint took, too; nothing depends on that. Where Firefox is installed, the
page is opened there as well.
"""

import functools
import http.server
import json
import pathlib
import re
import shutil
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
const heights = [...document.querySelectorAll("#rows tbody tr")].map((row) => row.getBoundingClientRect().height);
seen.tall = heights.filter((height) => height > 1.5 * Math.min(...heights)).length;
/* What is read beside each other, runs or nights, may scroll in its own part of the page. */
seen.cut = innerWidth > 500 ? [] : [...document.querySelectorAll(".scroll")].filter(
  (part) => part.scrollWidth > part.clientWidth && !/side by side|source/.test(part.getAttribute("aria-label")))
  .map((part) => `${part.getAttribute("aria-label")}: ${part.scrollWidth} px`);
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


# The browser prints the document when it has loaded: an image that comes late gives it the time to paint.
PAINT = """<script>
let largest = "not seen";
new PerformanceObserver((list) => {
  for (const entry of list.getEntries()) largest = `${Math.round(entry.startTime)} ms (${entry.element?.tagName})`;
}).observe({type: "largest-contentful-paint", buffered: true});
addEventListener("load", () => document.body.setAttribute("data-paint", largest));
</script>"""
PAINT_WAIT_S = 4


class Server(http.server.SimpleHTTPRequestHandler):
    def do_GET(self):  # pylint: disable=invalid-name
        if self.path == "/late":
            time.sleep(PAINT_WAIT_S)
            self.send_error(404)
        else:
            super().do_GET()

    def log_message(self, *_):  # pylint: disable=arguments-differ
        pass


def largest_paint(browser, page):
    """How long the largest contentful paint took, in words."""
    with tempfile.TemporaryDirectory() as folder:
        text = pathlib.Path(page).read_text(encoding="utf-8").replace("</title>", "</title>" + PAINT, 1)
        text = text.replace("</body>", '<img src="/late" alt="" width="1" height="1"></body>')
        (pathlib.Path(folder) / "page.html").write_text(text, encoding="utf-8")
        handler = functools.partial(Server, directory=folder)
        with http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
            threading.Thread(target=server.serve_forever, daemon=True).start()
            done = subprocess.run([browser, "--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage",
                                   f"--user-data-dir={folder}/profile", "--window-size=1400,1000", "--dump-dom",
                                   f"http://127.0.0.1:{server.server_port}/page.html"],
                                  capture_output=True, text=True, check=False, timeout=120)
            server.shutdown()
    found = re.search(r'data-paint="([^"]*)"', done.stdout)
    return found.group(1) if found else "not seen"


def look_in_firefox(page):
    """A sentence: whether Firefox opened the page."""
    firefox = shutil.which("firefox-esr") or shutil.which("firefox")
    if not firefox:
        return "skipped: the page in Firefox (not installed)"
    with tempfile.TemporaryDirectory() as folder:
        picture = pathlib.Path(folder) / "page.png"
        subprocess.run([firefox, "--headless", "--no-remote", "--profile", folder, "--screenshot", str(picture),
                        "--window-size=1400", pathlib.Path(page).resolve().as_uri()],
                       capture_output=True, check=False, timeout=120)
        return "Firefox draws it" if picture.exists() and picture.stat().st_size > 10000 else "Firefox draws nothing"


def look(browser, page, width, theme):
    """What the page's probe saw."""
    with tempfile.TemporaryDirectory() as folder:
        text = pathlib.Path(page).read_text(encoding="utf-8")
        copy, frame = pathlib.Path(folder) / "page.html", pathlib.Path(folder) / "frame.html"
        copy.write_text(text.replace("</title>", "</title>" + CATCHER, 1).replace("</body>", PROBE + "</body>"),
                        encoding="utf-8")
        frame.write_text(FRAME.format(width=width), encoding="utf-8")
        done = subprocess.run([browser, "--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage",
                               f"--user-data-dir={folder}/profile", f"--window-size={width + 100},1000",
                               f"--blink-settings=preferredColorScheme={0 if theme == 'dark' else 1}",
                               "--virtual-time-budget=20000", "--dump-dom", frame.as_uri()],
                              capture_output=True, text=True, check=False, timeout=120)
    found = re.search(r'<pre id="seen">(.*?)</pre>', done.stdout, re.S)
    if not found:
        sys.exit(f"{width} px, {theme}: the browser showed nothing: {done.stderr[-500:]}")
    return json.loads(found.group(1).replace("&lt;", "<").replace("&gt;", ">").replace("&amp;", "&"))


def main():
    browser, page, views = sys.argv[1:4]
    faults = []
    for width, theme in VIEWS[views]:
        seen = look(browser, page, width, theme)
        view = f"{width} px, {theme}"
        wanted = {"errors": [], "wide": False, "fetched": [], "wordless": 0, "headings": True, "ascending": True,
                  "descending": True, "filtered": True, "none": True, "pale": 0, "unnamed": 0, "tableless": 0,
                  "twice": [], "nowhere": 0, "contents": True, "titles": [], "tall": 0, "cut": [], "width": width,
                  "dark": theme == "dark", "chosen": [False, True, False], "opened": True}
        faults += [f"{view}: {name} is {seen[name]}, not {value}" for name, value in wanted.items()
                   if seen[name] != value]
        if not re.fullmatch(r"[0-9.]+ of the baseline's throughput", seen["copied"]):
            faults.append(f"{view}: copied is '{seen['copied']}'")
        if seen["rows"] < 1 or seen["figures"] < 1:
            faults.append(f"{view}: {seen['rows']} rows and {seen['figures']} figures")
    firefox = look_in_firefox(page)
    if firefox.endswith("nothing"):
        faults.append(firefox)
    if views == "all":
        print(f"{pathlib.Path(page).name}: largest contentful paint {largest_paint(browser, page)}; {firefox}")
    print("\n".join(faults) or f"{page} is as it should be in {len(VIEWS[views])} views")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
