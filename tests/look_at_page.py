#!/usr/bin/env python3
"""Opens a page in headless Chromium at 400 and 1600 px: look_at_page.py CHROMIUM PAGE.html

A script is added to a copy of the page, which sorts and filters its tables and writes what it sees into the
page; nothing may be fetched, no script may fail, nothing may be wider than the window, every figure must
have words, and headings must be in order.
"""

import json
import pathlib
import re
import subprocess
import sys
import tempfile

PROBE = """
<script>
const seen = {errors: window.__errors};
seen.wide = document.documentElement.scrollWidth > document.documentElement.clientWidth;
seen.fetched = performance.getEntriesByType("resource").map((entry) => entry.name);
seen.wordless = [...document.querySelectorAll("figure")].filter(
  (figure) => !figure.querySelector("figcaption")?.textContent.trim() || !figure.querySelector("svg")).length;
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
const luminance = (text) => {
  const parts = text.match(/[\d.]+/g).slice(0, 3).map((part) => part / 255)
    .map((part) => (part <= 0.03928 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4));
  return 0.2126 * parts[0] + 0.7152 * parts[1] + 0.0722 * parts[2];
};
const paper = getComputedStyle(document.body).backgroundColor;
seen.pale = [...document.querySelectorAll("p, td, th, dt, dd, a, summary, caption, h1, h2, h3, span")].filter((element) => {
  const [a, b] = [luminance(getComputedStyle(element).color), luminance(paper)].sort((x, y) => y - x);
  return (a + 0.05) / (b + 0.05) < 4.5;
}).length;
seen.unnamed = [...document.querySelectorAll("svg")].filter(
  (svg) => !svg.closest("[aria-labelledby]") && !svg.getAttribute("aria-label")).length;
const note = document.createElement("pre");
note.id = "seen";
note.textContent = JSON.stringify(seen);
document.body.append(note);
</script>
"""
CATCHER = '<script>window.__errors = []; addEventListener("error", (event) => __errors.push(event.message)); ' \
          'addEventListener("securitypolicyviolation", (event) => __errors.push(event.blockedURI));</script>'


def look(browser, page, width):
    """What the page's probe saw."""
    with tempfile.TemporaryDirectory() as folder:
        text = pathlib.Path(page).read_text(encoding="utf-8")
        copy = pathlib.Path(folder) / "page.html"
        copy.write_text(text.replace("</title>", "</title>" + CATCHER, 1).replace("</body>", PROBE + "</body>"),
                        encoding="utf-8")
        done = subprocess.run([browser, "--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage",
                               f"--user-data-dir={folder}/profile", f"--window-size={width},900", "--dump-dom",
                               copy.as_uri()],
                              capture_output=True, text=True, check=False, timeout=120)
    found = re.search(r'<pre id="seen">(.*?)</pre>', done.stdout, re.S)
    if not found:
        sys.exit(f"{width} px: the browser showed nothing: {done.stderr[-500:]}")
    return json.loads(found.group(1).replace("&lt;", "<").replace("&gt;", ">").replace("&amp;", "&"))


def main():
    browser, page = sys.argv[1:3]
    faults = []
    for width in (400, 1600):
        seen = look(browser, page, width)
        wanted = {"errors": [], "wide": False, "fetched": [], "wordless": 0, "headings": True, "ascending": True,
                  "descending": True, "filtered": True, "none": True, "pale": 0, "unnamed": 0}
        faults += [f"{width} px: {name} is {seen[name]}, not {value}" for name, value in wanted.items()
                   if seen[name] != value]
        if not re.fullmatch(r"[0-9.]+ of the baseline's throughput", seen["copied"]):
            faults.append(f"{width} px: copied is '{seen['copied']}'")
        if seen["rows"] < 1 or seen["figures"] < 1:
            faults.append(f"{width} px: {seen['rows']} rows and {seen['figures']} figures")
    print("\n".join(faults) or f"{page} is as it should be at 400 and 1600 px")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
