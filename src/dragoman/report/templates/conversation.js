// One conversation: words, calls, results, changes, ending, score and task.
function utterance(said, audio) {
  if (said.spoken === undefined && said.heard === undefined) return [prose(said.intended), ...players(said, audio)];
  const heard = typeof said.heard === "string" ? said.heard : null;
  if (!said.spoken?.trim() && !heard?.trim() && isMarker(said.intended)) return [prose(said.intended), element("div", "who", "a control token, not spoken")];
  const lost = heard === null ? new Set() : unmatched(said.intended, heard);
  const wrong = heard === null ? new Set() : unmatched(heard, said.intended);
  const nodes = [marked(said.intended, lost, "lost")];
  if (said.spoken !== undefined) nodes.push(element("div", "who", "spoken as"), prose(said.spoken));
  if (said.heard === null) nodes.push(element("div", "who", "received as audio"));
  else if (heard !== null) nodes.push(element("div", "who", "recognized as"), marked(heard, wrong, "misheard"));
  nodes.push(...players(said, audio));
  if (said.stages) nodes.push(element("div", "fine", said.stages.map((stage) => `${stage.name} (${stage.engine})`).join(" → ")));
  return nodes;
}

// Players of the audio before and after the channel, from files next to the report. A reference that is
// not a hash is shown as text, and audio without length has no player.
function players(said, folder) {
  return [["before the channel", said.clean_audio], ["after the channel", said.audio]]
    .filter(([, reference]) => reference && reference.seconds > 0)
    .map(([words, { seconds, rate_hz: rate, sha256 }]) => {
      const about = `${words}: ${seconds.toFixed(1)} s at ${rate} Hz`;
      if (!folder || !/^[0-9a-f]{64}$/.test(sha256)) return element("div", "who", `${about}, ${sha256}`);
      const player = document.createElement("audio");
      player.controls = true;
      player.preload = "metadata";
      player.src = `${folder}/${sha256.slice(0, 2)}/${sha256}.wav`;
      const missing = `; the sound file is missing: it must be in ${decodeURIComponent(folder)} next to the report`;
      player.addEventListener("error", () => player.replaceWith(missing));
      return element("div", "who", about, player);
    });
}

function wordsOf(text) {
  return text.split(/(\s+)/);
}

// Markers such as ###STOP### are control tokens between the sides and are never spoken.
const MARKER = /^###[A-Z-]+###$/;

function isMarker(text) {
  return text.trim() !== "" && text.trim().split(/\s+/).every((word) => MARKER.test(word));
}

function plainWord(word) {
  return MARKER.test(word) ? "" : word.toLowerCase().replace(/^[^\p{L}\p{N}]+|[^\p{L}\p{N}]+$/gu, "");
}

// The places of words in `text` that have no partner in `other`, by the longest common subsequence.
function unmatched(text, other) {
  const own = wordsOf(text).map(plainWord);
  const theirs = wordsOf(other).map(plainWord).filter(Boolean);
  const places = own.map((word, place) => place).filter((place) => own[place]);
  if (places.length * theirs.length > 250000) return new Set();
  const lengths = Array.from({ length: places.length + 1 }, () => new Uint16Array(theirs.length + 1));
  for (let a = places.length - 1; a >= 0; a -= 1) {
    for (let b = theirs.length - 1; b >= 0; b -= 1) {
      lengths[a][b] = own[places[a]] === theirs[b] ? lengths[a + 1][b + 1] + 1 : Math.max(lengths[a + 1][b], lengths[a][b + 1]);
    }
  }
  const found = new Set(places);
  let a = 0;
  let b = 0;
  while (a < places.length && b < theirs.length) {
    if (own[places[a]] === theirs[b]) {
      found.delete(places[a]);
      a += 1;
      b += 1;
    } else if (lengths[a + 1][b] >= lengths[a][b + 1]) a += 1;
    else b += 1;
  }
  return found;
}

function marked(text, places, className) {
  const node = prose("");
  const parts = wordsOf(text).map((word, place) => (places.has(place) ? element("mark", className, word) : element("span", "", word)));
  node.append(...parts);
  return node;
}

function call(entry) {
  const nodes = [element("div", "", "calls ", element("code", "", entry.name))];
  if (entry.malformed) nodes.push(element("div", "who", flag("malformed", true), ` ${entry.malformed}`));
  if (entry.positionals) nodes.push(data(entry.positionals, "positional arguments"));
  if (!entry.raw || entry.arguments !== "{}") nodes.push(data(entry.arguments, "arguments"));
  if (entry.sent) nodes.push(element("div", "who", "instead of"), data(entry.sent, "sent arguments"));
  if (entry.raw) nodes.push(element("div", "who", "as written"), data(entry.raw, "arguments as written"));
  return element("div", "call", ...nodes);
}

function reply(entry, audio) {
  if (entry.type === "said") return utterance(entry.utterance, audio);
  if (entry.type === "unparsed") {
    return [element("div", "who", flag("unusable reply", true), ` ${entry.error}`), data(entry.raw, "reply")];
  }
  return [entry.text ? prose(entry.text) : null, ...entry.calls.map(call)];
}

// A judge's decision on the agent's message: whether the user answered, and why not.
function decision(entry) {
  if (!entry) return [];
  const said = entry.reason === "allowed" ? "answered" : `not answered: ${entry.reason}`;
  const about = `judged: ${said} (${entry.judge}, ${entry.version})`;
  return [element("div", "who decided", about), entry.answer ? data(entry.answer, "the judge's answer") : null];
}

