// @ts-check
/**
 * The form inside the frame. It gets a channel from the page around it, draws what is to be drawn, and confirms by a
 * call of its own: card data leave it for the confirm call and for nothing else.
 */
import {CardFields} from "./card.js";
import {BUTTONS, Wanted, bodyOf, chosenBy, methodsIn, wantsWallet} from "./methods.js";
import {dress, show} from "./page.js";
import {languageOf, nameOf, wordsOf} from "./words.js";

/** @typedef {Record<string, any>} Bag */
const SINGLE = /** @type {Record<string, string[]>} */ (
  {cardNumber: ["number"], cardExpiry: ["expiry"], cardCvc: ["cvc"], card: ["number", "expiry", "cvc"]});
const READY = ["payment", "cardCvc", "paymentMethodsManagement"];
/** How often a lost answer to a confirmation is asked for, and after which pause: what was sent may yet be done. */
const MOST_LOOKS = 5, LOOK_EVERY_MS = 500;
/** How a payment stands whose confirmation did not arrive. */
const UNPAID = ["requires_payment_method", "requires_confirmation"];
/** How wide a tab is at least, and the choice of those for which there is no room; in pixels, as there. */
const TAB = 130, MORE = 40, IN_ACCORDION = 4;
const SAVED = "saved", root = /** @type {HTMLElement} */ (document.getElementById("form"));

/** What a page may hand to its form. Any page can send messages, and a new secret key would make a workspace. */
const KEY = /^(pk_snd_[\w-]{8,128}|epk_[\da-f-]{36})$/, SECRET = /^\S+_secret_\w+$/;

/** @param {string} type @param {string} message */
const failed = (type, message) => ({submitSuccessful: false, error: {type, message}});

class Form {
  /** @param {MessagePort} port @param {Bag} start */
  constructor(port, start) {
    this.port = port;
    this.key = String(start.key);
    this.kind = String(start.kind);
    this.group = start.group ?? {};
    this.options = start.options ?? {};
    this.isLink = Boolean(start.isLink);
    this.words = wordsOf("");
    /** @type {CardFields | null} */
    this.card = null;
    /** @type {Wanted | null} */
    this.wanted = null;
    /** @type {CardFields | null} */
    this.cvc = null;
    /** @type {import("./methods.js").Method[]} */
    this.methods = [];
    /** @type {Bag[]} */
    this.saved = [];
    /** @type {Bag} */
    this.offer = {};
    /** @type {Bag} */
    this.tax = {};
    /** @type {string[]} */
    this.wallets = [];
    /** What was removed: the place of its row among all rows, and the row that stays there. @type {[number, HTMLElement][]} */
    this.gone = [];
    this.chosen = "";
    this.told = "";
    this.isReady = false;
    this.problem = show("p", {class: "Error", role: "alert"});
    this.panel = show("div", {class: "Panel", id: "panel"});
    this.more = /** @type {HTMLSelectElement} */ (show("select", {class: "Tab More", "data-testid": "paymentMethodsSelect", change: () => {
      if (this.more.value) this.choose("method", this.more.value);
    }}));
  }

  get secret() { return String(this.group.clientSecret ?? ""); }
  get payment() { return this.secret.slice(0, this.secret.lastIndexOf("_secret")); }

  /** @param {Bag} said */
  tell(said) { this.port.postMessage(said); }

  /** @param {string} method @param {string} path @param {Bag} [body] @returns {Promise<Bag>} */
  async call(method, path, body) {
    const key = String(this.group.ephemeralKey ?? this.key), secret = body?.client_secret;
    if (!KEY.test(key)) throw new Error("A form takes a publishable key (pk_snd_ and 8 to 128 letters, digits, _ or -) or an ephemeral key (epk_…).");
    if (secret !== undefined && !SECRET.test(secret)) throw new Error("This is not the client secret of a payment.");
    const headers = {"api-key": key, "x-client-source": "checkout",
      ...(body && {"Content-Type": "application/json"})};
    const answer = await fetch(path, {method, headers, body: body && JSON.stringify(body)});
    return (await answer.json()) ?? {};
  }

