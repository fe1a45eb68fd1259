// Builds the page. Everything that comes from data reaches it as text nodes, never as markup.
const SHORT = 80;
const LONG = 700;
const CUT = 20000;
const LABEL = 90;
const STANDINGS = {
  pass: "✓ passed",
  fail: "✗ failed",
  unscored: "? unscored",
  code: "‼ code error",
  infrastructure: "! infrastructure error",
  missing: "– not run",
};
// Control characters, and characters that change the text direction.
const ACTING = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]/;
let packed;

function escaped(character) {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`;
}

function textNodes(text) {
  if (!ACTING.test(text)) return [text];
  return text.split(new RegExp(`(${ACTING.source})`)).map((part) => {
    if (part.length !== 1 || !ACTING.test(part)) return part;
    const node = document.createElement("span");
    node.className = "acting";
    node.textContent = escaped(part);
    return node;
  });
}

// A text that is too long to be read is cut, with a button that shows all of it.
function shownText(text) {
  if (text.length <= CUT) return textNodes(text);
  const rest = document.createElement("button");
  rest.type = "button";
  rest.textContent = `… ${(text.length - CUT).toLocaleString("en")} characters cut: show all`;
  rest.addEventListener("click", () => rest.replaceWith(...textNodes(text.slice(CUT))));
  return [...textNodes(text.slice(0, CUT)), rest];
}

function element(tag, className, ...children) {
  const node = document.createElement(tag);
  if (className) node.className = className;
  for (const child of children) {
    if (child === null || child === undefined) continue;
    node.append(...(typeof child === "string" ? shownText(child) : [child]));
  }
  return node;
}

// Options hold plain text only, so control characters are escaped in it.
function label(text) {
  const plain = text.replace(new RegExp(ACTING.source, "g"), escaped);
  return plain.length > LABEL ? `${plain.slice(0, LABEL)}…` : plain;
}

function option(value, text) {
  const node = document.createElement("option");
  node.textContent = label(text);
  node.value = value;
  return node;
}

function button(className, text, act) {
  const node = element("button", className, text);
  node.type = "button";
  node.addEventListener("click", act);
  return node;
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


// Fills a folded block when it is opened, so that unread blocks cost nothing.
function folded(className, summary, fill) {
  const node = element("details", className, summary);
  const open = () => {
    if (node.open && node.childElementCount === 1) node.append(fill());
  };
  node.addEventListener("toggle", open);
  return node;
}

function data(text, name) {
  const block = () => {
    const node = element("pre", "data", text.length <= SHORT ? text : pretty(text));
    node.dir = "auto";
    return node;
  };
  if (text.length <= LONG) return block();
  const size = `${name}, ${text.length.toLocaleString("en")} characters`;
  return folded("", element("summary", "", size), block);
}

function prose(text, className = "said") {
  const node = element("div", className, text);
  node.dir = "auto";
  return node;
}

function flag(text, bad = false) {
  return element("span", bad ? "flag bad" : "flag", text);
}

function cellName(number) {
  const cell = packed.cells[number];
  const same = (name) => new Set(packed.cells.map((entry) => entry[name])).size === 1;
  const parts = ["condition", "suite", "run"].filter((name) => !same(name)).map((name) => cell[name]);
  return [cell.agent, ...parts].join(", ");
}
