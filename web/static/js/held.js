// Keys that go down while the server is asked for what comes next are meant for that:
// they wait for it, in order, and are pressed then. A name is not accepted in this
// way: nobody has seen which names come.

const UNSEEN = ["1", "2", "3", "Enter"];

const field = "input:not([type=checkbox], [type=radio], [type=file]), textarea";

// type does what the browser does with a key in a field.
function type(input, key) {
  if (key === "Enter") input.form?.requestSubmit();
  else if (key === "Backspace") input.setRangeText("", Math.max(0, input.selectionStart - (input.selectionStart === input.selectionEnd)), input.selectionEnd, "end");
  else if ([...key].length === 1) input.setRangeText(key, input.selectionStart, input.selectionEnd, "end");
  if (key !== "Enter") input.dispatchEvent(new InputEvent("input", { bubbles: true }));
}

// press presses a key on what has the focus; an event that is made by a script has
// no effect of its own in the browser.
function press({ key, shiftKey }) {
  const on = document.activeElement ?? document.body;
  if (!on.dispatchEvent(new KeyboardEvent("keydown", { key, shiftKey, bubbles: true, cancelable: true }))) return;
  if (on.matches(field)) type(on, key);
  else if ((key === " " || key === "Enter") && on.matches("a, button, input, summary")) on.click();
}

export class Held {
  #keys = [];
  #waiting = false;
  #typing = false; // a search was asked for: what follows is its text

  // wait begins to hold keys.
  wait() {
    this.#waiting = true;
  }

  // hold takes a key, and tells whether it did.
  hold({ key, shiftKey, repeat }) {
    if (!this.#waiting || key === "Tab" || key === "Escape" || key === "Shift") return false;
    if (repeat) return true; // a key that is kept down skips nothing that is not there yet
    if (key === "/") this.#typing = true;
    if (this.#typing || !UNSEEN.includes(key)) this.#keys.push({ key, shiftKey });
    return true;
  }

  // release presses what was held, until a key asks for something again.
  release() {
    this.#waiting = this.#typing = false;
    while (this.#keys.length > 0 && !this.#waiting) press(this.#keys.shift());
    if (this.#waiting) this.#typing = this.#keys.some(({ key }) => key === "/");
  }

  // forget drops what was held: what came is not what the keys were meant for.
  forget() {
    this.#keys = [];
  }
}