  /** Redraws the form. */
  async draw() {
    this.words = wordsOf(String(this.group.locale ?? "en"));
    document.documentElement.lang = languageOf(String(this.group.locale ?? ""));
    document.documentElement.dataset.loader = String(this.group.loader ?? "auto");
    root.setAttribute("aria-busy", "true");
    this.problem.textContent = "";
    try {
      this.tell({unknown: dress(this.group.appearance ?? {}, this.group.fonts ?? [])});
      if (SINGLE[this.kind]) this.drawCard();
      else if (this.kind === "paymentMethodsManagement") await this.drawManagement();
      else if (this.kind === "payment") await this.drawPayment();
      else if (BUTTONS[this.kind] || this.kind === "expressCheckout") await this.drawButtons();
    } catch (error) {
      this.problem.textContent = `${this.words.failed} ${error instanceof Error ? error.message : ""}`.trim();
      root.replaceChildren(this.problem);
    }
    root.setAttribute("aria-busy", "false");
    if (this.options.readOnly) for (const one of root.querySelectorAll("input, select, button")) one.toggleAttribute("disabled", true);
    return this.problem.textContent;
  }

  drawCard() {
    this.card = new CardFields(this.words, SINGLE[this.kind], () => this.changed());
    root.replaceChildren(...(this.kind === "card" ? [this.strip()] : []), ...this.card.boxes);
  }

  /** Asks what the payment can be paid with. */
  async load() {
    const secret = `client_secret=${encodeURIComponent(this.secret)}`;
    const wallets = {payment_id: this.payment, client_secret: this.secret, wallets: []};
    const [offer, saved, sessions] = await Promise.all([
      this.call("GET", `/account/payment_methods?${secret}`),
      this.call("GET", `/customers/payment_methods?${secret}`),
      this.call("POST", "/payments/session_tokens", wallets),
    ]);
    if (offer.error) throw new Error(offer.error.message);
    this.offer = offer;
    this.tax = offer.is_tax_calculation_enabled
      ? await this.call("POST", `/payments/${encodeURIComponent(this.payment)}/calculate_tax`, {client_secret: this.secret}) : {};
    this.saved = saved.customer_payment_methods ?? [];
    const started = /** @type {Bag[]} */ (sessions.session_token ?? []).map(one => one.wallet_name);
    this.methods = chosenBy(methodsIn(offer), this.options);
    this.wallets = this.methods.map(one => one.type).filter(type => started.includes(type) && wantsWallet(type, this.options));
    this.methods = this.methods.filter(one => !started.includes(one.type) || !one.category.startsWith("wallet"));
  }

  async drawPayment() {
    await this.load();
    const words = this.words;
    const saved = this.options.displaySavedPaymentMethods === false ? [] : this.saved;
    this.more.setAttribute("aria-label", words.more);
    this.more.replaceChildren(show("option", {value: ""}, words.more), ...this.methods.map(one => show("option", {value: one.type}, nameOf(one.type))));
    const tabs = this.methods.map(one => this.tab("method", one.type, one.type === "card" ? words.card : nameOf(one.type)));
    const layout = typeof this.options.layout === "string" ? this.options.layout : this.options.layout?.type;
    const collapsed = Boolean(this.options.layout?.defaultCollapsed);
    const legend = (/** @type {string} */ text) => show("legend", {}, text);
    root.replaceChildren(
      this.strip(),
      ...this.total(),
      ...(this.wallets.length ? [this.buttons(this.wallets), show("p", {class: "Quiet"}, words.or)] : []),
      ...(saved.length ? [show("fieldset", {class: "Saved"}, legend(words.saved),
        ...saved.map(one => this.tab("saved", one.payment_token, this.savedName(one))))] : []),
      show("fieldset", {class: "Other"}, legend(saved.length ? words.other : words.methods),
        show("div", {class: `Tabs ${layout === "accordion" ? "accordion" : ""}`}, ...tabs, this.more)),
      ...(this.isLink ? [this.problem] : []),
      ...(this.options.sdkHandleConfirmPayment?.handleConfirm ? [this.ownButton()] : []),
    );
    if (saved.length) this.choose(SAVED, saved[0].payment_token);
    else if (this.methods.length && !collapsed) this.choose("method", this.methods[0].type);
    else this.panel.replaceChildren();
  }

