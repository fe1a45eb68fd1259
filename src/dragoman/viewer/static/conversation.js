// Sound in step with the transcript: one timeline through all sounds, in the order of the turns.
// Without this script every sound has its own player.
"use strict";

const player = document.getElementById("player");
const play = document.getElementById("play");
const seek = document.getElementById("seek");
const clock = document.getElementById("clock");

// One sound per turn: the audio after the channel, or without it the audio before the channel.
const track = [];
let current = 0;

function turnOf(sound) {
  return document.getElementById(`turn-${sound.dataset.turn}`);
}

function onTheClock(seconds) {
  const tenths = Math.round(seconds * 10);
  const rest = tenths % 600;
  return `${Math.floor(tenths / 600)}:${String(Math.floor(rest / 10)).padStart(2, "0")}.${rest % 10}`;
}

function draw() {
  const { sound, begins } = track[current];
  const place = begins + sound.currentTime;
  seek.value = place;
  const told = `${onTheClock(place)} of ${onTheClock(Number(seek.max))}, turn ${sound.dataset.turn}`;
  clock.textContent = told;
  seek.setAttribute("aria-valuetext", told);
}

function mark(place) {
  for (const node of document.querySelectorAll(".move.here")) node.classList.remove("here");
  current = place;
  turnOf(track[place].sound).classList.add("here");
  draw();
}

// Seeks in a sound; if it is not loaded yet, the seek follows the load.
function goTo(place, seconds, { plays }) {
  if (place !== current) track[current].sound.pause();
  const { sound } = track[place];
  const go = () => {
    sound.currentTime = seconds;
    draw();
    if (plays) start(sound);
  };
  mark(place);
  if (sound.readyState >= 1) return go();
  sound.addEventListener("loadedmetadata", go, { once: true });
  sound.preload = "auto";
  sound.load();
}

// A browser may refuse to play, or a pause may come before the start: neither is an error.
function start(sound) {
  sound.play().catch(() => undefined);
}

function isPlaying() {
  return track.some(({ sound }) => !sound.paused);
}

function toggle() {
  const { sound } = track[current];
  if (isPlaying()) return track.forEach((entry) => entry.sound.pause());
  goTo(current, sound.ended ? 0 : sound.currentTime, { plays: true });
}

function follow(sound, place) {
  sound.addEventListener("play", () => {
    for (const [index, entry] of track.entries()) if (index !== place) entry.sound.pause();
    mark(place);
    const turn = turnOf(sound);
    turn.classList.add("playing");
    turn.scrollIntoView({ block: "nearest" });
    play.textContent = "Pause";
  });
  sound.addEventListener("pause", () => {
    turnOf(sound).classList.remove("playing");
    if (!isPlaying()) play.textContent = "Play";
  });
  sound.addEventListener("timeupdate", () => {
    if (place === current) draw();
  });
  sound.addEventListener("ended", () => {
    if (place + 1 < track.length) goTo(place + 1, 0, { plays: true });
  });
}

function sayMissing(sound) {
  const told = document.createElement("p");
  told.className = "fine missing";
  told.textContent = `${sound.ariaLabel}: the sound cannot be fetched or played`;
  sound.closest(".sound").append(told);
}

// With the shared player a turn needs only a button for each of its sounds.
function button(sound) {
  const node = document.createElement("button");
  node.type = "button";
  const about = sound.closest(".sound").querySelector("figcaption");
  node.textContent = `▶ ${about.textContent}`;
  node.setAttribute("aria-label", `Listen: ${sound.ariaLabel}, ${sound.dataset.seconds} s`);
  about.hidden = true;
  const place = track.findIndex((entry) => entry.sound === sound);
  node.addEventListener("click", () => {
    if (place >= 0) return goTo(place, 0, { plays: true });
    for (const other of document.querySelectorAll("audio")) other.pause();
    sound.currentTime = 0;
    start(sound);
  });
  sound.after(node);
  sound.hidden = true;
  sound.addEventListener("error", () => sayMissing(sound), { once: true });
}

function startSounds() {
  const sounds = [...document.querySelectorAll("audio[data-turn]")];
  const byTurn = new Map();
  for (const sound of sounds) if (!byTurn.has(sound.dataset.turn)) byTurn.set(sound.dataset.turn, sound);
  if (!byTurn.size) return;
  let begins = 0;
  for (const sound of byTurn.values()) {
    track.push({ sound, begins });
    begins += Number(sound.dataset.seconds);
  }
  seek.max = begins;
  for (const [place, entry] of track.entries()) follow(entry.sound, place);
  for (const sound of sounds) button(sound);
  play.addEventListener("click", toggle);
  seek.addEventListener("input", () => {
    const wanted = Number(seek.value);
    const place = Math.max(0, track.findLastIndex((entry) => entry.begins <= wanted));
    goTo(place, wanted - track[place].begins, { plays: isPlaying() });
  });
  player.hidden = false;
  mark(0);
}

// A click on a turn seeks to its sound, except on links, controls and selected text.
function startTurns() {
  for (const turn of document.querySelectorAll(".move")) {
    turn.addEventListener("click", (event) => {
      if (event.target.closest("a, button, summary, input, audio") || String(getSelection())) return;
      const place = track.findIndex(({ sound }) => turnOf(sound) === turn);
      if (place >= 0) goTo(place, 0, { plays: isPlaying() });
    });
  }
}

if (player) {
  startSounds();
  startTurns();
}
