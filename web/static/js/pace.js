// How long the rest takes, by the speed of the last while.
import { t } from "./words.js";

const HALF_LIFE = 20_000; // milliseconds after which work counts half
const ENOUGH = 3_000; // milliseconds that must have been seen

export class Pace {
  #work = 0;
  #time = 0;
  #last = null; // {done, now}

  // seen notes how much is done by now, in any unit, and the time in milliseconds.
  seen(done, now) {
    if (this.#last && now > this.#last.now) {
      const passed = now - this.#last.now;
      const fade = 0.5 ** (passed / HALF_LIFE);
      this.#work = this.#work * fade + Math.max(0, done - this.#last.done);
      this.#time = this.#time * fade + passed;
    }
    this.#last = { done, now };
  }

  // rest forgets the time between now and the next seen, as while paused.
  rest() {
    this.#last = null;
  }

  // left is how many milliseconds so much more takes; null if that is not known.
  left(more) {
    if (this.#time < ENOUGH || this.#work <= 0) return null;
    return (more * this.#time) / this.#work;
  }
}

// spoken is a time that is left as one says it.
export function spoken(milliseconds) {
  const seconds = milliseconds / 1000;
  if (seconds < 45) return t("less than a minute left");
  if (seconds < 90) return t("about a minute left");
  if (seconds < 90 * 60) return t("about {0} minutes left", Math.round(seconds / 60));
  return t("about {0} hours left", Math.round(seconds / 3600));
}