  /** What the payment comes to with its tax, where the account has that asked for. */
  total() {
    const of = this.tax.display_amount;
    if (!of) return [];
    // with the decimals in which it is charged, of which browsers show none in some currencies, such as HUF
    const decimals = of.net_amount ? Math.round(Math.log10(this.tax.net_amount / of.net_amount)) : undefined;
    const {format} = new Intl.NumberFormat(undefined, {
      style: "currency", currency: this.offer.currency, minimumFractionDigits: decimals, maximumFractionDigits: decimals,
    });
    const text = this.words.total.replace("{total}", format(of.net_amount)).replace("{tax}", format(of.order_tax_amount ?? 0));
    return [show("p", {class: "Quiet", "data-testid": "total"}, text)];
  }

  /** @param {Bag} one */
  savedName(one) {
    const card = one.card ?? {}, words = this.words;
    return card.last4_digits ? `${card.scheme ?? card.card_network ?? words.card} ${words.ending} ${card.last4_digits}`
      : nameOf(one.payment_method_type ?? one.payment_method);
  }

  /** @param {string} of @param {string} value @param {string} text */
  tab(of, value, text) {
    const radio = show("input", {type: "radio", name: "choice", value: `${of}/${value}`, "data-testid": `${of}-${of === SAVED ? "method" : value}`,
      change: () => { this.choose(of, value); }});
    return show("label", {class: "Tab"}, radio, show("span", {}, text));
  }

  /** @param {string} of @param {string} value */
  choose(of, value) {
    const words = this.words;
    this.chosen = `${of}/${value}`;
    for (const radio of /** @type {NodeListOf<HTMLInputElement>} */ (root.querySelectorAll("input[type=radio]"))) {
      radio.checked = radio.value === this.chosen;
      radio.closest(".Tab")?.classList.toggle("Tab--selected", radio.checked);
    }
    this.card = this.wanted = this.cvc = null;
    const changed = () => this.changed();
    if (of === SAVED) {
      this.cvc = this.saved.find(one => one.payment_token === value)?.requires_cvv ? new CardFields(words, ["cvc"], changed) : null;
      this.panel.replaceChildren(...(this.cvc?.boxes ?? []));
    } else {
      const method = this.methods.find(one => one.type === value);
      if (!method) return;
      this.wanted = new Wanted(method, this.options, words, changed);
      this.card = value === "card" ? new CardFields(words, ["number", "expiry", "cvc"], changed) : null;
      const parts = [...(this.card?.boxes ?? []), ...this.wanted.boxes, ...this.below(value)];
      this.panel.replaceChildren(show("div", {class: "Block"}, ...parts));
    }
    const tab = root.querySelector(".accordion .Tab--selected"), group = root.querySelector(of === SAVED ? ".Saved" : ".Other");
    if (tab) tab.after(this.panel);
    else group?.append(this.panel);
    this.fold();
    this.changed();
  }

  /** Puts the methods for which there is no room behind "more"; the chosen one takes the last place. */
  fold() {
    const tabs = /** @type {HTMLElement[]} */ ([...root.querySelectorAll(".Tabs > label")]), list = this.more.parentElement;
    if (!list) return;
    const isList = list.classList.contains("accordion"), {maxAccordionItems} = this.options.layout ?? {};
    const room = isList ? Number(maxAccordionItems ?? IN_ACCORDION) : Math.max(1, Math.floor((list.clientWidth - MORE) / TAB));
    const chosen = tabs.findIndex(tab => tab.classList.contains("Tab--selected"));
    tabs.forEach((tab, at) => { tab.hidden = at !== chosen && at >= (chosen >= room ? room - 1 : room); });
    if (!isList) list.style.gridTemplateColumns = `repeat(${Math.min(room, tabs.length)}, 1fr)${tabs.length > room ? ` 4.5rem` : ""}`;
    this.more.hidden = tabs.length <= room;
    [...this.more.options].forEach((option, at) => { option.hidden = option.disabled = at > 0 && !tabs[at - 1].hidden; });
    this.more.value = "";
  }

