// Sentences in the reader's language. English is written where it is said, and is the
// key; the page carries the catalogue of another language.
const given = document.getElementById("words");
const catalogue = given ? JSON.parse(given.textContent) : {};
const language = document.documentElement.lang || "en";
const plurals = new Intl.PluralRules(language);
const numbers = new Intl.NumberFormat(language);

const filled = (sentence, values) => sentence.replace(/\{(\d)\}/g, (place, i) => {
  const value = values[i];
  return typeof value === "number" ? numbers.format(value) : value ?? place;
});

// t says a sentence with values at its places {0}, {1}, ….
export const t = (key, ...values) => filled(catalogue[key] ?? key, values);

// tn says how many: t for one thing, or for the first value of them. The translation
// is under the sentence for many, with a form for each plural of the language.
export function tn(one, many, ...values) {
  const form = plurals.select(values[0]);
  const forms = catalogue[many] ?? { one, other: many };
  return filled(forms[form] ?? forms.other, values);
}
