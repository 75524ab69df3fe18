// @ts-check
/** What can be paid with: the choice that a customer has, and the body that the confirm call gets for it. */
import {field} from "./page.js";
import {labelOf} from "./words.js";

/**
 * @typedef {Record<string, any>} Bag
 * @typedef {{category: string, type: string, fields: Bag, banks: string[]}} Method
 */

/** The data's name where it is not the method's own. @type {Record<string, string>} */
const PAYLOADS = {
  paypal: "paypal_redirect", klarna: "klarna_redirect", affirm: "affirm_redirect",
  afterpay_clearpay: "afterpay_clearpay_redirect", ali_pay: "ali_pay_qr", we_chat_pay: "we_chat_pay_qr",
  bancontact: "bancontact_card", sepa: "sepa_bank_transfer", ach: "ach_bank_transfer", bacs: "bacs_bank_transfer",
  multibanco: "multibanco_bank_transfer",
};
/** What a wallet hands over: its shape is the wallets' own, its content means nothing. @type {Record<string, Bag>} */
const TOKENS = {
  google_pay: {type: "CARD", description: "Visa •••• 4242", info: {card_network: "VISA", card_details: "4242"},
    tokenization_data: {type: "PAYMENT_GATEWAY", token: "sandbox"}},
  apple_pay: {payment_data: "sandbox", payment_method: {display_name: "Visa 4242", network: "Visa", type: "debit"},
    transaction_identifier: "sandbox"},
  samsung_pay: {payment_credential: {method: "3DS", recurring_payment: false, card_brand: "visa", card_last4digits: "4242",
    "3_d_s": {type: "S", version: "100", data: "sandbox"}}},
};
/** Fields that a method has by itself. @type {Record<string, Bag>} */
const OWN_FIELDS = {
  upi_collect: {"payment_method_data.upi.upi_collect.vpa_id": {display_name: "vpa_id", placeholder: "success@upi"}},
};
/** The element that is one wallet's button, and the words by which an option names it. @type {Record<string, string>} */
export const BUTTONS = {googlePay: "google_pay", applePay: "apple_pay", payPal: "paypal", samsungPay: "samsung_pay",
  klarna: "klarna", paze: "paze"};

/** The methods in an answer of `/account/payment_methods`, credit and debit as one. @param {Bag} answer @returns {Method[]} */
export function methodsIn(answer) {
  const found = /** @type {Bag[]} */ (answer.payment_methods ?? []).flatMap(group =>
    /** @type {Bag[]} */ (group.payment_method_types ?? []).map(one => ({
      category: String(group.payment_method), type: String(one.payment_method_type), fields: one.required_fields ?? {},
      banks: /** @type {Bag[]} */ (one.bank_names ?? []).flatMap(names => names.bank_name ?? []),
    })));
  const cards = found.filter(one => one.category === "card");
  const others = found.filter(one => one.category !== "card");
  return cards.length ? [{...cards[0], type: "card", fields: Object.assign({}, ...cards.map(one => one.fields))}, ...others] : others;
}

/** Which methods a shop wants, in its order. @param {Method[]} methods @param {Bag} options */
export function chosenBy(methods, options) {
  /** @type {string[]} */
  const hidden = options.hiddenPaymentMethods ?? [], order = options.paymentMethodOrder ?? [];
  const place = (/** @type {Method} */ one) => (order.includes(one.type) ? order.indexOf(one.type) : order.length);
  return methods.filter(one => !hidden.includes(one.type)).sort((a, b) => place(a) - place(b));
}

/** Whether a shop wants a wallet's button. @param {string} type @param {Bag} options */
export function wantsWallet(type, options) {
  return Object.entries(options.wallets ?? {}).every(([name, when]) => BUTTONS[name] !== type || when !== "never");
}

/** @param {Bag} target @param {string} path @param {unknown} value */
function put(target, path, value) {
  const names = path.split("."), last = names.pop() ?? "";
  names.reduce((at, name) => (at[name] ??= {}), target)[last] = value;
}

/** The fields that the API wants beside the method's own, ready for the page. */
export class Wanted {
  /** @param {Method} method @param {Bag} options @param {Record<string, string>} words @param {() => void} changed */
  constructor(method, options, words, changed) {
    this.words = words;
    const known = options.defaultValues?.billingDetails ?? {}, never = options.fields?.billingDetails === "never";
    const all = Object.entries({...OWN_FIELDS[method.type], ...method.fields});
    this.rows = all.map(([name, row]) => ({...row, path: String(row.required_field ?? name)}))
      .filter(row => row.path !== "return_url" && !row.path.startsWith("payment_method_data.card."))
      .map(row => {
        const {path} = row, value = row.value ?? valueOf(known, path);
        const {options} = row.field_type?.user_address_country ?? row.field_type?.user_country ?? {};
        const choices = options?.includes("ALL") ? undefined : options;
        const made = field(labelOf(path, row.display_name), {class: "Input", name: path, autocomplete: tokenOf(path),
          "data-testid": path, ...(row.placeholder && {placeholder: row.placeholder})}, choices);
        if (value) made.input.value = String(value);
        made.input.addEventListener("input", () => { made.say(""); changed(); });
        return {path, made, shown: !(never && value)};
      });
    if (method.banks.length) {
      const path = `payment_method_data.${method.category}.${method.type}.bank_name`;
      this.rows.push({path, shown: true, made: field(words.bank, {class: "Input", name: "bank", "data-testid": "bank"}, method.banks)});
    }
  }

  get boxes() { return this.rows.filter(row => row.shown).map(row => row.made.box); }
  get empty() { return this.rows.some(row => !row.made.input.value.trim()); }
  get complete() { return !this.empty; }

  check() {
    for (const row of this.rows) row.made.say(row.made.input.value.trim() ? "" : this.words.required);
    return this.complete;
  }

  /** @param {Bag} body */
  into(body) { for (const row of this.rows) put(body, row.path, row.made.input.value.trim()); }
}

/** A known value by the last words of its path. @param {Bag} known @param {string} path */
function valueOf(known, path) {
  const last = path.split(".").pop() ?? "";
  return known[last] ?? known.address?.[last];
}

/** @type {Record<string, string>} */
const TOKENS_OF = {email: "email", country: "country", line1: "address-line1", line2: "address-line2", city: "address-level2",
  state: "address-level1", zip: "postal-code", first_name: "given-name", last_name: "family-name", number: "tel-national",
  country_code: "tel-country-code", card_holder_name: "cc-name"};
/** @param {string} path */
const tokenOf = path => TOKENS_OF[path.split(".").pop() ?? ""] ?? "off";

/** What the confirm call gets for a method that is no card. @param {Method} method @returns {Bag} */
export function bodyOf({category, type}) {
  const name = PAYLOADS[type] ?? type;
  return {payment_method: category, payment_method_type: type,
    payment_method_data: {[category]: {[name]: structuredClone(TOKENS[type] ?? {})}}};
}