  /** What stands below a method's fields. @param {string} type */
  below(type) {
    const words = this.words;
    if (type !== "card") return [show("p", {class: "Quiet"}, words.goesOn.replace("{method}", nameOf(type)))];
    const isMandate = ["new_mandate", "setup_mandate"].includes(this.offer.payment_type);
    const when = this.options.terms?.card ?? "auto";
    const mayBeSaved = !this.offer.is_guest_customer && this.options.displaySavedPaymentMethodsCheckbox !== false && !isMandate;
    const business = this.options.business?.name ?? this.offer.merchant_name ?? "";
    return [
      ...(mayBeSaved ? [show("label", {class: "Tick"}, show("input", {type: "checkbox", id: "save", "data-testid": "saveCard"}), words.save)] : []),
      ...(when === "always" || (when === "auto" && isMandate) ? [show("p", {class: "Quiet"}, words.terms.replace("{merchant}", business))] : []),
    ];
  }

  // buttons

  async drawButtons() {
    await this.load();
    const one = BUTTONS[this.kind], offered = [...this.wallets, ...this.methods.map(row => row.type).filter(type => type === one)];
    root.replaceChildren(...this.total(), this.buttons(one ? offered.filter(type => type === one) : this.wallets));
  }

  /** @param {string[]} types */
  buttons(types) {
    const words = this.words;
    return show("div", {class: "Wallets"}, ...types.map(type => show("button",
      {class: "Button", type: "button", "data-testid": `wallet-${type}`, "aria-label": `${words.payWith} ${nameOf(type)}`,
        click: () => this.press(type)}, nameOf(type))));
  }

  ownButton() {
    const text = this.options.sdkHandleConfirmPayment.buttonText ?? this.words.pay;
    return show("button", {class: "Button", type: "button", "data-testid": "pay", click: () => this.press("own")}, text);
  }

  /** @param {string} what */
  press(what) {
    this.tell({clicked: what});
  }

  // saved methods

  async drawManagement() {
    const words = this.words, said = await this.call("GET", "/customers/payment_methods");
    if (said.error) throw new Error(said.error.message);
    this.saved = said.customer_payment_methods ?? [];
    let acts = false; // a button pressed twice is meant once
    const act = (/** @type {string} */ method, /** @type {string} */ path, /** @type {Bag | undefined} */ body, done = () => {}) => async () => {
      if (acts) return;
      acts = true;
      const answer = await this.call(method, path, body).catch(() => null);
      if (answer && !answer.error) done();
      if (answer) await this.draw();
      acts = false;
      const problem = answer ? answer.error?.message : words.unanswered;
      if (problem) this.problem.textContent = problem;
    };
    const rows = this.saved.map(one => {
      const id = encodeURIComponent(one.payment_method_id), customer = encodeURIComponent(one.customer_id), name = this.savedName(one);
      const button = (/** @type {string} */ text, /** @type {() => unknown} */ click) =>
        show("button", {class: "Button plain", type: "button", "aria-label": `${text}: ${name}`, click}, text);
      const leave = () => { // the rows below stay where they are: a second press is not meant for them
        const left = show("div", {class: "Quiet"}, show("del", {}, name));
        left.style.height = `${row.offsetHeight}px`;
        this.gone = /** @type {typeof this.gone} */ ([...this.gone, [[...root.children].indexOf(row), left]]).sort(([a], [b]) => a - b);
      };
      const row = show("div", {class: "Item"}, show("span", {}, name),
        one.default_payment_method_set ? show("span", {class: "Quiet"}, words.standard)
          : button(words.makeStandard, act("POST", `/customers/${customer}/payment_methods/${id}/default`, {})),
        button(words.remove, act("DELETE", `/payment_methods/${id}`, undefined, leave)));
      return row;
    });
    for (const [at, left] of this.gone) rows.splice(at, 0, left);
    root.replaceChildren(...rows, ...(this.saved.length ? [] : [show("p", {class: "Quiet"}, words.none)]), this.problem);
  }

  // the tester's strip

