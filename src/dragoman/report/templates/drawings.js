// Figures: the pointed value is shown below them, a legend entry hides its series, and a mark of one cell
// links to its conversations. Without a script the same is in each mark's title and in the data.
function readOut(figure, datum) {
  const line = figure.querySelector(".readout");
  line.textContent = datum ? datum.querySelector("title").textContent : "";
  line.hidden = !datum;
  for (const node of figure.querySelectorAll(".datum.chosen")) node.classList.remove("chosen");
  datum?.classList.add("chosen");
}

function toggleSeries(figure, key) {
  const isOff = key.classList.toggle("off");
  key.setAttribute("aria-pressed", String(!isOff));
  for (const node of figure.querySelectorAll(`[data-series="${key.dataset.series}"]:not(.key)`)) {
    node.classList.toggle("off", isOff);
  }
}

function startLegend(figure) {
  const keys = figure.querySelectorAll(".key");
  if (keys.length < 2) return;
  figure.querySelector("svg").setAttribute("role", "group");
  for (const key of keys) {
    key.setAttribute("role", "button");
    key.setAttribute("tabindex", "0");
    key.setAttribute("aria-pressed", "true");
    key.addEventListener("click", () => toggleSeries(figure, key));
    key.addEventListener("keydown", (event) => {
      if (event.key !== "Enter" && event.key !== " ") return;
      event.preventDefault();
      toggleSeries(figure, key);
    });
  }
}

function stepThrough(figure, event) {
  const step = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 }[event.key];
  if (!step || event.target.closest(".key")) return;
  event.preventDefault();
  const marks = [...figure.querySelectorAll(".datum:not(.off)")];
  const at = marks.findIndex((node) => node.classList.contains("chosen"));
  if (marks.length) readOut(figure, marks[(at + step + marks.length) % marks.length]);
}

function startDrawings() {
  for (const figure of document.querySelectorAll("figure.drawn")) {
    const area = figure.querySelector(".scroll");
    startLegend(figure);
    area.addEventListener("pointerover", (event) => {
      const datum = event.target.closest(".datum");
      if (datum) readOut(figure, datum);
    });
    area.addEventListener("keydown", (event) => stepThrough(figure, event));
    area.addEventListener("click", (event) => {
      const datum = event.target.closest(".datum[data-cell]");
      if (datum && packed) showCell(Number(datum.dataset.cell), {});
    });
  }
}
