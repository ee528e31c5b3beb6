// The review queue: the next photo is on screen before the answer to a decision has
// come, photos that look alike are selected, and the keyboard stays on the card.
import { say } from "./announce.js";
import { Held } from "./held.js";
import { quiet, silent } from "./keys.js";
import { t } from "./words.js";

const stage = () => document.querySelector("[data-review]");
const card = () => stage()?.querySelector("[data-card]");
const tiles = () => [...stage().querySelectorAll("[data-tile]")];

// idle says whether the focus is on the card, or on nothing, as after a click beside
// it: a key means the card then as well.
const idle = () => [card(), document.body, null].includes(document.activeElement);

// ready decodes the photo that follows, so that it can be shown within a frame.
function ready() {
  const image = stage()?.querySelector("[data-next-photo] img");
  image?.decode?.().catch(() => { /* it came without a photo, or is gone: shown as it is */ });
}

// ahead shows the photo that follows where the present one is, while the decision
// on that is stored and learned. Its answer comes from the memory that has learned.
function ahead(form) {
  const next = stage().querySelector("[data-next-photo]");
  const photo = form.querySelector("[data-photo]");
  if (!next || !photo) return null;
  const shown = next.cloneNode(true);
  shown.removeAttribute("hidden");
  shown.removeAttribute("data-next-photo");
  shown.className = photo.className;
  shown.replaceChildren(next.querySelector("img").cloneNode(), next.querySelector("figcaption").cloneNode(true));
  photo.replaceWith(shown);
  form.classList.add("review-ahead");
  performance.mark("review:next");
  return () => {
    shown.replaceWith(photo);
    form.classList.remove("review-ahead");
  };
}

// decides says whether a request stores a decision after which the next photo is
// shown: one for a typed name may have to ask which is meant.
function decides(detail) {
  const form = detail.elt;
  if (!form.matches?.("[data-decide]")) return false;
  const sent = detail.requestConfig?.parameters ?? {};
  return Boolean(sent.suggestion || sent.taxon || sent.do || sent.new);
}

// place keeps what is shown in the address. Who followed a link to another view comes
// back from it as from any page.
function place(review) {
  const { here } = review.dataset;
  if (!here) return;
  const view = new URL(here, location.href).pathname;
  if (followed && view !== location.pathname) history.pushState(null, "", here);
  else history.replaceState(history.state, "", here);
}

function arrived(review) {
  place(review);
  if (review.dataset.said) say(review.dataset.said);
  const asked = review.querySelector("[data-search][aria-invalid]");
  const question = review.querySelector(".matches button") ?? asked;
  if (question) held.forget(); // the keys were meant for the photo that was to follow
  (question ?? card())?.focus({ preventScroll: true });
  ready();
  performance.mark("review:card");
}

// count says how many photos are selected.
function count() {
  const all = tiles();
  const on = all.filter((tile) => tile.checked).length;
  stage().querySelector("[data-selected]").textContent = t("{0} of {1} selected", on, all.length);
}

let anchor = null; // the tile that a range begins at

function range(tile) {
  const list = tiles();
  const [from, to] = [list.indexOf(anchor), list.indexOf(tile)].sort((a, b) => a - b);
  if (from < 0) return;
  for (const other of list.slice(from, to + 1)) other.checked = tile.checked;
}

// step moves the focus among elements, by a row where rows says so.
function step(list, by) {
  const index = list.indexOf(document.activeElement);
  list[Math.min(list.length - 1, Math.max(0, index < 0 ? 0 : index + by))]?.focus();
}

function columns(list) {
  const top = list[0]?.parentElement.offsetTop;
  return Math.max(1, list.filter((tile) => tile.parentElement.offsetTop === top).length);
}

// arrows moves among the photos of a group, or the names of an answer.
function arrows(event) {
  const list = tiles();
  if (list.includes(document.activeElement) || (list.length > 0 && idle())) {
    const by = { ArrowLeft: -1, ArrowRight: 1, ArrowUp: -columns(list), ArrowDown: columns(list) }[event.key];
    const from = document.activeElement;
    step(list, by);
    if (event.shiftKey && list.includes(from) && list.includes(document.activeElement)) {
      document.activeElement.checked = from.checked;
      count();
    }
    return true;
  }
  if (event.key === "ArrowUp" || event.key === "ArrowDown") {
    step([...card().querySelectorAll("[data-accept]")], event.key === "ArrowDown" ? 1 : -1);
    return true;
  }
  const link = stage().querySelector(event.key === "ArrowRight" ? "[data-next]" : "[data-previous]");
  link?.click();
  return Boolean(link);
}

function all() {
  const on = tiles().some((tile) => !tile.checked);
  for (const tile of tiles()) tile.checked = on;
  count();
}

function onKey(event) {
  if (!stage() || !card() || quiet(event)) return;
  if (event.key.startsWith("Arrow")) {
    if (arrows(event)) event.preventDefault();
    return;
  }
  const onTile = document.activeElement?.matches?.("[data-tile]");
  if (event.key === "Enter" && (onTile || idle()) && !event.repeat) {
    event.preventDefault();
    card().querySelector('[data-accept="1"]')?.click();
  } else if (event.key === "a" && tiles().length > 0) {
    event.preventDefault();
    all();
  }
}

const held = new Held();
const asks = (event) => event.detail.target?.id === "review";

document.addEventListener("keydown", (event) => {
  const here = event.target === document.body || stage()?.contains(event.target);
  if (!here || silent(event) || !held.hold(event)) return;
  event.preventDefault();
  event.stopPropagation();
}, { capture: true });
document.addEventListener("keydown", onKey);
document.addEventListener("click", (event) => {
  if (event.target.closest?.("[data-all]")) all();
  const tile = event.target.closest?.("[data-tile]");
  if (!tile) return;
  if (event.shiftKey && anchor) range(tile);
  anchor = tile;
  count();
});

let back = null; // undoes ahead
let followed = false; // what is asked for was asked for by a link, and is no decision
document.addEventListener("htmx:beforeSend", (event) => {
  if (asks(event)) {
    held.wait();
    followed = event.detail.requestConfig.verb === "get";
  }
  if (decides(event.detail)) {
    performance.mark("review:decided");
    back = ahead(event.detail.elt);
  }
});
document.addEventListener("htmx:afterRequest", (event) => {
  // A refusal goes to the place for notices: the photo is still to be decided on.
  const went = event.detail.successful || event.detail.xhr?.status === 422 || event.detail.xhr?.status === 409;
  if (back && !(went && asks(event))) back();
  back = null;
  if (!asks(event)) return;
  if (!event.detail.successful) held.forget();
  queueMicrotask(() => held.release()); // once htmx is done with this answer
});
document.addEventListener("htmx:load", (event) => {
  if (event.detail.elt.matches?.("[data-review]")) arrived(event.detail.elt);
});
addEventListener("popstate", () => {
  const here = location.pathname + location.search;
  if (stage() && stage().dataset.here !== here) htmx.ajax("GET", here, { target: "#review", swap: "outerHTML" });
});
if (stage()) place(stage());
ready();
card()?.focus({ preventScroll: true });
