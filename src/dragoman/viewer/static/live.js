"use strict";
// Puts what changes of a run's page anew into it while the run goes on; without this the page loads again.
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
    // The rest of the page, its figures, is of less than there is now.
    if (part.querySelector("[data-going]")) setTimeout(look, PERIOD);
    else location.reload();
  };
  if (part.querySelector("[data-going]")) setTimeout(look, PERIOD);
}
