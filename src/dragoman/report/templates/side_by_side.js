// Conversations of one task in columns, aligned by turn: a turn begins where the user speaks.
const COLUMNS = 3;
const chooser = document.getElementById("chooser");
const taskChoice = document.getElementById("side-task");
const columnChoices = document.getElementById("side-columns");
const columns = document.getElementById("columns");
let side = [];
// Whether the reader chose the columns, so that the address has them.
let isSideAsked = false;

function turns(episode) {
  const found = [[]];
  for (const event of episode?.events ?? []) {
    const opens = event.type === "move" && event.by === "user" && event.reply.type !== "called";
    if (opens && found.at(-1).length) found.push([]);
    found.at(-1).push(event);
  }
  return found;
}

function columnHead(index) {
  const entry = packed.conversations[index];
  return element(
    "div",
    "head",
    element("span", `kind ${entry.standing}`, STANDINGS[entry.standing]),
    element("b", "", ` ${cellName(entry.cell)} `),
    element("span", "fine", `trial ${entry.trial}`),
  );
}

function columnTurn(events, audio) {
  const nodes = (events ?? []).flatMap((event) => happened(event, audio));
  return nodes.length ? element("ol", "events", ...nodes) : element("div", "fine", "ended before");
}

function columnEnd(index) {
  const entry = packed.conversations[index];
  if (!entry.episode) return element("p", "", "This conversation has not run.");
  return element("div", "", entry.elsewhere ? elsewhere(entry) : null, ending(entry.episode), score(entry));
}

function turnRow(name, nodes) {
  return element("section", "turn", element("h4", "", name), element("div", "cells", ...nodes));
}

function drawColumns() {
  const played = side.map((index) => turns(packed.conversations[index].episode));
  const longest = Math.max(0, ...played.map((entry) => entry.length));
  const nodes = [...Array(longest).keys()].map((turn) =>
    turnRow(
      turn ? `turn ${turn}` : "start",
      played.map((entry, place) => columnTurn(entry[turn], packed.audio[packed.conversations[side[place]].run])),
    ),
  );
  columns.style.setProperty("--columns", side.length);
  columns.replaceChildren(
    turnRow("", side.map(columnHead)),
    ...nodes,
    turnRow("end", side.map(columnEnd)),
  );
  columns.hidden = side.length === 0;
}

function conversationsOf(row) {
  return [...row.cells.values()].flat();
}

function columnChoice(row, place) {
  const select = document.createElement("select");
  const options = conversationsOf(row).map((index) => {
    const entry = packed.conversations[index];
    return option(String(index), `${MARKS[entry.standing]} ${cellName(entry.cell)}, trial ${entry.trial}`);
  });
  select.replaceChildren(option("", "none"), ...options);
  select.value = String(side[place] ?? "");
  select.addEventListener("change", () => {
    const chosen = [...columnChoices.querySelectorAll("select")].map((node) => node.value);
    setSide(chosen.filter(Boolean).map(Number));
    remember();
  });
  return element("label", "", `Column ${place + 1}`, select);
}

function setSide(indices, isAsked = true) {
  const key = (index) => taskKey(packed.conversations[index]);
  side = indices.filter((index) => key(index) === key(indices[0]));
  isSideAsked = isAsked;
  const row = rows.find((entry) => side.length && taskKey(entry) === key(side[0]));
  taskChoice.value = row ? String(rows.indexOf(row)) : "";
  const places = row ? [...Array(Math.min(side.length + 1, conversationsOf(row).length)).keys()] : [];
  columnChoices.replaceChildren(...places.map((place) => columnChoice(row, place)));
  drawColumns();
}

// The first trial of each of the first cells; for a single cell, its first trials. Cells with different
// outcomes come first, so that a failure is not hidden behind successes.
function firstOf(row) {
  const perCell = [...row.cells.values()];
  if (perCell.length === 1) return perCell[0].slice(0, COLUMNS);
  const firsts = perCell.map((indices) => indices[0]);
  const other = firsts.filter((index) => standingOf(index) !== standingOf(firsts[0]));
  const same = firsts.slice(1).filter((index) => !other.includes(index));
  return [firsts[0], ...other, ...same].slice(0, COLUMNS).sort((one, next) => one - next);
}

// The page opens with a task on which columns differ; otherwise with a failed task.
function startOpen() {
  const isMixed = (row) => new Set(firstOf(row).map(standingOf)).size > 1;
  const row = rows.find(isMixed) ?? rows.find((entry) => entry.shares.some((share) => share < 1));
  if (row) setSide(firstOf(row), false);
}

function compareTask(row) {
  setSide(firstOf(row));
  remember();
  document.getElementById("side").scrollIntoView();
}

function startSide() {
  const names = rows.map((row, place) => option(String(place), row.task));
  taskChoice.replaceChildren(option("", "choose a task"), ...names);
  taskChoice.addEventListener("change", () => {
    setSide(taskChoice.value === "" ? [] : firstOf(rows[Number(taskChoice.value)]));
    remember();
  });
  chooser.hidden = false;
  chooser.addEventListener("submit", (event) => event.preventDefault());
}
