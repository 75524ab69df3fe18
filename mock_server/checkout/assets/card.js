// @ts-check
/** The card's fields: what may be typed, how it is shown, and whether it is whole. */
import {field, show} from "./page.js";

/** Networks by how their numbers begin, the first that fits; lengths of numbers and of security codes. @type {[string, RegExp, number[], number[]][]} */
const NETWORKS = [
  ["AmericanExpress", /^3[47]/, [14, 15], [4]],
  ["DinersClub", /^3(0[0-5]|[689])/, [14, 15, 16, 17, 18, 19], [3]],
  ["JCB", /^35/, [16], [3]],
  ["Visa", /^4/, [13, 14, 15, 16, 19], [3]],
  ["Mastercard", /^(5[1-5]|2[2-7])/, [16], [3]],
  ["RuPay", /^(60[^1]|652[12]|508|8[12])/, [16], [3]],
  ["Discover", /^(6011|64[4-9]|65)/, [16], [3]],
  ["UnionPay", /^62/, [16, 17, 18, 19], [3]],
  ["Maestro", /^(5[06-8]|6)/, [12, 13, 14, 15, 16, 17, 18, 19], [3, 4]],
];
const digits = (/** @type {string} */ text) => text.replace(/\D/g, "");

/** @param {string} number */
function network(number) {
  return NETWORKS.find(row => row[1].test(number)) ?? /** @type {typeof NETWORKS[0]} */ (["", /^/, [13, 14, 15, 16, 17, 18, 19], [3, 4]]);
}

/** Whether the check digit is right (ISO/IEC 7812). @param {string} number */
function luhn(number) {
  const sum = [...number].reverse().reduce((total, digit, at) => {
    const doubled = Number(digit) * (at % 2 ? 2 : 1);
    return total + (doubled > 9 ? doubled - 9 : doubled);
  }, 0);
  return sum % 10 === 0;
}

/** A number in the groups that stand on its card; nothing that was typed is left out. @param {string} number */
function grouped(number) {
  const name = network(number)[0], sizes = name === "AmericanExpress" || (name === "DinersClub" && number.length < 15) ? [4, 6] : [4, 4, 4, 4];
  const parts = [];
  for (const size of sizes) {
    parts.push(number.slice(0, size));
    number = number.slice(size);
  }
  return [...parts, number].filter(Boolean).join(" ");
}

/** `1230`, `12/30`, `12 / 2030`, `2030-12`, `1/30` → `12 / 30`, `01 / 30`; a year of another century stays past. @param {string} text */
function asExpiry(text) {
  const [, first, last] = /^\s*(20\d\d)\D+(\d\d?)\s*$/.exec(text) ?? [], ordered = (first ? `${last}/${first}` : text).trimStart();
  const given = (/^(\d\D|[2-9](\d\d|\d{4})?$)/.test(ordered) ? "0" : "") + digits(ordered);
  const year = given.length > 4 && given.startsWith("20", 2) ? given.slice(4, 6) : given.slice(2, 4);
  return year ? `${given.slice(0, 2)} / ${year}` : given;
}

/** The fields of a card, or some of them: `number`, `expiry`, `cvc`. */
export class CardFields {
  /** @param {Record<string, string>} words @param {string[]} which @param {() => void} changed */
  constructor(words, which, changed) {
    this.words = words;
    this.which = which;
    const make = (/** @type {string} */ name, /** @type {Record<string, string>} */ more) => {
      const made = field(words[name], {class: "Input", type: "tel", inputmode: "numeric", spellcheck: "false",
        "aria-label": `Type to fill ${words[name]} input`, name: more["data-testid"], ...more});
      made.input.addEventListener("beforeinput", event => this.take(name, event));
      made.input.addEventListener("input", event => {
        this.tidy(name, /** @type {InputEvent} */ (event).inputType);
        made.say("");
        changed();
      });
      made.input.addEventListener("blur", () => {
        if (!made.input.value) return;
        this.tidy(name, "", true);
        this.judge(name);
      });
      return made;
    };
    this.number = make("number", {autocomplete: "cc-number", placeholder: "1234 1234 1234 1234", maxlength: "23", "data-testid": "cardNoInput"});
    this.expiry = make("expiry", {autocomplete: "cc-exp", placeholder: "MM / YY", maxlength: "7", "data-testid": "expiryInput"});
    this.cvc = make("cvc", {autocomplete: "cc-csc", placeholder: "123", maxlength: "4", "data-testid": "cvvInput"});
  }

