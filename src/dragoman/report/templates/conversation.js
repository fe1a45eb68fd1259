// One conversation: words, calls, results, changes, ending, score and task.
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
  if (value.note) line.append(element("span", "", ` ${value.note}`));
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

