// The search for a name, as an ARIA combobox: htmx fetches the options, this
// moves among them. https://www.w3.org/WAI/ARIA/apg/patterns/combobox/

const listOf = (input) => document.getElementById(input.getAttribute("aria-controls"));
const optionsOf = (list) => [...list.querySelectorAll("[role=option]")];

function close(input) {
  listOf(input).hidden = true;
  input.setAttribute("aria-expanded", "false");
  input.removeAttribute("aria-activedescendant");
}

function activate(input, index) {
  const options = optionsOf(listOf(input));
  options.forEach((option, i) => option.setAttribute("aria-selected", String(i === index)));
  if (!options[index]) {
    input.removeAttribute("aria-activedescendant");
    return;
  }
  input.setAttribute("aria-activedescendant", options[index].id);
  options[index].scrollIntoView({ block: "nearest" });
}

// meant is the option that Enter takes before any is chosen: the one that has
// the very name, or the only taxon there is. Else the server asks which is meant.
function meant(options) {
  const taxa = options.filter((option) => option.dataset.taxon);
  const exact = taxa.filter((option) => "exact" in option.dataset);
  if (exact.length === 1) return options.indexOf(exact[0]);
  return taxa.length === 1 ? options.indexOf(taxa[0]) : -1;
}

// filled is called when options have come for a query.
function filled(list, query) {
  const input = document.querySelector(`[data-search][aria-controls="${CSS.escape(list.id)}"]`);
  if (!input) return;
  const options = optionsOf(list);
  list.dataset.query = query;
  if (options.length === 0 || document.activeElement !== input) {
    close(input);
    return;
  }
  options.forEach((option, i) => { option.id = `${list.id}-${i}`; });
  list.hidden = false;
  input.setAttribute("aria-expanded", "true");
  activate(input, meant(options));
  list.toggleAttribute("data-meant", meant(options) >= 0);
}

// below is the option that the down arrow marks. Whoever presses it before Enter, as
// lists of several taxa want it, means the only taxon too, and not what comes after it:
// to teach what was typed so far as a new name.
function below(list, options, index) {
  const next = (index + 1) % options.length;
  return list.hasAttribute("data-meant") && "new" in options[next].dataset ? index : next;
}

// choose teaches the name of an option, or leaves it to whoever has another use for
// it: the event "chosen" tells.
function choose(input, option) {
  if (!input.dispatchEvent(new CustomEvent("chosen", { bubbles: true, cancelable: true, detail: option }))) {
    close(input);
    listOf(input).replaceChildren();
    return;
  }
  const form = input.form;
  forget(form);
  const field = document.createElement("input");
  field.type = "hidden";
  field.dataset.choice = "";
  field.name = option.dataset.taxon ? "taxon" : "new";
  field.value = option.dataset.taxon ?? "1";
  form.append(field);
  close(input);
  form.requestSubmit();
}

function forget(form) {
  for (const field of form.querySelectorAll("[data-choice]")) field.remove();
}

function onKey(event) {
  // An Enter that is held down asks which name is meant, and does not answer.
  if (event.key === "Enter" && event.repeat && event.target.closest?.(".matches")) event.preventDefault();
  const input = event.target.closest?.("[data-search]");
  if (!input || event.isComposing) return;
  const list = listOf(input);
  const options = optionsOf(list);
  const open = !list.hidden && options.length > 0;
  const index = options.findIndex((option) => option.getAttribute("aria-selected") === "true");
  switch (event.key) {
    case "ArrowDown":
    case "ArrowUp":
      if (options.length === 0) return;
      event.preventDefault();
      list.hidden = false;
      input.setAttribute("aria-expanded", "true");
      if (event.key === "ArrowDown") activate(input, open ? below(list, options, index) : 0);
      else activate(input, (open && index > 0 ? index : options.length) - 1);
      list.removeAttribute("data-meant");
      break;
    case "Enter":
      // Options for something else than what stands in the field are not
      // chosen from: the form is sent, and the server asks which is meant.
      if (!open || index < 0 || list.dataset.query !== input.value.trim()) return;
      event.preventDefault();
      choose(input, options[index]);
      break;
    case "Escape":
      event.preventDefault();
      event.stopPropagation();
      if (open) close(input);
      else input.closest("[data-card]")?.focus();
      break;
    case "Tab":
      close(input);
      break;
  }
}

export function startSearching() {
  document.addEventListener("htmx:afterSwap", (event) => {
    const list = event.detail.target;
    if (list?.getAttribute("role") === "listbox") {
      filled(list, String(event.detail.requestConfig.parameters.q ?? "").trim());
    }
  });
  document.addEventListener("keydown", onKey);
  document.addEventListener("input", (event) => {
    if (event.target.matches?.("[data-search]")) forget(event.target.form);
  });
  // The field keeps the focus while an option is pressed.
  document.addEventListener("pointerdown", (event) => {
    if (event.target.closest("[role=option]")) event.preventDefault();
  });
  document.addEventListener("click", (event) => {
    const option = event.target.closest("[role=option]");
    for (const input of document.querySelectorAll("[data-search][aria-expanded=true]")) {
      if (option && listOf(input).contains(option)) choose(input, option);
      else if (event.target !== input) close(input);
    }
  });
}
