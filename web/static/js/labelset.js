// The names of a label set: what is chosen in the field goes to the end of the list,
// which is saved with the form.
import { say } from "./announce.js";
import { t, tn } from "./words.js";

const namesIn = (text) => text.split(/[\n;\t]/).map((name) => name.trim()).filter((name) => name !== "");

document.addEventListener("chosen", (event) => {
  const field = event.target;
  const list = document.getElementById(field.dataset.adds ?? "");
  if (!list) return;
  event.preventDefault();
  const { name } = event.detail.dataset;
  const names = namesIn(list.value);
  const there = names.includes(name);
  if (!there) {
    names.push(name);
    list.value = names.join("\n");
    list.scrollTop = list.scrollHeight;
  }
  field.value = "";
  const said = there ? t("{0} is in the list already.", name) : tn("{1} is in the list now: {0} name.", "{1} is in the list now: {0} names.", names.length, name);
  field.form.querySelector("[data-added]").textContent = said;
  say(said);
});
