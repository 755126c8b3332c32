"""Reads committed data, and formats figures for the READMEs."""
import csv
import functools
import pathlib
import re
import statistics
import textwrap

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
RESULTS = ROOT / "results"
WORDS = "no one two three four five six seven eight nine ten eleven twelve".split()
NO_PREDICTION = ("no-rule", "baseline", "")


class Missing(Exception):
    """Raised if the committed data lack a figure. Sentences that need the figure are then left out."""


@functools.lru_cache(maxsize=None)
def rows_of(path):
    """Returns the rows of a CSV file, which is read only once. Callers must copy the rows before changing them."""
    with open(RESULTS / path, newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))


def number(row, name):
    if not row.get(name):
        raise Missing(f"{row['case']} has no {name}")
    return float(row[name])


class Run:
    """A CSV file that `bankline run` or `try` wrote."""

    def __init__(self, path):
        self.path = path
        self.rows = rows_of(path)
        self.first = self.rows[0]
        self.schema = int(self.first["schema"])

    def row(self, case, shape=None):
        for row in self.rows:
            if row["case"] == case and shape in (None, row["shape"]):
                return row
        raise Missing(f"{self.path} has no row {case}")

    def of(self, case, shape=None, name="measured"):
        return number(self.row(case, shape), name)

    def within(self, *beginnings):
        return [row for row in self.rows if row["case"].startswith(beginnings)]

    def seconds(self):
        return sum(float(row["seconds"] or 0) for row in self.rows)


def distance(row):
    """The signed distance from the prediction. None if the row has no prediction that applies to it."""
    if not row["predicted"] or not row["measured"] or row["verdict"] in NO_PREDICTION:
        return None
    return float(row["measured"]) / float(row["predicted"]) - 1


def is_one(row):
    return abs(float(row["predicted"]) - 1) < 1e-9


def spread(rows):
    """Returns (number of rows whose prediction is not 1, mean distance, largest distance, row with the largest
    distance). Distances are fractions. The program's mean distance omits predictions of 1, too: they are easy."""
    found = [(abs(distance(row)), row) for row in rows if distance(row) is not None and not is_one(row)]
    if not found:
        raise Missing("no row has a prediction other than 1")
    largest, worst = max(found, key=lambda one: one[0])
    return len(found), statistics.fmean(one for one, _ in found), largest, worst


def percent(fraction, digits=1):
    return f"{100 * fraction:.{digits}f} %"


def rounded(value, digits=3):
    """A number with this many significant digits, without an exponent."""
    if value == 0:
        return "0"
    text = f"{value:.{digits}g}"
    return f"{float(text):,.0f}" if abs(value) >= 10 ** (digits - 1) else f"{float(text):#.{digits}g}"


def count(n, one="", many=None):
    """A count such as `three rows`. Numbers above twelve are written in digits."""
    text = WORDS[n] if n < len(WORDS) else f"{n:,}"
    return f"{text} {one if n == 1 else many or one + 's'}" if one else text


def constant(path, name):
    """A constant of the program's source, the first value if it has several."""
    found = re.search(rf"\b{name}(?: =)? \{{?([\d.]+)\b", (ROOT / path).read_text(encoding="utf-8"))
    if not found:
        raise Missing(f"{path} has no {name}")
    return float(found[1])


def cells_of(name):
    """The rows of a printed file's tables, as lists of cells, with the headings."""
    return [[cell.strip() for cell in line.strip().strip("|").split("|")]
            for line in (RESULTS / "printed" / name).read_text(encoding="utf-8").splitlines() if line.startswith("| ")]


def machine_values(name):
    """The values of a machine, by key. Percentages are converted to factors."""
    text = (ROOT / f"host/model/machines/{name}.machine").read_text(encoding="utf-8")
    fields = re.findall(r"^(\w+) = ([\d.]+)$", text, re.M)
    return {key: float(value) / (100 if key.endswith("_percent") else 1) for key, value in fields}


def listed(words):
    words = list(words)
    return " and ".join([", ".join(words[:-1]), words[-1]] if len(words) > 1 else words)


def code(words):
    return listed(f"`{word}`" for word in words)


def unique(words):
    return list(dict.fromkeys(words))


def capital(text):
    return text[:1].upper() + text[1:]


def paragraph(*sentences, bullet=""):
    """Joins sentences. A sentence may be a function; it is left out if a figure that it needs is missing."""
    kept = []
    for sentence in sentences:
        try:
            kept.append(sentence() if callable(sentence) else sentence)
        except Missing:
            pass
    kept = [text for text in kept if text]
    if not kept:
        return ""
    text = textwrap.fill(" ".join(kept), 118, initial_indent=bullet, subsequent_indent=" " * len(bullet),
                         break_long_words=False, break_on_hyphens=False)
    return text + "\n"


def bullets(*items):
    """Paragraphs as bullets. Each item is a sentence, or a tuple of sentences."""
    return "".join(paragraph(*(item if isinstance(item, tuple) else (item,)), bullet="- ") for item in items)


def table(heading, rows, right=()):
    marks = ["---:" if i in right else "---" for i in range(len(heading))]
    return "".join("| " + " | ".join(map(str, row)) + " |\n" for row in [heading, marks, *rows])


def version(row):
    """The version of the program that wrote the row, formatted as code."""
    return f"`{row['tool_version']}`"
