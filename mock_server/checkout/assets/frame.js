// @ts-check
/**
 * The form inside the frame. It gets a channel from the page around it, draws what is to be drawn, and confirms by a
 * call of its own: card data leave it for the confirm call and for nothing else.
 */
import {CardFields} from "./card.js";
import {BUTTONS, Wanted, bodyOf, chosenBy, methodsIn, wantsWallet} from "./methods.js";
import {dress, show} from "./page.js";
import {nameOf, wordsOf} from "./words.js";

/** @typedef {Record<string, any>} Bag */
const SINGLE = /** @type {Record<string, string[]>} */ (
  {cardNumber: ["number"], cardExpiry: ["expiry"], cardCvc: ["cvc"], card: ["number", "expiry", "cvc"]});
const SAVED = "saved", root = /** @type {HTMLElement} */ (document.getElementById("form"));

/** @param {string} type @param {string} message @param {Bag} [more] */
const failed = (type, message, more) => ({submitSuccessful: false, error: {type, message, ...more}});

class Form {
  /** @param {MessagePort} port @param {Bag} start */
  constructor(port, start) {
    this.port = port;
    this.key = String(start.key);
    this.kind = String(start.kind);
    this.group = start.group ?? {};
    this.options = start.options ?? {};
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
    this.chosen = "";
    this.told = "";
    this.problem = show("p", {class: "Error", role: "alert"});
    this.panel = show("div", {class: "Panel", id: "panel"});
  }

  get secret() { return String(this.group.clientSecret ?? ""); }
  get payment() { return this.secret.slice(0, this.secret.lastIndexOf("_secret")); }

  /** @param {Bag} said */
  tell(said) { this.port.postMessage(said); }

  /** @param {string} method @param {string} path @param {Bag} [body] @returns {Promise<Bag>} */
  async call(method, path, body) {
    const headers = {"api-key": this.group.ephemeralKey ?? this.key, "x-client-source": "checkout",
      ...(body && {"Content-Type": "application/json"})};
    const answer = await fetch(path, {method, headers, body: body && JSON.stringify(body)});
    return (await answer.json()) ?? {};
  }

  /** Redraws the form. */
  async draw() {
    this.words = wordsOf(String(this.group.locale ?? "en"));
    document.documentElement.lang = String(this.group.locale || "en");
    document.documentElement.dataset.loader = String(this.group.loader ?? "auto");
    root.setAttribute("aria-busy", "true");
    this.problem.textContent = "";
    try {
      dress(this.group.appearance ?? {}, this.group.fonts ?? []);
      if (SINGLE[this.kind]) this.drawCard();
      else if (this.kind === "paymentMethodsManagement") await this.drawManagement();
      else if (this.kind === "payment") await this.drawPayment();
      else await this.drawButtons();
    } catch (error) {
      this.problem.textContent = `${this.words.failed} ${error instanceof Error ? error.message : ""}`.trim();
      root.replaceChildren(this.problem);
      this.tell({event: "loaderror", value: {elementType: this.kind, error: failed("load_error", this.problem.textContent).error}});
    }
    root.setAttribute("aria-busy", "false");
    if (this.options.readOnly) for (const one of root.querySelectorAll("input, select, button")) one.toggleAttribute("disabled", true);
    this.changed();
  }

