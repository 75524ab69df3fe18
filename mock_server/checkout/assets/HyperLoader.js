// @ts-check
/**
 * The stand-in for a checkout script, for a shop's page. It mounts forms in frames of the sandbox's own origin,
 * lets them confirm, follows the bank's page, and returns results in the form that shops read.
 *
 * This file never has card data: it stays in the frame, whose window no page of another origin can read. Each
 * frame has its own message channel, which only the sandbox's origin receives, so no other page can listen.
 *
 * @typedef {Record<string, any>} Bag
 * What it refuses, and what never answers, is so with the public script: a shop that pays here has to pay there.
 *
 * @typedef {{error: {type: string, message: string}}} Failed
 * @typedef {{do: "confirm", method?: string, returnUrl: string, clientSecret?: string}} Order
 * @typedef {{key: string, home: string, options: Bag, isUpdating: boolean}} Shop who calls, and where the sandbox is
 */
(() => {
  "use strict";
  const own = document.currentScript instanceof HTMLScriptElement ? document.currentScript.src : "";
  const OWN_ORIGIN = own ? new URL(own).origin : location.origin;
  const WAITING = ["requires_action", "requires_customer_action"];
  const LOOK_EVERY_MS = 500;
  /** How often an answer that is lost is asked for, once the customer comes from the bank. */
  const MOST_LOOKS = 5;
  /** How long a form may take until it can be used: more than a slow call, less than a shop's test waits. */
  const READY_WITHIN_MS = 20000;
  /** Prefix of a payment's id in the id of its poll. */
  const POLL_ID = "external_authentication_";
  const UPDATING = "update_intent_error";
  const WAIT_FOR_UPDATE = "Cannot confirm payment while updateIntent is in progress.";
  /** What a group can create. */
  const BUTTONS = ["googlePay", "applePay", "payPal", "samsungPay", "klarna", "paze"];
  const KINDS = ["payment", "card", "cardNumber", "cardExpiry", "cardCvc", "expressCheckout", ...BUTTONS, "paymentMethodsManagement", "paymentMethodCollect"];
  const EVENTS = ["ready", "change", "focus", "blur", "clickTriggered", "oneClickConfirmTriggered"];

  /** @param {string} type @param {string} message @returns {Failed} */
  const refused = (type, message) => ({error: {type, message}});
  /** The same for a confirmation. @param {string} type @param {string} message */
  const failed = (type, message) => ({submitSuccessful: false, ...refused(type, message)});
  const never = () => new Promise(() => {});
  /** Whether any form of the page has been ready: before that no confirmation begins. */
  let isReady = () => {};
  /** @type {Promise<void>} */
  const ready = new Promise(resolve => { isReady = resolve; });
  /** @param {unknown} value @returns {Bag} */
  const bag = value => (value && typeof value === "object" ? /** @type {Bag} */ (value) : {});

  // the options, each with what it has to be and a test of that; whatever else a shop gives is left out, and said once

  /** @typedef {{[name: string]: Shape}} Shapes */
  /** The last: the options inside, of an object or of each in a list. @typedef {[string, (value: any) => boolean, Shapes?]} Shape */
  const isBag = (/** @type {any} */ value) => Boolean(value) && typeof value === "object" && !Array.isArray(value);
  const oneOf = (/** @type {string[]} */ ...words) => /** @type {Shape} */ ([`one of ${words.join(", ")}`, (/** @type {any} */ value) => words.includes(value)]);
  const listOf = (/** @type {string} */ what, /** @type {Shape[1]} */ fits, /** @type {Shapes} */ inside = {}) =>
    /** @type {Shape} */ ([`a list of ${what}`, (/** @type {any} */ value) => Array.isArray(value) && value.every(fits), inside]);
  const holding = (/** @type {Shapes} */ inside) => /** @type {Shape} */ (["an object", isBag, inside]);
  const all = (/** @type {string[]} */ names, /** @type {Shape} */ shape) => Object.fromEntries(names.map(name => [name, shape]));
  /** @type {Shape} */
  const ANY = ["anything", () => true];
  /** @type {Shape} */
  const TEXT = ["a text", value => typeof value === "string"];
  /** @type {Shape} */
  const FLAG = ["true or false", value => typeof value === "boolean"];
  /** @type {Shape} */
  const BAG = ["an object", isBag];
  /** @type {Shape} */
  const ADDRESS = ["an address that begins with http:// or https://", value => typeof value === "string" && /^(https?:\/)?\//.test(value) && URL.canParse(value, location.href)];
  const FONTS = listOf("objects with texts in family and src", one => isBag(one) && ["family", "src"].every(name => TEXT[1](one[name] ?? "")),
    all(["family", "src", "weight", "cssSrc"], ANY));
  const METHODS = listOf("texts", TEXT[1]);
  const LAYOUTS = oneOf("tabs", "accordion");
  /** @type {Shape} */
  const LAYOUT = ["tabs, accordion or an object", value => isBag(value) || LAYOUTS[1](value), {type: LAYOUTS, defaultCollapsed: FLAG, maxAccordionItems: ANY}];
  const PARAMS = holding({return_url: TEXT});
  /** @type {Record<string, Shapes>} */
  const OPTIONS = {
    "Hyper()": {customBackendUrl: ADDRESS, redirectIn: oneOf("frame", "popup", "page"), isForceInit: FLAG, isLink: FLAG},
    "the keys of Hyper()": {publishableKey: TEXT, customEndpoints: holding({customBackendEndpoint: TEXT})},
    "elements()": {clientSecret: TEXT, sdkAuthorization: TEXT, ephemeralKey: TEXT, locale: TEXT, fonts: FONTS, loader: oneOf("auto", "always", "never"),
      appearance: holding({theme: oneOf("default", "midnight", "charcoal"), labels: TEXT, variables: BAG, rules: BAG})},
    "create()": {layout: LAYOUT, wallets: holding({...all(BUTTONS, oneOf("auto", "never")), walletReturnUrl: TEXT}),
      defaultValues: holding({billingDetails: BAG}), fields: holding({billingDetails: oneOf("auto", "never")}),
      paymentMethodOrder: METHODS, hiddenPaymentMethods: METHODS,
      displaySavedPaymentMethods: FLAG, displaySavedPaymentMethodsCheckbox: FLAG, readOnly: FLAG, terms: holding({card: oneOf("auto", "always", "never")}),
      business: holding({name: TEXT}), sdkHandleConfirmPayment: holding({handleConfirm: FLAG, buttonText: TEXT, confirmParams: PARAMS}),
      sdkHandleOneClickConfirmPayment: FLAG, testCards: FLAG, classes: BAG},
    "initPaymentSession()": {clientSecret: TEXT, sdkAuthorization: TEXT},
    "a confirmation": {elements: ANY, widgets: ANY, confirmParams: PARAMS, redirect: oneOf("if_required", "always")},
  };
  /** @type {Set<string>} */
  const warned = new Set();
  const noOption = (/** @type {string} */ path, /** @type {string} */ of, /** @type {string[]} */ has) =>
    `The sandbox has no option "${path}" of ${of}. It has: ${has.join(", ")}.`;
  const warnOnce = (/** @type {string} */ text) => { if (!warned.has(text)) console.warn(text); warned.add(text); };

  /** The options of a call that are as they have to be. @param {string} of @param {unknown} given @param {Shapes} shapes @param {string} at the path of those inside another @returns {Bag} */
  function sound(of, given, shapes = OPTIONS[of], at = "") {
    if (!isBag(given)) {
      if (given !== undefined && given !== null) warnOnce(`The options of ${of} have to be an object. They are left out.`);
      return {};
    }
    return Object.fromEntries(Object.entries(/** @type {Bag} */ (given)).flatMap(([name, value]) => {
      const shape = Object.hasOwn(shapes, name) && shapes[name], inside = shape && shape[2];
      const within = (/** @type {any} */ one) => (inside && isBag(one) ? sound(of, one, inside, `${at}${name}.`) : one);
      if (!shape) warnOnce(noOption(at + name, of, Object.keys(shapes).filter(one => one !== "isLink").map(one => at + one)));
      else if (value !== undefined && value !== null && shape[1](value)) return [[name, Array.isArray(value) ? value.map(within) : within(value)]];
      else if (value !== undefined && value !== null) warnOnce(`The option ${at}${name} of ${of} has to be ${shape[0]}. It is left out.`);
      return [];
    }));
  }

  // calls of the API that carry no card data; the frames make the others

  /** @param {Shop} shop @param {string} method @param {string} path @param {Bag} [body] @param {boolean} [isLook] an error of the server is no answer then */
  async function call(shop, method, path, body, isLook) {
    const headers = {"api-key": shop.key, "x-client-source": "checkout", ...(body && {"Content-Type": "application/json"})};
    const answer = await fetch(shop.home + path, {method, headers, body: body && JSON.stringify(body)});
    if (isLook && answer.status >= 500) throw new Error("The server could not answer.");
    return bag(await answer.json());
  }

  /** @param {string} secret */
  const paymentOf = secret => secret.slice(0, secret.lastIndexOf("_secret"));

  /** A payment by its client secret. @param {Shop} shop @param {string} secret @param {boolean} [isLook] @returns {Promise<Bag>} */
  const retrieve = (shop, secret, isLook) =>
    call(shop, "GET", `/payments/${encodeURIComponent(paymentOf(secret))}?client_secret=${encodeURIComponent(secret)}`, undefined, isLook);

  const pause = () => new Promise(resolve => setTimeout(resolve, LOOK_EVERY_MS));

  /** A payment whose customer was at the bank, or the API's refusal to show it. @param {Shop} shop @param {Bag} payment @returns {Promise<Bag>} */
  async function lookAt(shop, payment) {
    for (let looks = 0; looks < MOST_LOOKS; looks++) {
      if (looks) await pause();
      const now = await retrieve(shop, payment.client_secret, true).catch(() => null);
      if (now) return now;
    }
    throw failed("server_error", "Something went wrong");
  }

  // where the customer goes

  /** Listeners that the shop has named, which must not hold a customer back. @type {EventListener[]} */
  const ours = [];

  /** Leaves the page; only for addresses of the web. @param {string} address */
  function leave(address) {
    const to = new URL(address, location.href);
    if (!["http:", "https:"].includes(to.protocol)) throw new Error("A return address begins with http or https.");
    for (const listener of ours) removeEventListener("beforeunload", listener);
    location.replace(to.href);
    return never();
  }

  /** @param {string} address @param {Bag} payment */
  function backTo(address, payment) {
    const to = new URL(address, location.href);
    to.searchParams.set("payment_intent_client_secret", payment.client_secret);
    to.searchParams.set("payment_id", payment.payment_id);
    to.searchParams.set("status", payment.status);
    return leave(to.href);
  }

  /** The page of the sandbox where a waiting payment continues. @param {Shop} shop @param {Bag} payment */
  function pageOf(shop, payment) {
    const next = bag(payment.next_action);
    return next.redirect_to_url || next.popup_url
      || `${shop.home}/payments/redirect/${payment.payment_id}/${payment.merchant_id}/${payment.payment_id}_${payment.attempt_count}`;
  }

  /**
   * Shows a page over the shop's own until the payment no longer waits, or the customer closes it.
   * @param {Shop} shop @param {Bag} payment @returns {Promise<Bag>} the payment as it stands then
   */
  function inFrame(shop, payment) {
    return new Promise(resolve => {
      const dialog = document.createElement("dialog"); // modal: nothing behind it is reached by keyboard either
      dialog.setAttribute("aria-label", "Confirm the payment");
      dialog.dataset.testid = "checkout-challenge";
      Object.assign(dialog.style, {position: "fixed", inset: "0", boxSizing: "border-box", width: "100%", height: "100%",
        maxWidth: "none", maxHeight: "none", margin: "0", border: "0", background: "rgba(10, 14, 20, .6)",
        display: "grid", gridTemplateRows: "auto 1fr", justifyItems: "center", padding: "12px", gap: "8px"});
      const close = document.createElement("button");
      close.type = "button";
      close.textContent = "Close";
      close.dataset.testid = "checkout-challenge-close";
      Object.assign(close.style, {justifySelf: "end", minHeight: "40px", padding: "0 16px", border: "0",
        borderRadius: "8px", background: "#fff", color: "#17202c", font: "600 15px system-ui, sans-serif"});
      const frame = document.createElement("iframe");
      frame.title = "The bank's page";
      frame.src = pageOf(shop, payment);
      Object.assign(frame.style, {width: "100%", maxWidth: "520px", height: "100%", border: "0", borderRadius: "12px",
        background: "#fff"});
      /** @type {Bag | undefined} */
      let over;
      frame.addEventListener("load", async () => {
        const now = await lookAt(shop, payment).catch(() => payment);
        if (WAITING.includes(now.status)) return;
        over = now;
        dialog.close();
      });
      close.addEventListener("click", () => dialog.close());
      dialog.addEventListener("close", () => {
        dialog.remove();
        resolve(over ?? lookAt(shop, payment));
      });
      dialog.append(close, frame);
      document.body.append(dialog);
      dialog.showModal();
      frame.focus();
    });
  }

  /**
   * The same in a window of its own.
   * @param {Shop} shop @param {Bag} payment @returns {Promise<Bag>}
   */
  async function inPopup(shop, payment) {
    const popup = open(pageOf(shop, payment), "_blank", "popup,width=480,height=720");
    if (!popup) throw failed("popup_blocked", "The browser did not open the bank's window.");
    for (;;) {
      await pause();
      const closed = popup.closed;
      const poll = await call(shop, "GET", `/poll/status/${POLL_ID}${payment.payment_id}`, undefined, true).catch(() => bag(null));
      if (closed || poll.error || ["completed", "not_found"].includes(poll.status)) {
        popup.close();
        return lookAt(shop, payment);
      }
    }
  }

  /**
   * From a confirmed payment to the shop's result: follows the bank's page, then redirects or resolves.
   * @param {Shop} shop @param {Bag} said the payment, or a failure
   * @param {{returnUrl: string, always: boolean, otherMethods?: boolean}} way `otherMethods`: those that show nothing go back too
   */
  async function settle(shop, said, way) {
    if (said.error) return said;
    let payment = said;
    if (WAITING.includes(payment.status)) {
      const next = bag(payment.next_action).type;
      const framed = payment.is_iframe_redirection_enabled || shop.options.redirectIn === "frame";
      try {
        if (shop.options.redirectIn === "page") return leave(pageOf(shop, payment));
        if (next === "redirect_inside_popup" || shop.options.redirectIn === "popup") payment = await inPopup(shop, payment);
        else if (framed || next !== "redirect_to_url") payment = await inFrame(shop, payment);
        else return leave(pageOf(shop, payment));
      } catch (problem) {
        return bag(problem).error ? problem : failed("server_error", "Something went wrong");
      }
      if (payment.error) return payment;
    }
    // The page of a payment link finds the way back by itself.
    const goesBack = way.always || (way.otherMethods && payment === said && payment.payment_method !== "card");
    return goesBack && !shop.options.isLink ? backTo(way.returnUrl, payment) : payment;
  }

  // an element: a frame in the shop's page, and the channel to it

  class Element_ {
    /** @param {Group} group @param {string} kind @param {Bag} options */
    constructor(group, kind, options) {
      this.group = group;
      this.kind = kind;
      this.options = options;
      /** @type {Record<string, (value: any) => unknown>} */
      this.listeners = {};
      /** @type {HTMLIFrameElement | null} */
      this.frame = null;
      /** @type {MessagePort | null} */
      this.port = null;
      this.selector = "";
      this.orders = 0;
      /** @type {Map<number, (said: Bag) => void>} */
      this.open = new Map();
      /** @type {(() => unknown) | undefined} */
      this.onClick = undefined;
      this.clicked = "";
      /** @type {ReturnType<typeof setTimeout> | undefined} */
      this.timer = undefined;
    }

    /** Whether its frame is on the page. */
    get here() { return Boolean(this.frame?.isConnected); }

    /** @param {string} selector */
    mount(selector) {
      const name = selector.split("#")[1] ?? "someString", place = document.querySelector(this.selector = selector);
      if (!place) return;
      const saved = this.kind === "paymentMethodsManagement", {home, key} = this.group.shop;
      const frame = this.frame = document.createElement("iframe"), box = document.createElement("div"), over = document.createElement("div");
      frame.id = frame.name = `orca-${saved ? "payment-methods-management" : "payment"}-element-iframeRef-${name}`;
      frame.title = "Orca Payment Element Frame";
      frame.allow = "payment *";
      frame.setAttribute("sandbox", "allow-scripts allow-popups allow-same-origin allow-forms");
      frame.src = `${home}/checkout/frame?key=${encodeURIComponent(key)}`;
      Object.assign(frame.style, {width: "100%", height: "0", border: "0", display: "block", colorScheme: "normal"});
      frame.addEventListener("load", () => this.begin(frame));
      box.id = `orca-${saved ? "management-" : ""}element-${name}`;
      box.className = `${this.kind} base ${bag(this.options.classes).base ?? ""}`;
      over.id = `orca-fullscreen-iframeRef-${name}`;
      box.append(over, frame);
      clearTimeout(this.timer);
      place.replaceChildren(box);
      this.timer = setTimeout(() => console.error(`The payment form did not come from ${home} within ${READY_WITHIN_MS / 1000} `
        + "seconds. Is the address right, and do the page's policy and the network let it through?"), READY_WITHIN_MS);
    }

    /** Hands a channel to the frame; the browser gives it to the sandbox's origin, or to nobody. @param {HTMLIFrameElement} frame */
    begin(frame) {
      if (frame !== this.frame) return;
      const {port1, port2} = new MessageChannel();
      this.port?.close();
      this.port = port1;
      port1.onmessage = event => this.told(bag(event.data));
      const {key, home, options} = this.group.shop;
      const start = {checkout: "start", key, kind: this.kind, group: this.group.options, options: this.options,
        isLink: Boolean(options.isLink)};
      frame.contentWindow?.postMessage(JSON.parse(JSON.stringify(start)), new URL(home).origin, [port2]);
    }

    /** What the frame says. @param {Bag} said */
    told(said) {
      if (typeof said.height === "number" && this.frame) this.frame.style.height = `${Math.ceil(said.height)}px`;
      if (said.drawn) clearTimeout(this.timer);
      for (const {path, has} of said.unknown ?? []) warnOnce(noOption(path, "elements()", has));
      if (said.answer) {
        this.open.get(said.answer)?.(bag(said.result));
        this.open.delete(said.answer);
      }
      if (said.event === "ready") isReady();
      if (said.event) this.emit(said.event, said.value);
      if (said.clicked) this.pressed(said.clicked);
    }

    /** Tells the listeners of all elements of this kind, as there; of a click, those of all. @param {string} event @param {unknown} value */
    emit(event, value) {
      for (const one of this.group.elements) {
        if (event === "clickTriggered" || one.kind === this.kind) one.listeners[event]?.(value);
      }
    }

    /** A button of ours was pressed: a wallet's, or the form's own. @param {string} what */
    async pressed(what) {
      const {wallets, sdkHandleConfirmPayment, sdkHandleOneClickConfirmPayment} = this.options;
      const isOwn = what === "own", params = bag(bag(sdkHandleConfirmPayment).confirmParams);
      if (!isOwn && this.onClick) {
        this.emit("oneClickConfirmTriggered", {oneClickConfirmTriggered: true});
        try { await this.onClick(); } catch { return; }
      }
      this.clicked = isOwn ? "" : what;
      if (!isOwn && sdkHandleOneClickConfirmPayment === false) return;
      const returnUrl = params.return_url || bag(wallets).walletReturnUrl || "";
      await this.confirm({do: "confirm", method: this.clicked || undefined, returnUrl}, {returnUrl, always: true});
    }

    /** @param {Order} order @param {Parameters<typeof settle>[2]} way */
    async confirm(order, way) {
      return settle(this.group.shop, await this.ask(order), way);
    }

    /** Asks the frame, and waits for its answer. @param {Bag} order @returns {Promise<Bag>} */
    ask(order) {
      return new Promise(resolve => {
        this.open.set(++this.orders, resolve);
        this.say({...order, id: this.orders});
      });
    }

    /** @param {Bag} order */
    say(order) { this.port?.postMessage(order); }

    unmount() {
      const place = document.querySelector(this.selector);
      if (!place) return console.warn(`There is nothing on the page from which the ${this.kind} element is to be taken: ${this.selector}`);
      place.replaceChildren();
      this.port?.close();
      this.port = this.frame = null;
      clearTimeout(this.timer);
    }

    /** What the shop holds. It may take the functions apart, so none of them asks for `this`. */
    get surface() {
      const to = (/** @type {string} */ what) => () => { this.frame?.focus(); this.say({do: what}); };
      return {
        on: (/** @type {string} */ event, /** @type {(value: any) => unknown} */ listener) => {
          if (!EVENTS.includes(event)) warnOnce(`There is no event "${event}". There are: ${EVENTS.join(", ")}.`);
          if (typeof listener === "function") this.listeners[event] = listener;
          else delete this.listeners[event];
        },
        collapse: () => {},
        blur: () => { this.say({do: "blur"}); this.frame?.blur(); },
        update: (/** @type {Bag} */ options) => {
          Object.assign(this.options, sound("create()", options));
          this.say(JSON.parse(JSON.stringify({do: "update", options: this.options})));
        },
        destroy: () => { this.unmount(); this.selector = ""; },
        unmount: () => this.unmount(),
        mount: (/** @type {string} */ selector) => this.mount(selector),
        focus: to("focus"),
        clear: () => this.say({do: "clear"}),
        onSDKHandleClick: (/** @type {() => unknown} */ handler) => { if (handler) this.onClick = handler; },
      };
    }
  }

  // a group of elements: those of one payment, or of one customer's saved methods

  class Group {
    /** @param {Shop} shop @param {Bag} options */
    constructor(shop, options) {
      this.shop = shop;
      this.options = options;
      /** @type {Element_[]} */
      this.elements = [];
      /** The last of each kind, as the shop holds it. @type {Record<string, Element_["surface"]>} */
      this.made = {};
      if (options.sdkAuthorization) options.clientSecret ||= secretIn(options.sdkAuthorization);
    }

    /** @param {string} kind @param {Bag} [options] */
    create(kind, options) {
      if (kind === "") throw told("create() needs the kind of the element.");
      if (!KINDS.includes(kind)) console.warn(`There is no element "${kind}". There are: ${KINDS.join(", ")}.`);
      const element = new Element_(this, kind, sound("create()", options));
      this.elements.push(element);
      return this.made[kind] = element.surface;
    }

    /** @param {Bag} options */
    update(options) {
      Object.assign(this.options, sound("elements()", options));
      const group = JSON.parse(JSON.stringify(this.options));
      for (const element of this.elements) element.say({do: "update", group});
    }

    /** The element that takes the customer's choice. */
    get form() {
      const here = this.elements.filter(element => element.here);
      return here.find(element => element.clicked) ?? here.find(element => element.kind === "payment") ?? here[0];
    }

    /** @param {Partial<Order> & {returnUrl: string}} order @param {Parameters<typeof settle>[2]} way @returns {Promise<any>} */
    async confirm(order, way) {
      const form = this.form, method = form?.clicked || undefined;
      if (!form) return never();
      form.clicked = "";
      return form.confirm({do: "confirm", method, ...order}, way);
    }

    get surface() {
      return {
        getElement: (/** @type {string} */ kind) => this.made[kind],
        update: this.update.bind(this),
        fetchUpdates: () => new Promise(resolve => { setTimeout(() => resolve({}), 1000); }),
        create: this.create.bind(this),
        updateIntent: (/** @type {() => Promise<Bag>} */ callback) => updateIntent(this.shop, callback, options => this.load(options)),
      };
    }

    /** Lets the forms ask again for what can be paid with. @param {Bag} options those of the group that change */
    async load(options) {
      const said = await Promise.all(this.elements.filter(element => element.port).map(element => element.ask({do: "load", group: options})));
      return said.find(one => one.error)?.error;
    }
  }

  /** A group for a shop that gave no secret: nothing in it does anything. */
  function inert() {
    const nothing = () => {}, soon = async () => ({});
    const element = {on: nothing, collapse: nothing, blur: nothing, update: nothing, destroy: nothing, unmount: nothing,
      mount: nothing, focus: nothing, clear: nothing, onSDKHandleClick: nothing};
    return {getElement: nothing, update: nothing, fetchUpdates: soon, create: () => element, updateIntent: async () => null};
  }

  /** @param {string} message @returns {Error} an error that the console has told, too */
  function told(message) {
    console.error(message);
    return new Error(message);
  }

  /** The client secret inside an `sdkAuthorization`: base64 of `publishable_key=…,client_secret=…`. @param {string} text */
  function secretIn(text) {
    try {
      const pair = atob(text).split(",").find(part => part.startsWith("client_secret="));
      return pair ? pair.slice("client_secret=".length) : "";
    } catch {
      return "";
    }
  }

  /**
   * Lets the shop change its payment; meanwhile nothing is confirmed.
   * @param {Shop} shop @param {() => Promise<Bag>} callback @param {(options: Bag) => Promise<Bag | undefined>} load
   */
  async function updateIntent(shop, callback, load) {
    if (shop.isUpdating) return refused(UPDATING, "An updateIntent operation is already in progress.");
    shop.isUpdating = true;
    try {
      const {sdkAuthorization} = bag(await callback()), clientSecret = secretIn(String(sdkAuthorization ?? ""));
      const problem = await load(clientSecret ? {sdkAuthorization, clientSecret} : {});
      return problem ? refused(UPDATING, problem.message) : {status: "succeeded"};
    } catch (error) {
      return refused(UPDATING, error instanceof Error ? error.message : "An unexpected error occurred during updateIntent.");
    } finally {
      shop.isUpdating = false;
    }
  }
  // saved methods without a form

  /** Names as scripts write them, at every depth: `last4_digits` → `last4Digits`. @param {any} value @returns {any} */
  function camel(value) {
    if (Array.isArray(value)) return value.map(camel);
    if (!value || typeof value !== "object") return value;
    return Object.fromEntries(Object.entries(value).map(([name, one]) => [name.replace(/_([a-z])/g, (_, letter) => letter.toUpperCase()), camel(one)]));
  }

  /** @param {Shop} shop @param {string} secret */
  async function savedMethods(shop, secret) {
    const said = await call(shop, "GET", `/customers/payment_methods?client_secret=${encodeURIComponent(secret)}`);
    if (said.error) return said;
    /** @type {Bag[]} */
    const all = said.customer_payment_methods ?? [];
    const standard = () => all.find(one => one.default_payment_method_set)
      ?? refused("no_data", "There is no default saved payment method data for this customer.");
    const latest = () => [...all].sort((a, b) => String(b.last_used_at).localeCompare(String(a.last_used_at)))[0]
      ?? refused("no_data", "No recent payments found for this customer.");
    const payBy = (/** @type {() => Bag} */ choose) => async (/** @type {Bag} */ payload) => {
      const chosen = choose(), {returnUrl, always} = wayOf(payload);
      if (shop.isUpdating) return refused(UPDATING, WAIT_FOR_UPDATE);
      if (chosen.error) return chosen;
      if (chosen.requires_cvv) {
        return refused("invalid_request", "INTEGRATION ERROR: Mount the CVC widget with a valid ID or pass the required CVC value.");
      }
      const body = {client_secret: secret, payment_method: chosen.payment_method, payment_token: chosen.payment_token,
        ...(chosen.payment_method_type && {payment_method_type: chosen.payment_method_type}), return_url: returnUrl};
      try {
        const answer = await call(shop, "POST", `/payments/${encodeURIComponent(paymentOf(secret))}/confirm`, body);
        if (!URL.canParse(returnUrl)) return refused("server_error", "Something went wrong");
        if (answer.error) return refused(String(answer.error.type ?? ""), answer.error.message);
        return settle(shop, answer, {returnUrl, always});
      } catch {
        return refused("server_error", "Something went wrong");
      }
    };
    return {
      getCustomerDefaultSavedPaymentMethodData: () => camel(standard()),
      getCustomerLastUsedPaymentMethodData: () => camel(latest()),
      confirmWithCustomerDefaultPaymentMethod: payBy(standard),
      confirmWithLastUsedPaymentMethod: payBy(latest),
    };
  }

  /** The shop's options for the return. @param {Bag} payload */
  function wayOf(payload) {
    const {confirmParams, redirect} = sound("a confirmation", payload);
    return {returnUrl: String(bag(confirmParams).return_url ?? ""), always: redirect === "always"};
  }

  // what the page gets

  /** @param {string | Bag} keys @param {Bag} [options] */
  function Hyper(keys, options) {
    const named = typeof keys === "string" ? {publishableKey: keys} : sound("the keys of Hyper()", keys), key = String(named.publishableKey ?? ""), page = /** @type {Bag} */ (window);
    if (page.HyperMethod && !bag(options).isForceInit) return page.HyperMethod;
    if (!/^pk_(dev|snd|prd)_/.test(key)) console.error("Hyper() takes a publishable key: one that begins with pk_snd_.");
    const given = sound("Hyper()", {customBackendUrl: bag(named.customEndpoints).customBackendEndpoint || undefined, ...bag(options)});
    const backend = given.customBackendUrl;
    /** @type {Shop} */
    const shop = {key, home: backend ? new URL(backend, location.href).origin : OWN_ORIGIN, options: given, isUpdating: false};
    /** @type {Group | null} */
    let group = null;
    let secret = "";
    /** The confirmation that waits: each takes the place of the one before, which is not answered any more. */
    let answer = (/** @type {any} */ said) => {};

    /** @param {Bag} options */
    const elements = options => {
      const {clientSecret, sdkAuthorization} = bag(options);
      if (!sdkAuthorization && !/.+_secret_[A-Za-z0-9]+/.test(clientSecret ?? "")) {
        console.error("elements() takes the clientSecret of a payment, which has the form …_secret_…, or an sdkAuthorization.");
        return inert();
      }
      group = new Group(shop, sound("elements()", options));
      secret = String(group.options.clientSecret ?? "");
      return group.surface;
    };

    /** @param {Bag} payload @param {Partial<Order>} order */
    const confirm = (payload, order = {}) => {
      const way = wayOf(payload);
      return new Promise(resolve => ready.then(async () => {
        answer = resolve;
        const said = await (group?.confirm({returnUrl: way.returnUrl, ...order}, {...way, otherMethods: true}) ?? never());
        answer(said);
      }));
    };
    /** @param {Bag} payload */
    const confirmPayment = async payload => (shop.isUpdating ? refused(UPDATING, WAIT_FOR_UPDATE) : confirm(payload));

    const hyper = {
      confirmOneClickPayment: async (/** @type {Bag} */ payload, /** @type {boolean} */ goOn) => {
        const way = wayOf(payload);
        await ready;
        return group?.form?.clicked && goOn ? group.confirm({returnUrl: way.returnUrl}, way) : never();
      },
      confirmPayment,
      elements,
      confirmCardPayment: async (/** @type {string} */ clientSecret) => group?.confirm({clientSecret, returnUrl: ""}, wayOf({})) ?? never(),
      retrievePaymentIntent: async (/** @type {string} */ text) => {
        try {
          const said = await retrieve(shop, secretIn(String(text)) || String(text));
          return said.error ? null : {paymentIntent: said};
        } catch {
          return null;
        }
      },
      widgets: elements,
      paymentRequest: () => { throw new TypeError("paymentRequest cannot be called: the public script has it, and throws this kind of error too."); },
      initPaymentSession: (/** @type {Bag} */ options) => {
        const {clientSecret, sdkAuthorization} = sound("initPaymentSession()", options);
        secret = String(clientSecret || secretIn(String(sdkAuthorization ?? "")));
        return {
          getCustomerSavedPaymentMethods: () => savedMethods(shop, secret),
          updateIntent: (/** @type {() => Promise<Bag>} */ callback) => updateIntent(shop, callback, async options => {
            secret = options.clientSecret ?? secret;
            return undefined;
          }),
        };
      },
      initAuthenticationSession: () => {
        const nothing = async () => refused("ERROR", "An error occured while trying to fetch Click to Pay Details");
        return {initClickToPaySession: nothing, getActiveClickToPaySession: nothing};
      },
      paymentMethodsManagementElements: (/** @type {Bag} */ options) => ({...new Group(shop, sound("elements()", options)).surface, updateIntent: async () => null}),
      completeUpdateIntent: async (/** @type {string} */ clientSecret) => {
        try {
          await call(shop, "POST", "/payments/session_tokens", {payment_id: paymentOf(clientSecret), client_secret: clientSecret, wallets: []});
          return {updateCompleted: true};
        } catch (error) {
          return {updateCompleted: false, errorMessage: error instanceof Error ? error.message : "Something went wrong!"};
        }
      },
      initiateUpdateIntent: async () => ({updateInitiated: true}),
      confirmTokenization: confirmPayment,
    };
    page.HyperMethod = hyper;
    return hyper;
  }
  Hyper.init = Hyper;
  Object.assign(window, {Hyper, removeBeforeUnloadEventListeners: (/** @type {EventListener[]} */ listeners) => { ours.push(...listeners); }});
})();