function move(entry, audio) {
  const who = element("div", "who", element("b", "", entry.by));
  if (entry.turn) who.append(` turn ${entry.turn}`);
  if (entry.scripted) who.append(flag("scripted"));
  return element("li", `event ${entry.by === "user" ? "user" : "agent"}`, who, ...reply(entry.reply, audio), ...decision(entry.decided));
}

// A user profile that a model inferred and that the agent has from here on, or why there is none.
function inference(entry) {
  const about = `inferred ${entry.after} (${entry.model})`;
  const node = element("li", `event inferred${entry.failure ? " error" : ""}`, element("div", "who", about));
  if (entry.failure) {
    node.append(element("div", "who", flag("unusable answer", true), ` ${entry.failure}`), data(entry.answer, "answer"));
    return node;
  }
  const rows = entry.fields.map(([name, text]) => {
    const value = element("dd", text === "N/A" ? "fine" : "", prose(text));
    return element("div", "", element("dt", "", name), value);
  });
  node.append(element("dl", "traits", ...rows));
  return node;
}

function inferences(entries) {
  return (entries ?? []).map(inference);
}

// One event, after the user profiles that were inferred before it.
function happened(event, audio) {
  const node = event.type === "result" ? result(event) : move(event, audio);
  return [...inferences(event.inferred), node];
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
  const criterion = packed.components[part.component] ?? "";
  const isFailed = typeof part.verdict?.value === "number" && part.verdict.value < 1;
  const name = element("th", "", part.component, element("small", "", isFailed ? `expected: ${criterion}` : criterion));
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

// The counts and findings of measures other than the reward.
function measures(rows) {
  if (!rows.length) return null;
  return element("section", "", element("h4", "", "Measures"), element("ul", "evidence", ...rows.map(measured)));
}

function measured(entry) {
  const counts = entry.unscored ? `unscored: ${entry.unscored}` : entry.counts.join(", ") || "nothing to count";
  const line = element("li", "", element("b", "", entry.name), ` ${counts}`);
  if (entry.judge) line.append(" ", element("span", "badge", `judge ${entry.judge}`));
  const found = entry.found.map(({ event, subject, why }) => {
    const place = event === null ? "" : `event ${event + 1} `;
    const node = element("li", "", element("small", "", `${place}${subject}`), ` ${why}`);
    node.dir = "auto";
    return node;
  });
  if (found.length) line.append(element("ul", "evidence", ...found));
  return line;
}

function simulator(rows) {
  if (!rows) return [];
  return [element("h4", "", "Simulated user"), element("ul", "evidence", ...rows.map(evidence))];
}

function consumption(usage) {
  const tokens = (count) => (count === undefined ? "unknown" : count.toLocaleString("en"));
  const calls = usage.calls ?? 1;
  const made = `${usage.purpose}: ${usage.model}, ${calls} ${calls === 1 ? "call" : "calls"}`;
  if (usage.input_tokens === undefined && usage.audio_seconds != null) {
    return `${made}, ${usage.audio_seconds.toFixed(1)} s of audio`;
  }
  return `${made}, tokens in ${tokens(usage.input_tokens)}, out ${tokens(usage.output_tokens)}`;
}

function ending({ ending: end, steps, errors, seconds = 0, usage = [], inferring }) {
  const words = `Ended with ${end.reason}: ${packed.endings[end.reason] ?? ""}`;
  return element(
    "div",
    "",
    element("div", "ending", words, end.detail ? element("small", "", ` ${end.detail}`) : null),
    element("div", "fine", `${steps} steps, ${errors} tool errors, ${seconds.toFixed(1)} s`),
    ...usage.map((entry) => element("div", "fine", consumption(entry))),
    inferring ? element("div", "fine", `user profile inference: ${inferring}`) : null,
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
    field("Reward basis", wanted.basis.join(", ") || "nothing"),
    field("Expected calls", actions),
    field("Checks of the state", checks),
    field("Required information", wanted.must_say),
    field("Assertions", wanted.assertions),
  ];
}

function start(state) {
  if (!state) return [];
  return [
    field("Data at start", state.data),
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

// The command that shows a conversation for which the page has no room.
function elsewhere(entry) {
  const isPlain = /^[\w@%+=:,./-]+$/;
  const quoted = (text) => (isPlain.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`);
  const words = [entry.run, entry.task, "--agent", entry.agent, "--condition", entry.condition];
  const command = `dragoman show ${words.map(quoted).join(" ")} --trial ${entry.trial}`;
  return element("p", "note", "This page does not have the text of this conversation: ", element("code", "", command));
}

function body(entry, index) {
  const link = element("a", "fine", "link to this conversation");
  link.href = `#conversation-${index}`;
  const nodes = [];
  if (entry.elsewhere) {
    nodes.push(elsewhere(entry), ending(entry.episode), score(entry));
  } else if (entry.episode) {
    const audio = packed.audio[entry.run];
    const events = entry.episode.events.flatMap((event) => happened(event, audio));
    nodes.push(element("ol", "events", ...events, ...inferences(entry.episode.inferred)), ending(entry.episode), score(entry), measures(entry.measures));
  } else {
    nodes.push(element("p", "", "This conversation has not run."));
  }
  return element("div", "body", ...nodes, brief(packed.tasks[entry.brief]), link);
}