  /** @param {string} name @returns {ReturnType<typeof field>} */
  part(name) { return name === "number" ? this.number : name === "expiry" ? this.expiry : this.cvc; }

  /** What stands on the page. */
  get boxes() {
    const small = this.which.filter(name => name !== "number").map(name => this.part(name).box);
    return [...(this.which.includes("number") ? [this.number.box] : []), ...(small.length ? [show("div", {class: "Row"}, ...small)] : [])];
  }

  /** Takes what is too long as it is written, such as `12 / 2030`, and not once it is tidy. @param {string} name @param {InputEvent} event */
  take(name, event) {
    const {input} = this.part(name), {value, maxLength} = input, start = input.selectionStart ?? 0, end = input.selectionEnd ?? 0;
    const given = event.data ?? "", whole = value.slice(0, start) + given + value.slice(end);
    const fits = name === "expiry" ? end === value.length : digits(whole).length <= (name === "number" ? 19 : Math.max(...this.codes));
    if (!event.cancelable || (fits ? whole.length <= maxLength : given.length !== 1 || name === "expiry")) return;
    event.preventDefault();
    if (!fits) return; // a digit too many, which would push out the last one
    input.setRangeText(given, start, end, "end");
    input.dispatchEvent(new InputEvent("input", {inputType: event.inputType, bubbles: true}));
  }

  /** Writes a field as it stands on a card. In its middle a date is left alone, and what is deleted, until it is left. @param {string} name */
  tidy(name, how = "", isLeft = false) {
    const {input} = this.part(name), {value} = input, at = input.selectionStart ?? value.length, isMiddle = !isLeft && at < value.length, isDeleted = how.startsWith("delete");
    if (name === "number") this.tidy("cvc");
    if (isMiddle && (name === "expiry" || isDeleted)) return;
    const text = name === "number" ? grouped(digits(value).slice(0, 19)) : name === "cvc" ? digits(value).slice(0, Math.max(...this.codes))
      : isDeleted ? value.replace(/\D+$/, "") : asExpiry(value);
    if (text === value) return;
    input.value = text;
    const kept = isMiddle ? RegExp(`^(\\D*\\d){${digits(value.slice(0, at)).length}}`).exec(text)?.[0].length : undefined;
    if (kept !== undefined) input.setSelectionRange(kept, kept);
  }

  /** The problem of a field, told beside it; empty if it has none. @param {string} name */
  judge(name) {
    const problem = this.problem(name);
    this.part(name).say(problem);
    return problem;
  }

  /** @param {string} name */
  problem(name) {
    const {value} = this.part(name).input, text = digits(name === "expiry" ? asExpiry(value) : value);
    if (!text) return this.words.required;
    if (name === "number") return network(text)[2].includes(text.length) && luhn(text) ? "" : this.words.badNumber;
    if (name === "cvc") return this.codes.includes(text.length) ? "" : this.words.badCvc;
    if (text.length < 4) return this.words.badExpiry;
    const now = new Date(), month = Number(text.slice(0, 2)), year = 2000 + Number(text.slice(2));
    const isPast = year < now.getFullYear() || (year === now.getFullYear() && month <= now.getMonth());
    return month >= 1 && month <= 12 && !isPast ? "" : this.words.pastExpiry;
  }

  /** How long the security code may be. */
  get codes() { return network(digits(this.number.input.value))[3]; }

  get empty() { return this.which.some(name => !this.part(name).input.value); }
  get complete() { return this.which.every(name => !this.problem(name)); }

  /** Reports every problem; returns whether there is none. */
  check() { return this.which.map(name => this.judge(name)).every(problem => !problem); }

  clear() { for (const name of this.which) { this.part(name).input.value = ""; this.part(name).say(""); } }

  /** The values by the API's names. @returns {Record<string, string>} */
  get values() {
    const expiry = digits(asExpiry(this.expiry.input.value));
    const all = {card_number: digits(this.number.input.value), card_exp_month: expiry.slice(0, 2),
      card_exp_year: `20${expiry.slice(2)}`, card_cvc: digits(this.cvc.input.value)};
    const of = {number: ["card_number"], expiry: ["card_exp_month", "card_exp_year"], cvc: ["card_cvc"]};
    const names = this.which.flatMap(name => of[/** @type {keyof typeof of} */ (name)]);
    return Object.fromEntries(Object.entries(all).filter(([name]) => names.includes(name)));
  }
}
