"use strict";
// Everything that comes from data reaches the page as text nodes, never as markup.
(() => {
  const PAGE = 100;
  const SHORT = 80;
  const LONG = 700;
  const STANDINGS = {
    pass: "✓ passed",
    fail: "✗ failed",
    unscored: "? unscored",
    infrastructure: "! infrastructure",
    missing: "– not run",
  };
  const USERS = { valid: "no check failed", invalid: "✗ a check failed", unchecked: "not checked" };
  const FILTERS = ["run", "suite", "agent", "condition", "standing", "user"];
  const filters = document.getElementById("filters");
  const list = document.getElementById("list");
  const more = document.getElementById("more");
  let packed;
  let matching = [];
  let shown = 0;

  function element(tag, className, ...children) {
    const node = document.createElement(tag);
    if (className) node.className = className;
    node.append(...children.filter((child) => child !== null && child !== undefined));
    return node;
  }

  async function unpack(text) {
    const bytes = Uint8Array.from(atob(text), (character) => character.charCodeAt(0));
    const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
    return new Response(stream).json();
  }

  // Indents JSON text token by token: parsing and printing it would change numbers.
  function pretty(text) {
    try {
      const value = JSON.parse(text);
      if (value === null || typeof value !== "object") return text;
    } catch {
      return text;
    }
    const tokens = text.match(/"[^"\\]*(?:\\.[^"\\]*)*"|[{}[\],:]|[^\s{}[\],:"]+/g);
    const parts = [];
    let depth = 0;
    let previous = "";
    const line = () => "\n" + "  ".repeat(depth);
    for (const token of tokens) {
      const closes = token === "}" || token === "]";
      const opened = previous === "{" || previous === "[";
      if (closes) depth -= 1;
      if (opened !== closes) parts.push(line());
      parts.push(token);
      if (token === "{" || token === "[") depth += 1;
      if (token === ",") parts.push(line());
      if (token === ":") parts.push(" ");
      previous = token;
    }
    return parts.join("");
  }

  function data(text, name) {
    const block = element("pre", "data", text.length <= SHORT ? text : pretty(text));
    block.dir = "auto";
    if (text.length <= LONG) return block;
    const size = `${name}, ${text.length.toLocaleString("en")} characters`;
    return element("details", "", element("summary", "", size), block);
  }

  function prose(text, className = "said") {
    const node = element("div", className, text);
    node.dir = "auto";
    return node;
  }

  function flag(text, bad = false) {
    return element("span", bad ? "flag bad" : "flag", text);
  }

  function utterance(said) {
    const nodes = [prose(said.intended)];
    if (said.spoken !== undefined) nodes.push(element("div", "who", "spoken as"), prose(said.spoken));
    if (said.heard === null) nodes.push(element("div", "who", "heard as the audio itself"));
    else if (said.heard !== undefined) nodes.push(element("div", "who", "heard as"), prose(said.heard));
    if (said.audio) {
      const { seconds, rate_hz: rate, sha256 } = said.audio;
      nodes.push(element("div", "who", `audio, ${seconds} s at ${rate} Hz, ${sha256}`));
    }
    return nodes;
  }

  function call(entry) {
    const nodes = [element("div", "", "calls ", element("code", "", entry.name))];
    if (entry.malformed) nodes.push(element("div", "who", flag("malformed", true), ` ${entry.malformed}`));
    if (entry.positionals) nodes.push(data(entry.positionals, "positional arguments"));
    if (!entry.raw || entry.arguments !== "{}") nodes.push(data(entry.arguments, "arguments"));
    if (entry.raw) nodes.push(element("div", "who", "as written"), data(entry.raw, "arguments as written"));
    return element("div", "call", ...nodes);
  }

  function reply(entry) {
    if (entry.type === "said") return utterance(entry.utterance);
    if (entry.type === "unparsed") {
      return [element("div", "who", flag("unusable reply", true), ` ${entry.error}`), data(entry.raw, "reply")];
    }
    return [entry.text ? prose(entry.text) : null, ...entry.calls.map(call)];
  }

  function move(entry) {
    const who = element("div", "who", element("b", "", entry.by));
    if (entry.turn) who.append(` turn ${entry.turn}`);
    if (entry.scripted) who.append(flag("scripted"));
    return element("li", `event ${entry.by === "user" ? "user" : "agent"}`, who, ...reply(entry.reply));
  }

  function change(entry) {
    const value = entry.op === "del" ? "deleted" : `${entry.op} ${entry.value ?? "null"}`;
    const path = element("code", "", entry.path.join("/"));
    const side = entry.side ? ` (${entry.side}'s side)` : "";
    return element("li", "", path, ` ${value}${side}`);
  }

  function result(entry) {
    const text = packed.texts[entry.content];
    const who = element("div", "who", "result of ", element("code", "", entry.name));
    if (entry.error) who.append(flag("error", true));
    const node = element("li", `event result${entry.error ? " error" : ""}`, who, data(text, "result"));
    if (entry.shown !== undefined) {
      node.append(element("div", "who", "shown to the caller as"), data(packed.texts[entry.shown], "shown result"));
    }
    if (entry.executed) node.append(element("div", "who", "executed with"), data(entry.executed, "arguments"));
    if (entry.changes) {
      node.append(element("div", "who", "changed"), element("ul", "changes", ...entry.changes.map(change)));
    }
    return node;
  }

  function verdict(value) {
    if (!value) return "nothing to judge";
    if (value.type === "unscored") return `unscored: ${value.reason}`;
    const open = value.undecided ? ` (undecided: ${value.undecided.join(", ")})` : "";
    return `${value.value}${open}`;
  }

  function evidence(row) {
    const [className, word] =
      row.met === true ? ["met", "✓ met"] : row.met === false ? ["unmet", "✗ not met"] : ["open", "? undecided"];
    const subject = element("span", "", row.subject);
    subject.dir = "auto";
    const notes = [row.kind, row.why].filter(Boolean).join(": ");
    return element("li", "", element("b", className, word), subject, notes ? element("small", "", ` ${notes}`) : null);
  }

  function component(part) {
    const basis = part.in_basis ? "counts" : "does not count";
    const name = element("th", "", part.component, element("small", "", packed.components[part.component] ?? ""));
    name.scope = "row";
    const cell = element("td", "", verdict(part.verdict), " ");
    if (part.assumed) cell.append(element("strong", "badge assumed", "ASSUMED"));
    if (part.evidence) cell.append(element("ul", "evidence", ...part.evidence.map(evidence)));
    return element("tr", "", name, element("td", "", basis), cell);
  }

  function score(entry) {
    const heading = element("h4", "", "Score");
    const value = entry.score;
    if (!value) return element("section", "", heading, element("p", "", "Not scored yet."));
    const line = element("p", "", `Reward ${verdict(value.reward)} `);
    if (entry.assumed) line.append(element("strong", "badge assumed", "ASSUMED"), " ");
    line.append(element("span", "badge", `rules ${value.rules}`), " ", element("span", "badge", `judge ${value.judge}`));
    if (value.note) line.append(` ${value.note}`);
    const rows = element("tbody", "", ...value.components.map(component));
    const table = value.components.length ? element("table", "plain", rows) : null;
    return element("section", "", heading, line, table, ...simulator(value.simulator));
  }

  function simulator(rows) {
    if (!rows) return [];
    return [element("h4", "", "Simulated user"), element("ul", "evidence", ...rows.map(evidence))];
  }

  function consumption(usage) {
    const tokens = (count) => (count === undefined ? "unknown" : count.toLocaleString("en"));
    const calls = usage.calls ?? 1;
    return `${usage.purpose}: ${usage.model}, ${calls} ${calls === 1 ? "call" : "calls"}, tokens in ${tokens(usage.input_tokens)}, out ${tokens(usage.output_tokens)}`;
  }

  function ending({ ending: end, steps, errors, seconds = 0, usage = [] }) {
    const words = `Ended with ${end.reason}: ${packed.endings[end.reason] ?? ""}`;
    return element(
      "div",
      "",
      element("div", "ending", words, end.detail ? element("small", "", ` ${end.detail}`) : null),
      element("div", "fine", `${steps} steps, ${errors} tool errors, ${seconds.toFixed(1)} s`),
      ...usage.map((entry) => element("div", "fine", consumption(entry))),
    );
  }

  function field(name, value) {
    if (value === null || value === undefined || value.length === 0) return null;
    const body = Array.isArray(value)
      ? element("ul", "changes", ...value.map((item) => element("li", "", item)))
      : prose(value);
    return element("div", "", element("dt", "", name), element("dd", "", body));
  }

  function signature(entry) {
    return `${entry.name} ${entry.arguments}`;
  }

  function scenario({ instructions, persona }) {
    if (typeof instructions === "string") return [field("Persona", persona), field("Instructions", instructions)];
    return [
      field("Persona", persona),
      field("Domain", instructions.domain),
      field("Reason for call", instructions.reason_for_call),
      field("Known", instructions.known_info),
      field("Unknown", instructions.unknown_info),
      field("Instructions", instructions.task_instructions),
    ];
  }

  function criteria(wanted) {
    if (!wanted) return [field("Criteria", "none")];
    const actions = wanted.actions?.map((action) => {
      const compared = action.compare ? `, compared: ${action.compare.join(", ")}` : "";
      return `${action.id} ${action.by ?? "agent"} ${signature(action)}${compared}`;
    });
    const checks = wanted.env_assertions?.map(
      (entry) => `${entry.call.side} ${signature(entry.call)} is ${entry.expected ?? true}`,
    );
    return [
      field("Counts", wanted.basis.join(", ") || "nothing"),
      field("Expected calls", actions),
      field("Checks of the state", checks),
      field("Must say", wanted.must_say),
      field("Assertions", wanted.assertions),
    ];
  }

  function start(state) {
    if (!state) return [];
    return [
      field("Agent's data at start", state.agent_data),
      field("User's data at start", state.user_data),
      field("Set-up", state.functions?.map((entry) => `${entry.side} ${signature(entry)}`)),
    ];
  }

  function brief(task) {
    const summary = element("summary", "", "The task: the user's scenario and the criteria");
    if (!task) return element("p", "fine", "The task is not part of this report.");
    const turns = task.turns?.map((turn) => {
      const tools = turn.adds_tools ? ` (adds ${turn.adds_tools.join(", ")})` : "";
      return turn.messages.join("\n") + tools;
    });
    const fields = [
      ...scenario(task.scenario),
      field("Ticket", task.ticket),
      field("Fixed turns", turns),
      field("Withheld tools", task.withheld_tools),
      ...start(task.initial_state),
      ...criteria(task.criteria),
    ];
    return element("details", "brief", summary, element("dl", "", ...fields.filter(Boolean)));
  }

  function body(entry, index) {
    const link = element("a", "fine", "link to this conversation");
    link.href = `#conversation-${index}`;
    const nodes = [];
    if (entry.episode) {
      const events = entry.episode.events.map((event) => (event.type === "result" ? result(event) : move(event)));
      nodes.push(element("ol", "events", ...events), ending(entry.episode), score(entry));
    } else {
      nodes.push(element("p", "", "This conversation has not run."));
    }
    return element("div", "body", ...nodes, brief(packed.tasks[entry.brief]), link);
  }

  function conversation(index) {
    const entry = packed.conversations[index];
    const node = element(
      "details",
      "conversation",
      element(
        "summary",
        "",
        element("span", `kind ${entry.standing}`, STANDINGS[entry.standing]),
        element("b", "", `task ${entry.task}`),
        element("span", "", `trial ${entry.trial}`),
        entry.assumed ? element("strong", "badge assumed", "ASSUMED") : null,
        entry.user === "invalid" ? element("strong", "badge", "invalid user") : null,
        element("small", "", `${entry.agent}, ${entry.condition}, ${entry.suite}, ${entry.run}`),
      ),
    );
    node.id = `conversation-${index}`;
    const fill = () => {
      if (node.open && node.childElementCount === 1) node.append(body(entry, index));
    };
    node.addEventListener("toggle", fill);
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
    const wanted = new FormData(filters);
    const text = wanted.get("task").trim().toLowerCase();
    const chosen = FILTERS.filter((name) => wanted.get(name));
    const fits = (entry) =>
      chosen.every((name) => entry[name] === wanted.get(name)) && entry.task.toLowerCase().includes(text);
    matching = [...packed.conversations.keys()].filter((index) => fits(packed.conversations[index]));
    shown = 0;
    list.replaceChildren();
    showMore();
    document.getElementById("count").textContent =
      `${matching.length.toLocaleString("en")} of ${packed.conversations.length.toLocaleString("en")} conversations`;
  }

  function option(value, label) {
    const node = element("option", "", label);
    node.value = value;
    return node;
  }

  function offer(name) {
    const select = filters.elements.namedItem(name);
    const values = [...new Set(packed.conversations.map((entry) => entry[name]))];
    const labels = { standing: STANDINGS, user: USERS }[name] ?? {};
    const label = (value) => labels[value] ?? value;
    select.replaceChildren(option("", "all"), ...values.map((value) => option(value, label(value))));
    select.closest("label").hidden = values.length < 2;
  }

  function follow() {
    const match = /^#conversation-(\d+)$/.exec(location.hash);
    const index = match ? Number(match[1]) : -1;
    if (!(index in packed.conversations)) return;
    let node = document.getElementById(match[0].slice(1));
    if (!node) {
      node = conversation(index);
      list.prepend(node);
    }
    node.open = true;
    node.scrollIntoView();
  }

  function choose({ dataset }) {
    filters.reset();
    for (const name of FILTERS) {
      const select = filters.elements.namedItem(name);
      if (dataset[name]) select.value = dataset[name];
    }
    apply();
    document.getElementById("conversations").scrollIntoView();
  }

  function shortcuts() {
    for (const button of document.querySelectorAll("button[data-standing]")) {
      const { standing, agent, condition, suite, run } = button.dataset;
      const fits = (entry) =>
        entry.standing === standing &&
        entry.agent === agent &&
        entry.condition === condition &&
        entry.suite === suite &&
        entry.run === run;
      button.hidden = !packed.conversations.some(fits);
      button.addEventListener("click", () => choose(button));
    }
  }

  async function begin() {
    try {
      packed = await unpack(document.getElementById("packed").textContent);
    } catch (error) {
      list.append(element("p", "note", `The conversations could not be unpacked: ${error.message}. A current browser can.`));
      return;
    }
    FILTERS.forEach(offer);
    filters.hidden = false;
    filters.addEventListener("input", apply);
    filters.addEventListener("submit", (event) => event.preventDefault());
    filters.addEventListener("reset", () => setTimeout(apply));
    more.addEventListener("click", showMore);
    window.addEventListener("hashchange", follow);
    shortcuts();
    apply();
    follow();
  }

  begin();
})();
