// The wall of a workshop, kept up to date by server-sent events. The server draws each
// part, as it drew the page.
import { t } from "./words.js";

const TILES = 28;
const LINES = 6;

const wall = document.querySelector("[data-events]");
const tiles = wall.querySelector("[data-tiles]");
const lines = wall.querySelector("[data-lines]");
const figures = wall.querySelector("[data-figures]");
const state = wall.querySelector("[data-state]");

function drawn(html) {
  const template = document.createElement("template");
  template.innerHTML = html;
  return template.content.firstElementChild;
}

function first(list, element, most) {
  list.prepend(element);
  while (list.children.length > most) list.lastElementChild.remove();
}

const source = new EventSource(wall.dataset.events);
const on = (name, does) => source.addEventListener(name, (event) => does(event.data));

on("tile", (html) => {
  const tile = drawn(html);
  const there = document.getElementById(tile.id);
  if (there) there.replaceWith(tile);
  else first(tiles, tile, TILES);
});
on("line", (html) => first(lines, drawn(html), LINES));
on("figures", (html) => {
  figures.innerHTML = html;
});
on("again", () => {
  source.close();
  location.reload();
});
source.addEventListener("open", () => {
  state.textContent = "";
});
// The browser tries again by itself, from the last event on, unless it was refused.
source.addEventListener("error", () => {
  if (source.readyState === EventSource.CLOSED) {
    state.textContent = t("Not connected. Trying again …");
    setTimeout(() => location.reload(), 10_000);
  } else {
    state.textContent = t("Connecting again …");
  }
});