  drawCard() {
    this.card = new CardFields(this.words, SINGLE[this.kind], () => this.changed());
    const problem = this.card.which.includes("number") ? [this.problem] : [];  // the number speaks for its siblings
    root.replaceChildren(...(this.kind === "card" ? [this.strip()] : []), ...this.card.boxes, ...problem);
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
        show("div", {class: `Tabs ${layout === "accordion" ? "accordion" : ""}`}, ...tabs)),
      this.problem,
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
    const {format} = new Intl.NumberFormat(undefined, {style: "currency", currency: this.offer.currency});
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
    this.problem.textContent = "";
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
    this.changed();
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
    root.replaceChildren(...this.total(), this.buttons(one ? offered.filter(type => type === one) : this.wallets), this.problem);
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
    this.problem.textContent = "";
    this.tell({clicked: what});
  }

  // saved methods

  async drawManagement() {
    const words = this.words, said = await this.call("GET", "/customers/payment_methods");
    if (said.error) throw new Error(said.error.message);
    this.saved = said.customer_payment_methods ?? [];
    const act = (/** @type {string} */ method, /** @type {string} */ path, /** @type {Bag | undefined} */ body) => async () => {
      const answer = await this.call(method, path, body);
      await this.draw();
      if (answer.error) this.problem.textContent = answer.error.message;
    };
    root.replaceChildren(...this.saved.map(one => {
      const id = encodeURIComponent(one.payment_method_id), customer = encodeURIComponent(one.customer_id), name = this.savedName(one);
      const button = (/** @type {string} */ text, /** @type {() => unknown} */ click) =>
        show("button", {class: "Button plain", type: "button", "aria-label": `${text}: ${name}`, click}, text);
      return show("div", {class: "Item"}, show("span", {}, name),
        one.default_payment_method_set ? show("span", {class: "Quiet"}, words.standard)
          : button(words.makeStandard, act("POST", `/customers/${customer}/payment_methods/${id}/default`, {})),
        button(words.remove, act("DELETE", `/payment_methods/${id}`, undefined)));
    }), ...(this.saved.length ? [] : [show("p", {class: "Quiet"}, words.none)]), this.problem);
  }

  // the tester's strip

  strip() {
    const words = this.words;
    if (this.options.testCards === false) return document.createDocumentFragment();
    const choice = /** @type {HTMLSelectElement} */ (show("select", {class: "Input", id: "test-card", "data-testid": "testCard",
      change: () => this.fill(choice.value)}, show("option", {value: ""}, "…")));
    const strip = /** @type {HTMLDetailsElement} */ (show("details", {class: "Strip", "data-testid": "testCards", toggle: async () => {
      if (!strip.open || choice.length > 1) return;
      for (const group of await (await fetch("/checkout/cards")).json()) {
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
    const typed = {number, expiry: "12/34", cvc: /^3[47]/.test(number) ? "1234" : "123"};
    for (const [name, text] of Object.entries(typed)) {
      const {input} = /** @type {CardFields} */ (this.card).part(name);
      input.value = text;
      input.dispatchEvent(new Event("input"));
    }
  }

  // messages to the page

  get type() { return SINGLE[this.kind] ? "card" : this.chosen.startsWith(`${SAVED}/`) ? this.saved.find(one => this.chosen.endsWith(one.payment_token))?.payment_method ?? "card" : this.chosen.split("/")[1] ?? ""; }
  get complete() { return (this.card?.complete ?? true) && (this.wanted?.complete ?? true) && (this.cvc?.complete ?? true) && (Boolean(this.card) || Boolean(this.chosen)); }

  changed() {
    const said = {elementType: this.kind, complete: this.complete, empty: this.card ? this.card.empty : !this.chosen,
      value: {type: this.type}, ...(this.card?.brand && {brand: this.card.brand})};
    const text = JSON.stringify(said);
    if (text !== this.told) this.tell({event: "change", value: said});
    this.told = text;
  }

  // confirming

  /** @param {Bag} order @returns {Promise<Bag>} the payment, or a failure */
  async confirm(order) {
    const body = this.body(order);
    if (body.error) {
      this.problem.textContent = body.error.message;
      return body;
    }
    try {
      const secret = String(order.clientSecret ?? this.secret), id = secret.slice(0, secret.lastIndexOf("_secret"));
      const returnUrl = order.returnUrl && {return_url: order.returnUrl};
      const said = await this.call("POST", `/payments/${encodeURIComponent(id)}/confirm`,
        {client_secret: secret, ...returnUrl, browser_info: browser(), ...body});
      if (!said.error) return said;
      const {type, error_type, message, code} = said.error;
      return this.seen(failed(String(type ?? error_type), String(message), {code}));
    } catch {
      return this.seen(failed("server_error", "Something went wrong"));
    }
  }

  /** Shows a failure, as a form says what went wrong with it. @param {ReturnType<typeof failed>} failure */
  seen(failure) {
    this.problem.textContent = failure.error.message;
    return failure;
  }

  /** What the confirm call gets, or why there is nothing to send. @param {Bag} order @returns {Bag} */
  body(order) {
    const words = this.words;
    this.problem.textContent = "";
    if (order.method) {
      const category = order.method === "klarna" ? "pay_later" : "wallet";
      return bodyOf({category, type: order.method, fields: {}, banks: []});
    }
    if (this.options.readOnly) return failed("validation_error", words.fill);
    const [of, value] = this.chosen.split("/");
    if (of === SAVED) {
      if (this.cvc && !this.cvc.check()) return failed("validation_error", words.fill);
      const one = this.saved.find(row => row.payment_token === value) ?? {};
      return {payment_method: one.payment_method, payment_token: value,
        ...(one.payment_method_type && {payment_method_type: one.payment_method_type}), ...this.cvc?.values};
    }
    const parts = this.parts(order.with ?? []), fits = [...parts, ...(this.wanted ? [this.wanted] : [])].map(part => part.check());
    if (!fits.every(Boolean) || (!parts.length && !this.wanted)) return failed("validation_error", words.fill);
    const method = this.methods.find(one => one.type === value);
    /** @type {Bag} */
    const body = method && value !== "card" ? bodyOf(method) : {payment_method: "card", payment_method_type: "credit",
      payment_method_data: {card: Object.assign({}, ...parts.map(part => part.values))}};
    this.wanted?.into(body);
    return {...body, ...this.acceptance()};
  }

  /** This card's fields, and those of its other elements: frames of this origin see each other, and nobody else them. @param {string[]} names @returns {CardFields[]} */
  parts(names) {
    const others = names.map(name => /** @type {Bag} */ (parent.frames)[name]?.checkoutCard?.());
    return /** @type {CardFields[]} */ ([this.card, ...others].filter(Boolean));
  }

  /** The customer's yes to being charged later, where it was given. */
  acceptance() {
    const ticked = /** @type {HTMLInputElement | null} */ (document.getElementById("save"))?.checked;
    if (!ticked && !["new_mandate", "setup_mandate"].includes(this.offer.payment_type)) return {};
    return {customer_acceptance: {acceptance_type: "online", accepted_at: new Date().toISOString(),
      online: {ip_address: "127.0.0.1", user_agent: navigator.userAgent}}};
  }

  // what the page asks

  /** @param {Bag} order */
  async asked(order) {
    const first = /** @type {HTMLElement | undefined} */ (
      [".Panel .Input", ".Field .Input", "input", "button"].map(one => root.querySelector(one)).find(Boolean));
    if (order.do === "confirm") this.tell({answer: order.id, result: await this.confirm(order)});
    else if (order.do === "load") {
      await this.draw();
      this.tell({answer: order.id, result: {}});
    } else if (order.do === "update") {
      Object.assign(this.options, order.options);
      Object.assign(this.group, order.group);
      await this.draw();
    } else if (order.do === "focus") first?.focus();
    else if (order.do === "blur") /** @type {HTMLElement | null} */ (document.activeElement)?.blur();
    else if (order.do === "clear") {
      this.card?.clear();
      this.cvc?.clear();
      this.changed();
    } else if (order.do === "collapse") {
      this.chosen = "";
      this.card = this.wanted = this.cvc = null;
      for (const radio of /** @type {NodeListOf<HTMLInputElement>} */ (root.querySelectorAll("input[type=radio]"))) {
        radio.checked = false;
        radio.closest(".Tab")?.classList.remove("Tab--selected");
      }
      this.panel.replaceChildren();
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
  Object.assign(window, {checkoutCard: () => made.card});
  port.onmessage = asked => made.asked(asked.data ?? {});
  for (const name of ["focusin", "focusout"]) {
    addEventListener(name, () => made.tell({event: name === "focusin" ? "focus" : "blur", value: {elementType: made.kind}}));
  }
  addEventListener("keydown", pressed => { if (pressed.key === "Escape") made.tell({event: "escape", value: {elementType: made.kind}}); });
  new ResizeObserver(() => made.tell({height: document.documentElement.offsetHeight})).observe(document.documentElement);
  await made.draw();
  made.tell({event: "ready", value: {elementType: made.kind}});
});
