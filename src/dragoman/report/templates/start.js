// Unpacks the conversations, and keeps the page and the address's fragment in step.
async function unpack(text) {
  const bytes = Uint8Array.from(atob(text), (character) => character.charCodeAt(0));
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
  return new Response(stream).json();
}


// Writes the filters and the columns side by side into the fragment.
function remember() {
  const state = new URLSearchParams(chosenFilters());
  if (side.length && isSideAsked) state.set("side", side.join("."));
  history.replaceState(null, "", `#?${state}`);
}

// Shows the state of the fragment; after a click on a link, scrolls to it.
function follow({ isAsked = false } = {}) {
  const fragment = location.hash.slice(1);
  if (fragment.startsWith("?")) {
    const state = new URLSearchParams(fragment.slice(1));
    choose(Object.fromEntries([...CHOICES, ...TEXTS].map((name) => [name, state.get(name) ?? ""])));
    const wanted = (state.get("side") ?? "").split(".").filter((text) => /^\d+$/.test(text));
    setSide(wanted.map(Number).filter((index) => index in packed.conversations));
    if (isAsked) document.getElementById(state.has("side") ? "side" : "conversations").scrollIntoView();
  }
  openConversation(/^conversation-(\d+)$/.exec(fragment));
}

function openConversation(match) {
  const index = match ? Number(match[1]) : -1;
  if (index in packed.conversations) openAt(index);
}

function openAt(index) {
  let node = document.getElementById(`conversation-${index}`);
  if (!node) {
    node = conversation(index);
    list.prepend(node);
  }
  node.open = true;
  node.scrollIntoView();
}

async function begin() {
  startDrawings();
  try {
    packed = await unpack(document.getElementById("packed").textContent);
  } catch (error) {
    list.append(element("p", "note", `The conversations could not be unpacked: ${error.message}. A current browser can.`));
    return;
  }
  startFilters();
  startMatrix();
  startSide();
  window.addEventListener("hashchange", () => follow({ isAsked: true }));
  apply();
  follow();
  if (!side.length) startOpen();
}

begin();
