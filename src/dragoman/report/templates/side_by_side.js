// Conversations of one task in columns, aligned by turn: a turn begins where the user speaks.
const COLUMNS = 3;
const chooser = document.getElementById("chooser");
const taskChoice = document.getElementById("side-task");
const columnChoices = document.getElementById("side-columns");
const columns = document.getElementById("columns");
let side = [];

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
  return element("div", "", ending(entry.episode), score(entry));
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

function setSide(indices) {
  const key = (index) => taskKey(packed.conversations[index]);
  side = indices.filter((index) => key(index) === key(indices[0]));
  const row = rows.find((entry) => side.length && taskKey(entry) === key(side[0]));
  taskChoice.value = row ? String(rows.indexOf(row)) : "";
  const places = row ? [...Array(Math.min(side.length + 1, conversationsOf(row).length)).keys()] : [];
  columnChoices.replaceChildren(...places.map((place) => columnChoice(row, place)));
  drawColumns();
}

// The first trial of each of the first cells; where there is one cell only, its first trials.
function firstOf(row) {
  const perCell = [...row.cells.values()];
  return (perCell.length > 1 ? perCell.map((indices) => indices[0]) : perCell[0]).slice(0, COLUMNS);
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
