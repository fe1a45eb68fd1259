// Which tasks fail where: one row per task, one column per cell, one mark per trial.
const ROWS = 150;
const MARKED = 5;
const MARKS = { pass: "✓", fail: "✗", unscored: "?", code: "‼", infrastructure: "!", missing: "–" };
const matrix = document.getElementById("matrix");
const differing = document.getElementById("differing");
let rows = [];

function taskKey(entry) {
  return `${entry.suite}\n${entry.task}`;
}

function gather() {
  const found = new Map();
  packed.conversations.forEach((entry, index) => {
    const key = taskKey(entry);
    if (!found.has(key)) found.set(key, { task: entry.task, suite: entry.suite, cells: new Map() });
    const { cells } = found.get(key);
    cells.set(entry.cell, [...(cells.get(entry.cell) ?? []), index]);
  });
  return [...found.values()].map((row) => ({ ...row, shares: shares(row.cells) }));
}

function standingOf(index) {
  return packed.conversations[index].standing;
}

function shares(cells) {
  return [...cells.values()].map((indices) => indices.filter((index) => standingOf(index) === "pass").length / indices.length);
}

function mean(values) {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}

function trialMarks(indices) {
  if (indices.length <= MARKED) {
    return indices.map((index) => element("span", `mark ${standingOf(index)}`, MARKS[standingOf(index)]));
  }
  const passed = indices.filter((index) => standingOf(index) === "pass").length;
  const standing = passed === indices.length ? "pass" : passed ? "unscored" : "fail";
  return [element("span", `mark ${standing}`, `${passed}/${indices.length}`)];
}

function matrixCell(row, number) {
  const indices = row.cells.get(number);
  if (!indices) return element("td", "", "");
  const node = button("marks", "", () => {
    showCell(number, { task: row.task });
    openFirst();
  });
  node.append(...trialMarks(indices));
  const counts = Object.keys(MARKS)
    .map((name) => [indices.filter((index) => standingOf(index) === name).length, STANDINGS[name].slice(2)])
    .filter(([count]) => count)
    .map(([count, name]) => `${count} ${name}`);
  node.setAttribute("aria-label", label(`task ${row.task}, ${cellName(number)}: ${counts.join(", ")}`));
  return element("td", "", node);
}

function matrixRow(row) {
  const name = button("task", row.task, () => compareTask(row));
  name.title = "Show its conversations side by side";
  const head = element("th", "", name);
  head.scope = "row";
  return element("tr", "", head, ...packed.cells.map((_, number) => matrixCell(row, number)));
}

function drawMatrix(limit = ROWS) {
  const wanted = differing.checked ? rows.filter((row) => new Set(row.shares).size > 1) : rows;
  const heads = packed.cells.map((_, number) => {
    const head = element("th", "", cellName(number));
    head.scope = "col";
    return head;
  });
  const table = element(
    "table",
    "matrix",
    element("thead", "", element("tr", "", element("th", "", "task"), ...heads)),
    element("tbody", "", ...wanted.slice(0, limit).map(matrixRow)),
  );
  const rest = wanted.length - limit;
  const next = rest > 0 ? button("", `Show ${rest.toLocaleString("en")} more tasks`, () => drawMatrix(Infinity)) : null;
  const none = wanted.length ? null : element("p", "fine", "No tasks match.");
  matrix.replaceChildren(...[table, next, none].filter(Boolean));
}

function startMatrix() {
  rows = gather();
  rows.sort((one, other) => mean(one.shares) - mean(other.shares));
  differing.closest("label").hidden = packed.cells.length < 2;
  differing.addEventListener("change", () => drawMatrix());
  drawMatrix();
}
