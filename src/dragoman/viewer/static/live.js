"use strict";
// Updates the changing part of a run's page while the run is running; without this script the page reloads.
const PERIOD = 3000;

for (const part of document.querySelectorAll("[data-live]")) {
  const look = async () => {
    if (document.hidden) {
      setTimeout(look, PERIOD);
      return;
    }
    try {
      const answer = await fetch(part.dataset.live);
      if (answer.ok) part.innerHTML = await answer.text();
    } catch {
      return;
    }
    // The rest of the page is outdated now: reload it.
    if (part.querySelector("[data-going]")) setTimeout(look, PERIOD);
    else location.reload();
  };
  if (part.querySelector("[data-going]")) setTimeout(look, PERIOD);
}
