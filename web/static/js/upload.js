// The place for photos: what is dropped, pasted, taken or chosen goes through the
// queue. The first photos of a batch get a card each, the others a row (list.js).
import { say } from "./announce.js";
import { dropped, photosOf, refusal } from "./folder.js";
import { List } from "./list.js";
import { Pace, spoken } from "./pace.js";
import { Queue, newKey } from "./queue.js";
import { Card } from "./rows.js";
import { note, noted } from "./store.js";
import { t, tn } from "./words.js";

const CARDS = 6; // of one batch

class Uploads {
  constructor(form, queue) {
    this.form = form;
    this.queue = queue;
    this.results = document.getElementById("results");
    this.panel = document.querySelector("[data-queue]");
    this.cards = new Map(); // photo → Card
    this.pace = new Pace();
    this.others = 0;
    this.focusFrom = null; // what had the focus when photos came, until one takes it
    this.drawing = 0;
    this.act = {
      retry: (photo) => queue.retry([photo]),
      remove: (photo) => this.remove(photo),
      again: (photo) => this.again(photo),
      show: (card) => this.results.prepend(card.element),
      takesFocus: (element) => this.takesFocus(element),
      answered: () => this.remember(),
    };
    this.list = new List(this.panel.querySelector("[data-rows]"), this.act);
  }

  get(name) {
    return this.panel.querySelector(`[data-queue-${name}]`);
  }

  listen() {
    this.listenToForm();
    this.listenForDrops();
    this.get("pause").addEventListener("click", () => (this.queue.paused ? this.queue.resume() : this.queue.pause()));
    this.get("cancel").addEventListener("click", () => this.queue.cancel());
    this.get("restore").addEventListener("click", () => this.queue.restore());
    this.get("retry").addEventListener("click", () => this.queue.retry(this.failed()));
    this.get("close").addEventListener("click", () => this.close());
    this.queue.addEventListener("added", ({ detail }) => this.added(detail));
    this.queue.addEventListener("photo", ({ detail }) => {
      this.cards.get(detail)?.update();
      this.list.update(detail);
      this.draw();
    });
    this.queue.addEventListener("part", ({ detail }) => {
      (this.cards.get(detail) ?? this.list).part(detail);
      this.draw();
    });
    this.queue.addEventListener("changed", () => this.draw());
    this.queue.addEventListener("lost", () => sendLater());
    addEventListener("beforeunload", (event) => {
      if (this.queue.unsafe > 0) event.preventDefault();
    });
  }

  listenToForm() {
    for (const input of this.form.querySelectorAll("[data-files]")) {
      input.addEventListener("change", () => {
        const files = [...input.files];
        this.add("folder" in input.dataset ? photosOf(files) : { photos: files, others: 0 });
        input.value = "";
      });
    }
    this.form.addEventListener("submit", (event) => event.preventDefault());
    this.form.querySelector("[data-label-set]")?.addEventListener("change", (event) => this.ask("label_set", event.target.value));
    this.form.querySelector("[data-labels-ask]").addEventListener("click", () => this.ask("label", this.form.querySelector("[data-labels]").value.trim()));
    const license = this.form.querySelector("[data-license]");
    license?.addEventListener("change", () => {
      this.form.querySelector("[data-license-said]").textContent = license.selectedOptions[0].text;
    });
    this.form.querySelector("[data-insecure]").hidden = isSecureContext;
    document.addEventListener("paste", (event) => {
      if (event.clipboardData.files.length > 0) this.add({ photos: [...event.clipboardData.files], others: 0 });
    });
  }

