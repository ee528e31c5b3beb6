// How a photo of the queue is shown: as a card among the answers, or, where there
// are many, as a row of a list.
import { arrived } from "./announce.js";
import { noPreview, preview } from "./preview.js";
import { t } from "./words.js";

const STATUS = { waiting: t("Waiting"), sending: t("Uploading"), sent: t("In"), known: t("Here already"), refused: t("This one did not work"), removed: t("Taken off the list") };

// problemOf is why a photo was refused, as a sentence.
const problemOf = ({ problem }) => typeof problem === "number" ? t("The server answered with {0}. Try again, and if it stays, tell who runs this Fieldmark.", String(problem)) : problem ?? "";

const clone = (id) => document.getElementById(id).content.cloneNode(true).firstElementChild;

const fragment = (html) => new DOMParser().parseFromString(html, "text/html").body;

function common(element, photo, width, failed) {
  element.querySelector("[data-name]").textContent = photo.name;
  preview(element.querySelector("[data-preview]"), photo.blob, width, failed);
}

// Row is a photo in the list.
export class Row {
  constructor(photo, act) {
    this.photo = photo;
    this.element = clone("pending-row");
    common(this.element, photo, 96);
    this.element.querySelector("[data-retry]").addEventListener("click", () => act.retry(photo));
    this.element.querySelector("[data-remove]").addEventListener("click", () => act.remove(photo));
    this.element.querySelector("[data-again]").addEventListener("click", () => act.again(photo));
    this.update();
  }

  part() {
    if (this.photo.part === 1) this.#say(t("Looking closely"));
  }

  #say(text) {
    const status = this.element.querySelector("[data-status]");
    if (status.textContent !== text) status.textContent = text;
  }

  update() {
    const { photo, element } = this;
    element.dataset.state = photo.state;
    this.#say(STATUS[photo.state]);
    const problem = element.querySelector("[data-problem]");
    problem.textContent = problemOf(photo);
    problem.hidden = photo.state !== "refused";
    element.querySelector("[data-retry]").hidden = photo.state !== "refused" || photo.hopeless;
    element.querySelector("[data-remove]").hidden = photo.state !== "refused" && photo.state !== "waiting";
    element.querySelector("[data-again]").hidden = photo.state !== "known";
    if (photo.answer) this.#answered();
  }

  #answered() {
    const answer = fragment(this.photo.answer).querySelector("[data-sent]");
    this.photo.answer = "";
    if (!answer) return;
    const place = this.element.querySelector("[data-preview]");
    if (!place.firstElementChild) {
      noPreview(place);
      const image = new Image();
      image.alt = "";
      image.loading = "lazy";
      image.decoding = "async";
      image.src = `/observations/${answer.dataset.sent}/photo?size=small`;
      place.append(image);
    }
    answer.title = this.photo.name;
    this.element.querySelector("[data-name]").replaceWith(document.adoptNode(answer));
    answer.querySelector(".row-name").dataset.name = "";
  }
}

// Card is a photo among the answers, which its answer replaces.
export class Card {
  constructor(photo, act) {
    this.photo = photo;
    this.act = act;
    this.element = clone("pending");
    common(this.element, photo, 640, () => this.element.classList.add("card-unreadable"));
    this.element.querySelector("[data-retry]").addEventListener("click", () => act.retry(photo));
    this.element.querySelector("[data-dismiss]").addEventListener("click", () => act.remove(photo));
    this.update();
  }

  part() {
    const bar = this.element.querySelector("progress");
    if (!bar) return;
    bar.value = this.photo.part;
    if (this.photo.part < 1) return;
    bar.removeAttribute("value");
    this.element.querySelector("[data-status]").textContent = t("Looking closely");
  }

  update() {
    const { photo, element } = this;
    if (photo.state === "removed") {
      element.remove();
      return;
    }
    if (photo.state === "sent" || photo.state === "known") {
      // Without an answer another window or the worker sent it.
      if (photo.answer) this.#answered();
      else element.remove();
      return;
    }
    const failed = photo.state === "refused";
    element.classList.toggle("card-failed", failed);
    element.setAttribute("aria-busy", String(!failed));
    element.querySelector("[data-status]").textContent = STATUS[photo.state];
    const problem = element.querySelector("[data-problem]");
    problem.textContent = problemOf(photo);
    problem.hidden = !failed;
    element.querySelector(".pending-actions").hidden = !failed;
    element.querySelector("[data-retry]").hidden = Boolean(photo.hopeless);
    if (failed) arrived({ dataset: { said: `${photo.name}: ${problemOf(photo)}` } });
    if (!element.isConnected) this.act.show(this);
  }

  #answered() {
    const answer = fragment(this.photo.answer).querySelector("[data-card]");
    this.photo.answer = "";
    if (!answer) return;
    document.adoptNode(answer);
    noPreview(this.element.querySelector("[data-preview]"));
    if (this.photo.state === "known") answer.querySelector(".card-body").prepend(this.#known(answer));
    // The same photo again is the same observation, whose card may be there.
    document.getElementById(answer.id)?.remove();
    const takes = this.act.takesFocus(this.element);
    this.element.replaceWith(answer);
    htmx.process(answer);
    arrived(answer);
    if (takes) answer.focus({ preventScroll: true });
    this.act.answered();
  }

  // #known says that the photo was here, and offers to store it all the same.
  #known(answer) {
    const text = document.createElement("p");
    text.className = "advice known";
    text.append(t("Here already: No. {0}. It was not stored again.", answer.dataset.card), " ");
    const button = text.appendChild(document.createElement("button"));
    button.type = "button";
    button.className = "button button-small";
    button.textContent = t("Store it once more");
    button.addEventListener("click", () => this.act.again(this.photo));
    return text;
  }
}
