// What a swap of htmx changed is said to screen readers, and the keyboard stays
// where it was: on the card.
import { t } from "./words.js";

const live = document.getElementById("live");
const notices = document.getElementById("notices");

// say puts a sentence before screen readers.
export function say(text) {
  live.textContent = "";
  // A region that is set anew in the same task is not read out.
  setTimeout(() => { live.textContent = text; }, 50);
}

// notice shows an error that no response came with.
export function notice(text) {
  const box = document.createElement("div");
  box.className = "notice";
  box.dataset.notice = "";
  const p = box.appendChild(document.createElement("p"));
  p.textContent = text;
  const button = box.appendChild(document.createElement("button"));
  button.type = "button";
  button.className = "link";
  button.dataset.dismiss = "";
  button.textContent = t("Dismiss");
  notices.replaceChildren(box);
}

// arrived greets a card that has come from the server.
export function arrived(card) {
  if (card.dataset.said) say(card.dataset.said);
}

export function startAnnouncing() {
  document.addEventListener("htmx:load", (event) => {
    const card = event.detail.elt;
    if (!(card instanceof HTMLElement) || !card.matches("[data-card]")) return;
    notices.replaceChildren();
    arrived(card);
    // Asked again for a name: back to its field. Else the card itself.
    const asked = card.querySelector("[data-search][aria-invalid]");
    (card.querySelector(".matches button") ?? asked ?? card).focus({ preventScroll: true });
  });
  for (const name of ["htmx:sendError", "htmx:timeout"]) {
    document.addEventListener(name, () => notice(t("Fieldmark could not be reached, so nothing was changed. Try again.")));
  }
  document.addEventListener("click", (event) => {
    const button = event.target.closest("[data-dismiss]");
    if (button) (button.closest("[data-notice]") ?? button.closest(".card-pending"))?.remove();
  });
}
