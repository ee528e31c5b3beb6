// The list of the photos of a long batch. It has rows for as many as the reader has
// scrolled to, and for those that did not work: hundreds would make the page slow at
// each change of one of them.
import { Row } from "./rows.js";
import { tn } from "./words.js";

const AT_ONCE = 60; // rows

export class List {
  #rows = new Map(); // photo → Row
  #later = []; // photos that have no row yet, in their order

  constructor(element, act) {
    this.element = element;
    this.act = act;
    this.more = element.querySelector("[data-more]");
    this.more.querySelector("button").addEventListener("click", () => this.#page());
    new IntersectionObserver((entries) => {
      if (entries.some((entry) => entry.isIntersecting)) this.#page();
    }, { root: element, rootMargin: "200px" }).observe(this.more);
  }

  get size() {
    return this.#rows.size + this.#later.length;
  }

  add(photos) {
    this.#later.push(...photos);
    const room = Math.max(0, AT_ONCE - this.#rows.size);
    this.#make(this.#later.filter((photo, i) => i < room || photo.state === "refused"));
  }

  // update shows what became of a photo; one that did not work gets its row now.
  update(photo) {
    const row = this.#rows.get(photo);
    if (row) row.update();
    else if (photo.state === "refused" && this.#later.includes(photo)) this.#make([photo]);
    this.#raise(this.#rows.get(photo));
  }

  part(photo) {
    this.#rows.get(photo)?.part();
  }

  // asked takes back the offer to store a photo once more.
  asked(photo) {
    this.#rows.get(photo)?.element.querySelector("[data-again]").setAttribute("hidden", "");
  }

  // keep takes off the list what is not among these photos.
  keep(photos) {
    const kept = new Set(photos);
    for (const [photo, row] of this.#rows) {
      if (kept.has(photo)) continue;
      row.element.remove();
      this.#rows.delete(photo);
    }
    this.#later = this.#later.filter((photo) => kept.has(photo));
    this.#told();
  }

  #page() {
    this.#make(this.#later.slice(0, AT_ONCE));
  }

  #make(photos) {
    const rows = photos.map((photo) => new Row(photo, this.act));
    for (const row of rows) this.#rows.set(row.photo, row);
    this.#later = this.#later.filter((photo) => !this.#rows.has(photo));
    this.more.before(...rows.map((row) => row.element));
    for (const row of rows) this.#raise(row);
    this.#told();
  }

  #told() {
    const n = this.#later.length;
    this.more.hidden = n === 0;
    this.more.firstElementChild.textContent = tn("{0} more photo", "{0} more photos", n);
  }

  // #raise puts a photo that did not work before all that did: in a list of hundreds
  // nobody would find it.
  #raise(row) {
    if (row?.photo.state !== "refused" || row.element.contains(document.activeElement)) return;
    this.element.insertBefore(row.element, this.element.querySelector(":scope > :not([data-state=refused])"));
  }
}