  // ask reads the photos of the page by another question.
  ask(name, value) {
    const url = new URL(location.href);
    if (value) url.searchParams.set(name, value);
    else url.searchParams.delete(name);
    location.assign(url);
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
      dropped(event.dataTransfer).then((found) => this.add(found));
    });
  }

  // fields is what is said of the photos that come now.
  fields() {
    const value = (name) => this.form.querySelector(`[data-${name}]`)?.value ?? "";
    return { label_set: value("label-set"), label: value("labels").trim(), license: value("license"), rights_holder: value("rights-holder") };
  }

  add({ photos, others }) {
    this.focusFrom = document.activeElement;
    if (this.over()) this.close();
    this.others += others;
    const good = [];
    for (const file of photos) {
      const problem = refusal(file, Number(this.form.dataset.max));
      if (problem) this.queue.refuse(file, problem, this.cards.size < CARDS ? "" : "1");
      else good.push(file);
    }
    // The first get cards; the others ask for rows.
    const cards = Math.max(0, CARDS - this.cards.size);
    if (good.length > 0) this.queue.add(good.slice(0, cards), this.fields());
    if (good.length > cards) this.queue.add(good.slice(cards), { ...this.fields(), row: "1" });
    this.draw();
  }

  // again stores a photo that was here already.
  again(photo) {
    this.list.asked(photo);
    this.focusFrom = document.activeElement;
    this.queue.add([photo.blob], { ...photo.fields, again: newKey() });
  }

  remove(photo) {
    this.cards.get(photo)?.element.remove();
    this.cards.delete(photo);
    this.queue.remove(photo);
    this.list.keep(this.queue.photos);
  }

  // close forgets what is over.
  close() {
    this.queue.clear();
    this.list.keep(this.queue.photos);
    for (const [photo, card] of this.cards) {
      if (this.queue.photos.includes(photo)) continue;
      if (photo.state === "refused") card.element.remove();
      this.cards.delete(photo);
    }
    this.others = 0;
    this.pace = new Pace();
    this.form.closest("[data-home]").classList.toggle("has-results", this.results.childElementCount > 0);
  }

  // failed lists the photos that may be tried again.
  failed() {
    return this.queue.photos.filter((photo) => photo.state === "refused" && !photo.hopeless);
  }

  over() {
    return this.queue.count("waiting", "sending") === 0;
  }

  added(photos) {
    this.form.closest("[data-home]").classList.add("has-results");
    const made = photos.filter((photo) => !photo.fields.row).map((photo) => new Card(photo, this.act));
    made.forEach((card) => this.cards.set(card.photo, card));
    this.results.prepend(...made.map((card) => card.element));
    this.list.add(photos.filter((photo) => photo.fields.row));
    this.draw();
  }

  // takesFocus tells whether an answer gets the focus: the first of what was
  // added does, unless the reader has gone elsewhere since or is typing a name.
  takesFocus(element) {
    const now = document.activeElement;
    const takes = element.contains(now) || (this.focusFrom !== null && (now === document.body || (now === this.focusFrom && !now.matches("[data-search], textarea"))));
    if (takes) this.focusFrom = null;
    return takes;
  }

  // draw shows how far the queue is, some times a second: each drawing lays the page
  // out anew, and a photo tells of itself with every packet that is sent.
  draw() {
    this.drawing ||= setTimeout(() => {
      this.drawing = 0;
      this.progress();
    }, 150);
  }

  progress() {
    const { queue } = this;
    const total = queue.photos.length - queue.count("removed");
    const done = queue.count("sent", "known");
    const failed = queue.count("refused");
    const open = total - done - failed;
    const held = queue.lost || queue.signIn !== "" || queue.paused;
    const many = total > CARDS || this.list.size > 0;
    const removed = queue.count("removed");
    const unseen = done > 0 && this.results.childElementCount === 0; // the worker sent them: no answer came to this page
    this.panel.hidden = !(open > 0 ? total > 1 || held : many || removed > 0 || this.others > 0 || unseen);
    const work = queue.photos.reduce((sum, photo) => sum + weight(photo) * share(photo), 0);
    const all = queue.photos.reduce((sum, photo) => sum + (photo.state === "removed" ? 0 : weight(photo)), 0);
    if (held || open === 0) this.pace.rest();
    else this.pace.seen(work, performance.now());
    this.panel.querySelector("progress").value = all > 0 ? work / all : 0;
    this.panel.querySelector("progress").hidden = open === 0;
    const left = held || open === 0 ? null : this.pace.left(all - work);
    set(this.get("left"), left === null ? "" : spoken(left));
    set(this.get("text"), this.sentence({ total, done, failed, open }));
    set(this.get("advice"), this.advice());
    this.get("advice").hidden = this.get("advice").textContent === "";
    this.get("pause").hidden = open === 0;
    set(this.get("pause"), queue.paused ? t("Continue") : t("Pause"));
    this.get("cancel").hidden = queue.count("waiting") === 0;
    this.get("restore").hidden = removed === 0;
    this.get("retry").hidden = open > 0 || this.failed().length === 0;
    this.get("review").hidden = open > 0 || done === 0;
    this.get("close").hidden = open > 0;
    if (open === 0 && this.wasOpen && many) say(this.get("text").textContent);
    this.wasOpen = open > 0;
  }

  sentence({ total, done, failed, open }) {
    const known = this.queue.count("known");
    const parts = [open === 0 ? tn("{0} photo is in", "{0} photos are in", done) : tn("{1} of {0} photo in", "{1} of {0} photos in", total, done)];
    if (known > 0) parts.push(t("{0} of them here already", known));
    const bad = failed > 0 ? ` ${t("{0} did not work.", failed)}` : "";
    return `${parts.join(", ")}.${bad}`;
  }

  advice() {
    const { queue } = this;
    const lines = [];
    const waiting = queue.count("waiting", "sending");
    if (waiting > 0 && queue.signIn) lines.push(t("You are not signed in any more. The photos stay on this device; sign in again to send them."));
    else if (waiting > 0 && queue.lost) lines.push(tn("No connection. {0} photo is kept on this device, and sent when it is back.", "No connection. {0} photos are kept on this device, and sent when it is back.", waiting));
    else if (waiting > 0 && queue.paused) lines.push(t("Paused. What is on its way is still sent; the others wait on this device."));
    if (queue.full && queue.unsafe > 0) {
      lines.push(tn("This browser has no room to keep {0} photo: leave this page open until they are sent.",
        "This browser has no room to keep {0} photos: leave this page open until they are sent.", queue.unsafe));
    }
    if (this.others > 0) lines.push(tn("{0} file that is no photo was left out.", "{0} files that are no photos were left out.", this.others));
    return lines.join(" ");
  }

  // remember keeps the answers in the address, so that a reload shows them.
  remember() {
    const ids = [...this.results.querySelectorAll("[data-card]")].map((card) => card.dataset.card).slice(0, 60);
    const url = new URL(location.href);
    if (url.pathname !== "/") return; // the page for when there was no connection
    url.searchParams.set("shown", ids.join(","));
    url.hash = "";
    history.replaceState(history.state, "", url.href.replaceAll("%2C", ","));
  }
}

