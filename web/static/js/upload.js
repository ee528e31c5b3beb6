// Photos are sent one by one, two at a time, each with its own card from the
// moment it is dropped: a preview, then a progress bar, then the answer.
import { arrived } from "./announce.js";

const AT_ONCE = 2;

export function startUploads(form) {
  new Uploads(form).listen();
}

class Uploads {
  constructor(form) {
    this.form = form;
    this.results = document.getElementById("results");
    this.pending = document.getElementById("pending");
    this.batch = form.querySelector("[data-batch]");
    this.queue = [];
    this.running = 0;
    this.total = 0;
    this.done = 0;
    this.focusFrom = null; // what had the focus when photos came, until one takes it
    this.parts = new Map(); // card → share of its bytes that are sent, 0 to 1
  }

  listen() {
    for (const input of this.form.querySelectorAll("[data-files]")) {
      input.addEventListener("change", () => {
        this.add(input.files);
        input.value = "";
      });
    }
    this.form.addEventListener("submit", (event) => event.preventDefault());
    this.form.querySelector("[data-label-set]").addEventListener("change", (event) => {
      const url = new URL(location.href);
      url.searchParams.set("label_set", event.target.value);
      location.assign(url);
    });
    document.addEventListener("paste", (event) => {
      if (event.clipboardData.files.length > 0) this.add(event.clipboardData.files);
    });
    this.listenForDrops();
  }

  listenForDrops() {
    let depth = 0; // dragenter and dragleave come for every element within
    const over = (on) => this.form.classList.toggle("upload-over", on);
    document.addEventListener("dragenter", (event) => {
      if (event.dataTransfer.types.includes("Files")) over(++depth > 0);
    });
    document.addEventListener("dragleave", () => over((depth = Math.max(0, depth - 1)) > 0));
    document.addEventListener("dragover", (event) => {
      if (event.dataTransfer.types.includes("Files")) event.preventDefault();
    });
    document.addEventListener("drop", (event) => {
      if (event.dataTransfer.files.length === 0) return;
      event.preventDefault();
      over((depth = 0) > 0);
      this.add(event.dataTransfer.files);
    });
  }

  add(files) {
    const cards = [...files].map((file) => this.card(file));
    if (cards.length === 0) return;
    this.focusFrom = document.activeElement;
    this.results.prepend(...cards.map((card) => card.element));
    this.queue.push(...cards);
    this.total += cards.length;
    this.form.closest("[data-home]").classList.add("has-results");
    this.next();
  }

  card(file) {
    const element = this.pending.content.cloneNode(true).firstElementChild;
    const preview = URL.createObjectURL(file);
    const image = new Image();
    image.alt = "";
    image.addEventListener("error", () => element.classList.add("card-unreadable"));
    image.src = preview;
    element.querySelector("[data-preview]").append(image);
    element.querySelector("[data-name]").textContent = file.name;
    const card = { element, file, preview };
    element.querySelector("[data-retry]").addEventListener("click", () => this.retry(card));
    return card;
  }

  next() {
    while (this.running < AT_ONCE && this.queue.length > 0) {
      this.running++;
      this.send(this.queue.shift());
    }
    this.progress();
  }

  send(card) {
    const data = new FormData();
    data.append("label_set", this.form.querySelector("[data-label-set]").value);
    data.append("photo", card.file, card.file.name);
    const status = card.element.querySelector("[data-status]");
    const bar = card.element.querySelector("progress");
    status.textContent = "Uploading";
    const request = new XMLHttpRequest();
    request.open("POST", this.form.action);
    request.setRequestHeader("HX-Request", "true");
    request.upload.addEventListener("progress", (event) => {
      if (!event.lengthComputable) return;
      bar.value = event.loaded / event.total;
      this.parts.set(card, bar.value);
      this.progress();
    });
    request.upload.addEventListener("load", () => {
      status.textContent = "Looking closely";
      bar.removeAttribute("value");
    });
    request.addEventListener("load", () => this.answered(card, request));
    request.addEventListener("error", () => this.failed(card, "Fieldmark could not be reached. The photo is still here: try again.", true));
    request.send(data);
  }

  answered(card, request) {
    const to = request.getResponseHeader("HX-Redirect");
    if (to) {
      location.assign(to);
      return;
    }
    const page = new DOMParser().parseFromString(request.responseText, "text/html");
    if (request.status !== 201) {
      const sentence = page.querySelector("[data-sentence]")?.textContent ?? `The server answered with ${request.status}.`;
      this.failed(card, sentence, request.status === 429 || request.status >= 500);
      return;
    }
    const answer = document.adoptNode(page.querySelector("[data-card]"));
    // The same photo again is the same observation, or a new one with its number.
    document.getElementById(answer.id)?.remove();
    const takes = this.takesFocus(card);
    card.element.replaceWith(answer);
    URL.revokeObjectURL(card.preview);
    htmx.process(answer);
    arrived(answer);
    if (takes) {
      this.focusFrom = null;
      answer.focus({ preventScroll: true });
    }
    this.remember();
    this.finished(card);
  }

  // takesFocus tells whether an answer gets the focus: the first of what was
  // added does, unless the reader has gone elsewhere since or is typing a name.
  takesFocus(card) {
    const now = document.activeElement;
    if (now === document.body || card.element.contains(now)) return true;
    return now === this.focusFrom && !now.matches("[data-search], textarea");
  }

  failed(card, sentence, again) {
    card.element.classList.add("card-failed");
    card.element.setAttribute("aria-busy", "false");
    card.element.querySelector("[data-status]").textContent = "This one did not work";
    const problem = card.element.querySelector("[data-problem]");
    problem.textContent = sentence;
    problem.hidden = false;
    card.element.querySelector(".pending-actions").hidden = false;
    card.element.querySelector("[data-retry]").hidden = !again;
    arrived({ dataset: { said: `${card.file.name}: ${sentence}` } });
    this.finished(card);
  }

  retry(card) {
    const fresh = this.card(card.file);
    card.element.replaceWith(fresh.element);
    this.queue.push(fresh);
    this.total++;
    this.next();
  }

  finished(card) {
    this.parts.delete(card);
    this.running--;
    this.done++;
    this.next();
  }

  // progress shows how far the whole batch is.
  progress() {
    const busy = this.done < this.total;
    this.batch.hidden = !busy || this.total < 2;
    if (!busy) {
      this.total = this.done = 0;
      return;
    }
    const sent = [...this.parts.values()].reduce((sum, part) => sum + part, 0);
    // Sending is nine tenths of a photo's way at most: it is still to be read.
    this.batch.querySelector("progress").value = (this.done + 0.9 * sent) / this.total;
    this.batch.querySelector("[data-batch-text]").textContent = `${this.done} of ${this.total} photos read`;
  }

  // remember keeps the answers in the address, so that a reload shows them.
  remember() {
    const ids = [...this.results.querySelectorAll("[data-card]")].map((card) => card.dataset.card).slice(0, 60);
    const url = new URL(location.href);
    url.searchParams.set("shown", ids.join(","));
    url.hash = "";
    history.replaceState(null, "", url.href.replaceAll("%2C", ","));
  }
}
