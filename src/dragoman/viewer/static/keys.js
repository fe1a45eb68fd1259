// Keys of every page: an element with `data-key` is clicked or focused by its key, j and k go through the
// turns or rows of a page, and ? lists all keys.
"use strict";

const WALKED = ".move, tr[data-row], li[data-row]";

function isTyping(node) {
  return Boolean(node?.closest("input:not([type=range]), select, textarea, [contenteditable]"));
}

// Keys that a focused control takes for itself.
function isTaken(node, key) {
  return key === " " && Boolean(node?.closest("button, summary, a, input, audio, pre, [role=region]"));
}

function walk(step) {
  const nodes = [...document.querySelectorAll(WALKED)];
  if (!nodes.length) return;
  const here = document.activeElement?.closest(WALKED) ?? document.querySelector(":target");
  const place = nodes.indexOf(here);
  const next = nodes[place < 0 ? 0 : Math.min(nodes.length - 1, Math.max(0, place + step))];
  const target = next.matches(".move") ? next : (next.querySelector("a") ?? next);
  target.focus({ preventScroll: true });
  next.scrollIntoView({ block: "nearest" });
  if (next.id) history.replaceState(null, "", `#${next.id}`);
}

function press(key) {
  const target = document.querySelector(`[data-key="${CSS.escape(key)}"]`);
  if (!target || target.closest("[hidden]")) return false;
  if (target.matches("input, select")) target.focus();
  else target.click();
  return true;
}

function steps(event) {
  if (event.key === "j") return 1;
  if (event.key === "k") return -1;
  // Arrow keys scroll the page unless a turn has the focus.
  if (!document.activeElement?.matches(WALKED)) return 0;
  return { ArrowDown: 1, ArrowUp: -1 }[event.key] ?? 0;
}

document.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey || isTyping(event.target)) return;
  if (isTaken(event.target, event.key)) return;
  const help = document.getElementById("keys");
  if (event.key === "?") {
    event.preventDefault();
    return help.open ? help.close() : help.showModal();
  }
  if (help?.open) return;
  const step = steps(event);
  if (step) {
    event.preventDefault();
    walk(step);
  } else if (press(event.key)) {
    event.preventDefault();
  }
});