function set(element, text) {
  if (element.textContent !== text) element.textContent = text;
}

// weight is how much work a photo is: its bytes, and the reading of it, which takes
// about as long as sending a few hundred kilobytes.
const weight = (photo) => photo.blob.size + 300_000;

// Sending is nine tenths of a photo's way at most: it is still to be read.
function share({ state, part }) {
  if (state === "sent" || state === "known" || state === "refused") return 1;
  return state === "sending" ? 0.9 * part : 0;
}

// sendLater asks the browser to wake the worker when the connection is back, where
// it can (Background Sync).
function sendLater() {
  navigator.serviceWorker?.ready.then((registration) => registration.sync?.register("photos")).catch(() => {});
}

function start(form) {
  const queue = new Queue(form.dataset.observer);
  const uploads = new Uploads(form, queue);
  uploads.listen();
  const load = () => queue.load().catch(() => {}); // storage is forbidden: the queue lasts as long as the page
  whoFills(queue).then(load);
  navigator.serviceWorker?.addEventListener("message", load);
}

// whoFills notes who fills the queue. The page for when there is no connection does
// not know: it is whoever was here last.
async function whoFills(queue) {
  try {
    if (queue.observer) await note("observer", queue.observer);
    else queue.observer = await noted("observer") ?? "";
  } catch { /* storage is forbidden */ }
}

const form = document.querySelector("[data-upload]");
if (form) start(form);
