// The list of conversations, and the filters that narrow it down. Their state is the address's
// fragment, so that a link leads to the same list.
const PAGE = 50;
const WAIT = 200;
const USERS = { valid: "no check failed", invalid: "✗ a check failed", unchecked: "not checked" };
const CHOICES = ["run", "suite", "agent", "condition", "standing", "ending", "failed", "stage", "behind", "user"];
const TEXTS = ["task", "words"];
// Filters that show something even with one value, as not every conversation has one.
const LEADING = new Set(["failed", "stage", "behind"]);
const filters = document.getElementById("filters");
const list = document.getElementById("list");
const more = document.getElementById("more");
const haystacks = new Map();
let matching = [];
let shown = 0;

function failedComponents(entry) {
  const parts = entry.score?.components ?? [];
  return parts
    .filter((part) => part.in_basis && part.verdict?.type === "scored" && part.verdict.value < 1 - 1e-6)
    .map((part) => part.component);
}

// The values of a conversation for a filter, as a list.
function traits(entry, name) {
  if (name === "ending") return entry.episode ? [entry.episode.ending.reason] : [];
  if (name === "failed") return failedComponents(entry);
  if (name === "stage") return entry.stage ? [entry.stage] : [];
  if (name === "behind") return (entry.behind ?? []).map(String);
  return [entry[name]];
}

function haystack(index) {
  if (!haystacks.has(index)) {
    const { episode, score } = packed.conversations[index];
    const results = (episode?.events ?? []).filter((event) => event.type === "result");
    const texts = results.map((event) => packed.texts[event.content]);
    const replies = (episode?.events ?? []).filter((event) => event.type !== "result");
    haystacks.set(index, `${JSON.stringify([replies, score])}\n${texts.join("\n")}`.toLowerCase());
  }
  return haystacks.get(index);
}

function chosenFilters() {
  const values = new FormData(filters);
  const names = [...CHOICES, ...TEXTS];
  return Object.fromEntries(names.map((name) => [name, values.get(name)?.trim()]).filter((entry) => entry[1]));
}

function taskFits(text) {
  const wanted = text.toLowerCase();
  const exact = packed.conversations.some((entry) => entry.task.toLowerCase() === wanted);
  return (task) => (exact ? task.toLowerCase() === wanted : task.toLowerCase().includes(wanted));
}

function matches(chosen) {
  const fitsTask = taskFits(chosen.task ?? "");
  const words = chosen.words?.toLowerCase();
  const names = CHOICES.filter((name) => chosen[name]);
  return [...packed.conversations.keys()].filter((index) => {
    const entry = packed.conversations[index];
    return (
      (!chosen.task || fitsTask(entry.task)) &&
      names.every((name) => traits(entry, name).includes(chosen[name])) &&
      (!words || haystack(index).includes(words))
    );
  });
}

function conversation(index) {
  const entry = packed.conversations[index];
  const summary = element(
    "summary",
    "",
    element("span", `kind ${entry.standing}`, STANDINGS[entry.standing]),
    element("b", "", `task ${entry.task}`),
    element("span", "", `trial ${entry.trial}`),
    entry.assumed ? element("strong", "badge assumed", "ASSUMED") : null,
    entry.user === "invalid" ? element("strong", "badge", "invalid user") : null,
    element("small", "", `${entry.agent}, ${entry.condition}, ${entry.suite}, ${entry.run}`),
  );
  const node = folded("conversation", summary, () => body(entry, index));
  node.id = `conversation-${index}`;
  return node;
}

function showMore() {
  const page = matching.slice(shown, shown + PAGE);
  list.append(...page.map(conversation));
  shown += page.length;
  const rest = matching.length - shown;
  more.hidden = rest === 0;
  more.textContent = `Show ${Math.min(rest, PAGE)} more of ${rest}`;
}

function apply() {
  matching = matches(chosenFilters());
  shown = 0;
  list.replaceChildren();
  showMore();
  document.getElementById("count").textContent =
    `${matching.length.toLocaleString("en")} of ${packed.conversations.length.toLocaleString("en")} conversations`;
}

function offer(name) {
  const select = filters.elements.namedItem(name);
  const values = [...new Set(packed.conversations.flatMap((entry) => traits(entry, name)))];
  const labels = { standing: STANDINGS, user: USERS, stage: packed.stages, behind: packed.behind }[name] ?? {};
  if (name === "behind") values.sort((one, other) => one - other);
  select.replaceChildren(option("", "all"), ...values.map((value) => option(value, labels[value] ?? value)));
  select.closest("label").hidden = values.length < (LEADING.has(name) ? 1 : 2);
}

function choose(values) {
  filters.reset();
  for (const [name, value] of Object.entries(values)) {
    const field = filters.elements.namedItem(name);
    if (field && value !== undefined) field.value = value;
  }
  apply();
}

function show(values) {
  choose(values);
  remember();
  document.getElementById("conversations").scrollIntoView();
}

function showCell(number, values) {
  const { run, suite, condition, agent } = packed.cells[number];
  show({ run, suite, condition, agent, ...values });
}

// Opens the first conversation of the list that did not pass, or the first.
function openFirst() {
  const wanted = matching.find((index) => packed.conversations[index].standing !== "pass") ?? matching[0];
  if (wanted !== undefined) openAt(wanted);
}

function startFilters() {
  let waiting;
  CHOICES.forEach(offer);
  filters.hidden = false;
  filters.addEventListener("input", () => {
    clearTimeout(waiting);
    waiting = setTimeout(() => {
      apply();
      remember();
    }, WAIT);
  });
  filters.addEventListener("submit", (event) => event.preventDefault());
  filters.querySelector("button").addEventListener("click", () => {
    choose({});
    remember();
  });
  more.addEventListener("click", showMore);
  for (const node of document.querySelectorAll("button[data-standing]")) {
    const { cell, standing } = node.dataset;
    node.hidden = !packed.conversations.some(
      (entry) => entry.cell === Number(cell) && entry.standing === standing,
    );
    node.addEventListener("click", () => showCell(Number(cell), { standing }));
  }
}