  strip() {
    const words = this.words;
    if (this.options.testCards === false) return document.createDocumentFragment();
    const choice = /** @type {HTMLSelectElement} */ (show("select", {class: "Input", id: "test-card", "data-testid": "testCard",
      change: () => this.fill(choice.value)}, show("option", {value: ""}, "…")));
    const strip = /** @type {HTMLDetailsElement} */ (show("details", {class: "Strip", "data-testid": "testCards", toggle: async () => {
      if (!strip.open || choice.length > 1) return;
      const groups = await fetch("/checkout/cards").then(answer => answer.json()).catch(() => { strip.open = false; return []; });
      for (const group of groups) {
        choice.append(show("optgroup", {label: group.title}, ...group.cards.map((/** @type {Bag} */ card) =>
          show("option", {value: card.number}, `${card.does} · ${card.name}`))));
      }
    }}, show("summary", {}, words.strip),
    show("div", {}, show("label", {for: "test-card"}, words.choose), choice, show("span", {}, words.stripHint))));
    return strip;
  }

  /** @param {string} number */
  fill(number) {
    if (!number) return;
    if (this.kind === "payment" && !this.card) this.choose("method", "card");
    const typed = {number, expiry: "12/99", cvc: /^3[47]/.test(number) ? "1234" : "123"};
    for (const [name, text] of Object.entries(typed)) {
      const {input} = /** @type {CardFields} */ (this.card).part(name);
      input.value = text;
      input.dispatchEvent(new Event("input"));
    }
  }

  // messages to the page

  get type() {
    if (SINGLE[this.kind]) return "card";
    if (!this.chosen.startsWith(`${SAVED}/`)) return this.chosen.split("/")[1] ?? "";
    return this.saved.find(one => this.chosen.endsWith(one.payment_token))?.payment_method ?? "card";
  }
  get complete() { return (this.card?.complete ?? true) && (this.wanted?.complete ?? true) && (this.cvc?.complete ?? true) && (Boolean(this.card) || Boolean(this.chosen)); }

  /** Whether a field that has to be filled in is not. */
  get empty() { return [this.card, this.wanted, this.cvc].some(part => part?.empty) || !(this.card || this.chosen); }

  changed() {
    if (this.kind !== "payment" || !this.isReady) return;
    const said = {elementType: "payment", complete: this.complete, empty: this.empty, value: {type: this.type}};
    const text = JSON.stringify(said);
    if (text !== this.told) this.tell({event: "change", value: said});
    this.told = text;
  }

  // confirming

  /** @param {Bag} order @returns {Promise<Bag>} the payment, or a failure */
  async confirm(order) {
    const body = this.body(order);
    this.problem.textContent = "";
    if (body.error) return body;
    const secret = String(order.clientSecret ?? this.secret), path = `/payments/${encodeURIComponent(secret.slice(0, secret.lastIndexOf("_secret")))}`;
    const returnUrl = this.isLink ? {} : {return_url: String(order.returnUrl ?? "")};
    /** @type {Bag | undefined} */
    let said;
    for (let looks = 0; !said && looks <= MOST_LOOKS; looks++) {
      if (looks) await new Promise(resolve => setTimeout(resolve, LOOK_EVERY_MS));
      said = await (looks ? this.call("GET", `${path}?client_secret=${encodeURIComponent(secret)}`)
        : this.call("POST", `${path}/confirm`, {client_secret: secret, ...returnUrl, browser_info: browser(), ...body})).catch(() => undefined);
      if (!this.isLink && !URL.canParse(String(order.returnUrl))) return failed("error", "Something went wrong");
    }
    this.problem.textContent = !said ? this.words.unanswered : said.error?.message ?? (UNPAID.includes(said.status) ? this.words.unpaid : "");
    if (!said) return failed("server_error", "Something went wrong");
    if (said.error) return failed(String(said.error.type ?? ""), String(said.error.message));
    return said.status === "requires_payment_method" && !this.isLink ? new Promise(() => {}) : said;
  }

