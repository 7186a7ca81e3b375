// The texts of the page in the language of the person. The English text is the key and is in the code.
// In another language, the server puts the texts of the first load into the page; the others are fetched
// with the first bundle that is loaded later (src/assets/words.rs, words/*.toml).

const inPage = document.getElementById("page-words");
const table = JSON.parse(inPage?.textContent ?? "{}");
let loading = null;

/** Bundles that are loaded later wait for this; without its answer they are in English. */
export async function loadWords() {
  if (!inPage) return;
  try {
    loading ??= fetch(new URL(`words/${language}.json`, import.meta.url)).then((answer) => answer.json());
    Object.assign(table, await loading);
  } catch {
    loading = null;
  }
}

/** `en`, `uk` or `ru`. */
export const language = document.documentElement.lang || "en";

/** The language with the region of the browser: `en-GB` writes dates in another way than `en-US`. */
export const locale = navigator.languages.find((one) => one.split("-")[0] === language) ?? language;

const plurals = new Intl.PluralRules(language);
const FORMS = { en: ["one", "other"], uk: ["one", "few", "many"], ru: ["one", "few", "many"] }[language] ?? [];

/**
 * A text. `{name}` is filled in, numbers as the language writes them; `{n:turn|turns}` is the form that
 * goes with the number `n`: one and other in English; one, few and many in Ukrainian and Russian.
 */
export function t(text, values = {}) {
  return (table[text] ?? text).replace(/\{(\w+)(?::([^}]*))?\}/g, (whole, name, forms) => {
    if (!Object.hasOwn(values, name)) return whole;
    const value = values[name];
    if (forms) return form(Number(value), forms.split("|"));
    return typeof value === "number" ? formatNumber(value) : String(value ?? "");
  });
}

/** A text that came from the server and is in the tables. */
export const translated = (text, values) => t(text, values);

function form(number, forms) {
  return forms[FORMS.indexOf(plurals.select(number))] ?? forms.at(-1);
}

/** The same with elements in it: `{link}` becomes the element `parts.link`. */
export function withParts(text, parts, values = {}) {
  return t(text, values)
    .split(/(\{\w+\})/)
    .map((piece) => parts[piece.slice(1, -1)] ?? piece);
}

export const formatNumber = (number, options) => new Intl.NumberFormat(locale, options).format(number);

/** Dollars, rounded up to a hundredth of a cent, so that no cost looks free. */
export const formatDollars = (dollars) =>
  formatNumber(Math.ceil(dollars * 10_000 - 1e-6) / 10_000, {
    style: "currency",
    currency: "USD",
    currencyDisplay: "narrowSymbol",
    maximumFractionDigits: 4,
  });
