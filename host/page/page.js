"use strict";
/* Sorts a table by the clicked heading, and filters it by a text and a verdict. */
for (const table of document.querySelectorAll("table.sorts")) {
  const heads = [...table.tHead.rows[0].cells], body = table.tBodies[0];
  const valueOf = (row, i) => {
    const cell = row.cells[i], text = cell.dataset.value ?? cell.textContent.trim();
    const number = Number(text);
    return text !== "" && !Number.isNaN(number) ? number : text;
  };
  const order = (a, b) => {
    if (a === "" || b === "") return (a === "") - (b === "");
    if (typeof a === typeof b) return a < b ? -1 : a > b ? 1 : 0;
    return typeof a === "number" ? -1 : 1;
  };
  heads.forEach((head, i) => head.querySelector("button")?.addEventListener("click", () => {
    const down = head.getAttribute("aria-sort") === "ascending";
    heads.forEach((other) => other.removeAttribute("aria-sort"));
    head.setAttribute("aria-sort", down ? "descending" : "ascending");
    const rows = [...body.rows].map((row) => [valueOf(row, i), row]);
    rows.sort((a, b) => (a[0] === "" || b[0] === "" || !down ? order(a[0], b[0]) : order(b[0], a[0])));
    body.append(...rows.map(([, row]) => row));
  }));
}
for (const form of document.querySelectorAll("form.filter")) {
  const rows = [...document.getElementById(form.dataset.table).tBodies[0].rows];
  const shown = form.querySelector("output");
  const apply = () => {
    const text = form.elements.text.value.toLowerCase(), verdict = form.elements.verdict.value;
    let count = 0;
    for (const row of rows) {
      row.hidden = !(row.textContent.toLowerCase().includes(text) && (!verdict || row.dataset.verdict === verdict));
      count += !row.hidden;
    }
    shown.textContent = count + " of " + rows.length + " rows";
  };
  form.addEventListener("input", apply);
  form.addEventListener("submit", (event) => event.preventDefault());
  apply();
}
/* A checkbox for each column of a table shows or hides the column. */
for (const choice of document.querySelectorAll("details.choose")) {
  const table = document.getElementById(choice.dataset.table), style = document.createElement("style"), rules = [];
  const boxes = document.createElement("div");
  boxes.className = "columns";
  document.head.append(style);
  choice.append(boxes);
  choice.addEventListener("toggle", () => boxes.replaceChildren(...[...table.tHead.rows[0].cells].map((head, i) => {
    const label = document.createElement("label"), box = document.createElement("input");
    box.type = "checkbox";
    box.checked = getComputedStyle(head).display !== "none";
    box.addEventListener("change", () => {
      rules[i] = `#${table.id}#${table.id} > * > tr > :nth-child(${i + 1}) { display: ${box.checked ? "table-cell" : "none"}; }`;
      style.textContent = rules.join("");
    });
    label.append(box, " ", head.textContent);
    return label;
  })));
  table.tBodies[0].addEventListener("click", (event) => {
    const cell = event.target.closest("td, th");
    if (cell && !cell.matches(".number, .points td")) cell.parentNode.classList.toggle("open");
  });
}
/* A click on a number in a table selects the number. Copying it also copies its unit. */
const figureOf = (node) => (node?.nodeType === Node.TEXT_NODE ? node.parentNode : node)?.closest?.("td.number, .points td");
document.addEventListener("click", (event) => {
  const cell = figureOf(event.target);
  if (cell && getSelection().isCollapsed) getSelection().selectAllChildren(cell);
});
document.addEventListener("copy", (event) => {
  const marked = getSelection(), cell = figureOf(marked.anchorNode);
  const unit = cell && cell.closest("table").tHead.rows[0].cells[cell.cellIndex]?.dataset.unit;
  if (!unit || figureOf(marked.focusNode) !== cell) return;
  event.clipboardData.setData("text/plain", cell.textContent.trim() + " " + unit);
  event.preventDefault();
});