  /** What the confirm call gets, or why there is nothing to send. @param {Bag} order @returns {Bag} */
  body(order) {
    const words = this.words;
    if (order.method) {
      const category = order.method === "klarna" ? "pay_later" : "wallet";
      return bodyOf({category, type: order.method, fields: {}, banks: []});
    }
    if (this.options.readOnly) return failed("validation_error", words.fill);
    const [of, value] = this.chosen.split("/");
    if (of === SAVED) {
      if (this.cvc && !this.cvc.check()) return failed("validation_error", this.empty ? words.fill : words.wrong);
      const one = this.saved.find(row => row.payment_token === value) ?? {};
      return {payment_method: one.payment_method, payment_token: value,
        ...(one.payment_method_type && {payment_method_type: one.payment_method_type}), ...this.cvc?.values};
    }
    if (!this.card && !this.wanted) return failed("validation_error", words.select);
    const parts = [this.card, this.wanted].filter(part => part !== null), fits = parts.map(part => part.check());
    if (this.empty || this.kind === "cardNumber" || this.kind === "cardCvc") return failed("validation_error", words.fill);
    if (!fits.every(Boolean)) return failed("validation_error", words.wrong);
    const method = this.methods.find(one => one.type === value);
    /** @type {Bag} */
    const body = method && value !== "card" ? bodyOf(method)
      : {payment_method: "card", payment_method_type: "credit", payment_method_data: {card: this.card?.values}};
    this.wanted?.into(body);
    return {...body, ...this.acceptance()};
  }

  /** The customer's yes to being charged later, where it was given. */
  acceptance() {
    const ticked = /** @type {HTMLInputElement | null} */ (document.getElementById("save"))?.checked;
    const isMandate = ["new_mandate", "setup_mandate"].includes(this.offer.payment_type);
    if (!ticked && !isMandate) return {};
    const yes = {customer_acceptance: {acceptance_type: "online", accepted_at: new Date().toISOString(),
      online: {ip_address: "127.0.0.1", user_agent: navigator.userAgent}}};
    return {...yes, ...(isMandate && {mandate_data: yes})};
  }

  // what the page asks

  /** @param {Bag} order */
  async asked(order) {
    const first = /** @type {HTMLElement | undefined} */ (
      [".Panel .Input", ".Field .Input", "input", "button"].map(one => root.querySelector(one)).find(Boolean));
    if (order.do === "confirm") this.tell({answer: order.id, result: await this.confirm(order)});
    else if (order.do === "load" || order.do === "update") {
      this.gone = [];
      Object.assign(this.options, order.options);
      Object.assign(this.group, order.group);
      const problem = await this.draw();
      this.changed();
      this.tell({answer: order.id, result: problem ? failed("", problem) : {}});
    } else if (order.do === "focus") first?.focus();
    else if (order.do === "blur") /** @type {HTMLElement | null} */ (document.activeElement)?.blur();
    else if (order.do === "clear") {
      this.card?.clear();
      this.cvc?.clear();
      this.changed();
    }
  }
}

function browser() {
  return {user_agent: navigator.userAgent, language: navigator.language, color_depth: screen.colorDepth,
    screen_height: screen.height, screen_width: screen.width, time_zone: new Date().getTimezoneOffset(),
    java_enabled: false, java_script_enabled: true, accept_header: "*/*"};
}

/** @type {Form | null} */
let form = null;

// The one message that is taken from a window: the first, from the page around this frame, with a channel in it.
addEventListener("message", async event => {
  const [port] = event.ports;
  if (form || event.source !== parent || event.source === window || event.data?.checkout !== "start" || !port) return;
  const made = form = new Form(port, event.data);
  port.onmessage = asked => made.asked(asked.data ?? {});
  for (const [name, told] of Object.entries({focusin: {focus: true}, focusout: {blur: true}})) {
    addEventListener(name, () => made.tell({event: Object.keys(told)[0], value: told}));
  }
  addEventListener("click", click => made.tell({event: "clickTriggered", value: {clickTriggered: true, event: JSON.stringify({isTrusted: click.isTrusted})}}));
  new ResizeObserver(() => { made.fold(); made.tell({height: document.documentElement.offsetHeight}); }).observe(document.documentElement);
  await made.draw();
  made.tell({drawn: true, ...(READY.includes(made.kind) && {event: "ready", value: {ready: true}})});
  made.isReady = true;
  made.changed();
});
