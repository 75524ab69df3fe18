// @ts-check
/**
 * The stand-in for a checkout script, for a shop's page. It mounts forms in frames of the sandbox's own origin,
 * lets them confirm, follows the bank's page, and returns results in the form that shops read.
 *
 * This file never has card data: it stays in the frame, whose window no page of another origin can read. Each
 * frame has its own message channel, which only the sandbox's origin receives, so no other page can listen.
 *
 * @typedef {Record<string, any>} Bag
 * @typedef {{type: string, message: string, code?: string}} Problem
 * @typedef {{submitSuccessful: false, error: Problem}} Failed
 * @typedef {{do: "confirm", method?: string, with?: string[], returnUrl?: string, clientSecret?: string}} Order
 * @typedef {{key: string, home: string, options: Bag}} Shop who calls, and where the sandbox is
 */
(() => {
  "use strict";
  const own = document.currentScript instanceof HTMLScriptElement ? document.currentScript.src : "";
  const OWN_ORIGIN = own ? new URL(own).origin : location.origin;
  const FRAME_ID = "orca-payment-element-iframeRef-";
  const WAITING = ["requires_action", "requires_customer_action"];
  const LOOK_EVERY_MS = 500;
  /** How long a form may take until it can be used: more than a slow call, less than a shop's test waits. */
  const READY_WITHIN_MS = 20000;
  /** Prefix of a payment's id in the id of its poll. */
  const POLL_ID = "external_authentication_";
  /** What a group can create, and the card's part that an element is, if it is only one. */
  const KINDS = ["payment", "card", "cardNumber", "cardExpiry", "cardCvc", "expressCheckout", "googlePay", "applePay",
    "payPal", "samsungPay", "klarna", "paze", "paymentMethodsManagement"];
  const PARTS = ["cardExpiry", "cardCvc"];

  /** @param {string} type @param {string} message @returns {Failed} */
  const failed = (type, message) => ({submitSuccessful: false, error: {type, message}});
  const never = () => new Promise(() => {});
  /** @param {unknown} value @returns {Bag} */
  const bag = value => (value && typeof value === "object" ? /** @type {Bag} */ (value) : {});

  // calls of the API that carry no card data; the frames make the others

  /** @param {Shop} shop @param {string} method @param {string} path @param {Bag} [body] */
  async function call(shop, method, path, body) {
    const headers = {"api-key": shop.key, "x-client-source": "checkout", ...(body && {"Content-Type": "application/json"})};
    const answer = await fetch(shop.home + path, {method, headers, body: body && JSON.stringify(body)});
    return bag(await answer.json());
  }

  /** @param {string} secret */
  const paymentOf = secret => secret.slice(0, secret.lastIndexOf("_secret"));

  /** A payment by its client secret. @param {Shop} shop @param {string} secret @returns {Promise<Bag>} */
  const retrieve = (shop, secret) =>
    call(shop, "GET", `/payments/${encodeURIComponent(paymentOf(secret))}?client_secret=${encodeURIComponent(secret)}`);

  // where the customer goes

  /** Leaves the page; only for addresses of the web. @param {string} address */
  function leave(address) {
    const to = new URL(address, location.href);
    if (!["http:", "https:"].includes(to.protocol)) throw new Error("A return address begins with http or https.");
    location.assign(to.href);
    return never();
  }

  /** @param {string} address @param {Bag} payment */
  function backTo(address, payment) {
    const to = new URL(address, location.href);
    to.searchParams.set("status", payment.status);
    to.searchParams.set("payment_id", payment.payment_id);
    to.searchParams.set("payment_intent_client_secret", payment.client_secret);
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
    return new Promise((resolve, reject) => {
      const before = document.activeElement;
      const dialog = document.createElement("div");
      dialog.setAttribute("role", "dialog");
      dialog.setAttribute("aria-modal", "true");
      dialog.setAttribute("aria-label", "Confirm the payment");
      dialog.dataset.testid = "checkout-challenge";
      Object.assign(dialog.style, {position: "fixed", inset: "0", zIndex: "2147483647", background: "rgba(10, 14, 20, .6)",
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
      let over = false;
      const end = (/** @type {Bag} */ now) => {
        over = true;
        dialog.remove();
        if (before instanceof HTMLElement) before.focus();
        resolve(now);
      };
      const look = async (/** @type {boolean} */ anyway) => {
        try {
          const now = await retrieve(shop, payment.client_secret);
          if (!over && (anyway || !WAITING.includes(now.status))) end(now);
        } catch (error) {
          if (anyway) { over = true; dialog.remove(); reject(error); }
        }
      };
      frame.addEventListener("load", () => look(false));
      close.addEventListener("click", () => look(true));
      dialog.addEventListener("keydown", event => { if (event.key === "Escape") look(true); });
      dialog.append(close, frame);
      document.body.append(dialog);
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
      await new Promise(resolve => setTimeout(resolve, LOOK_EVERY_MS));
      const closed = popup.closed, poll = await call(shop, "GET", `/poll/status/${POLL_ID}${payment.payment_id}`);
      if (closed || ["completed", "not_found"].includes(poll.status)) {
        popup.close();
        return retrieve(shop, payment.client_secret);
      }
    }
  }

  /**
   * From a confirmed payment to the shop's result: follows the bank's page, then redirects or resolves.
   * @param {Shop} shop @param {Bag} said the payment, or a failure
   * @param {{returnUrl: string, always: boolean}} way
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
    }
    const url = way.returnUrl || payment.return_url;
    return way.always && url ? backTo(url, payment) : payment;
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
      this.orders = 0;
      /** @type {Map<number, (said: Bag) => void>} */
      this.open = new Map();
      /** @type {(() => unknown) | undefined} */
      this.onClick = undefined;
      this.clicked = "";
      /** @type {ReturnType<typeof setTimeout> | undefined} */
      this.timer = undefined;
      // randomUUID is for secure pages alone; a shop under test may be served by plain HTTP under a name.
      this.name = `checkout-${crypto.getRandomValues(new Uint32Array(2)).join("-")}`;
      this.makeReady();
    }

    makeReady() {
      /** @type {(failure?: Failed) => void} */
      this.isReady = () => {};
      /** @type {Promise<Failed | void>} resolves once the form can be used, or with why it cannot */
      this.ready = new Promise(resolve => { this.isReady = resolve; });
    }

    /** Reports that the form has not loaded. If it loads later, it is `ready`. */
    late() {
      const failure = failed("load_error", `The payment form did not come from ${this.group.shop.home} within `
        + `${READY_WITHIN_MS / 1000} seconds. Is the address right, and do the page's policy and the network let it through?`);
      console.error(failure.error.message);
      this.isReady?.(failure);
      this.emit("loaderror", {elementType: this.kind, error: failure.error});
    }

    /** Whether its frame is on the page. */
    get here() { return Boolean(this.frame?.isConnected); }

    /** @param {string | Element} target */
    mount(target) {
      const place = typeof target === "string" ? document.querySelector(target) : target;
      if (!place) throw new Error(`There is nothing on the page to mount the ${this.kind} element in: ${target}`);
      if (this.here && this.frame?.parentElement === place) return;
      this.unmount();
      const frame = this.frame = document.createElement("iframe");
      frame.id = FRAME_ID + (place.id || this.name);
      frame.name = this.name;
      frame.title = this.kind === "paymentMethodsManagement" ? "Saved payment methods" : "Secure payment form";
      frame.allow = "payment";
      frame.src = `${this.group.shop.home}/checkout/frame?key=${encodeURIComponent(this.group.shop.key)}`;
      Object.assign(frame.style, {width: "100%", height: "0", border: "0", display: "block", colorScheme: "normal"});
      frame.addEventListener("load", () => this.begin(frame));
      place.replaceChildren(frame);
      this.timer = setTimeout(() => this.late(), READY_WITHIN_MS);
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
        env: String(options.env ?? "")};
      frame.contentWindow?.postMessage(JSON.parse(JSON.stringify(start)), new URL(home).origin, [port2]);
    }

    /** What the frame says. @param {Bag} said */
    told(said) {
      if (typeof said.height === "number" && this.frame) this.frame.style.height = `${Math.ceil(said.height)}px`;
      if (said.answer) {
        this.open.get(said.answer)?.(bag(said.result));
        this.open.delete(said.answer);
      }
      if (said.event === "ready") {
        clearTimeout(this.timer);
        this.isReady?.();
        this.ready = Promise.resolve();
      }
      if (said.clicked) this.pressed(said.clicked);
      if (said.event) this.emit(said.event, said.value);
    }

    /** @param {string} event @param {unknown} [value] */
    emit(event, value) { this.listeners[event]?.(value); }

    /** A button of ours was pressed: a wallet's, or the form's own. @param {string} what */
    async pressed(what) {
      this.emit("clickTriggered", {elementType: this.kind, value: {type: what}});
      await this.onClick?.();
      const {wallets, sdkHandleConfirmPayment, sdkHandleOneClickConfirmPayment} = this.options;
      const isOwn = what === "own", params = bag(bag(sdkHandleConfirmPayment).confirmParams);
      this.clicked = isOwn ? "" : what;
      if (!isOwn && sdkHandleOneClickConfirmPayment === false) return this.emit("confirmTriggered", {value: {type: what}});
      const returnUrl = params.return_url || bag(wallets).walletReturnUrl || "";
      this.emit("completeDoThis", await this.confirm({do: "confirm", method: this.clicked || undefined, returnUrl}, true));
    }

    /** @param {Order} order @param {boolean} always whether to go back to the shop with any result */
    async confirm(order, always) {
      const problem = await this.ready;
      if (problem) return problem;
      this.emit("confirmTriggered", {elementType: this.kind});
      return settle(this.group.shop, await this.ask(order), {returnUrl: order.returnUrl ?? "", always});
    }

    /** Asks the frame once it is there, and waits for its answer. @param {Bag} order @returns {Promise<Bag>} */
    async ask(order) {
      return (await this.ready) ?? new Promise(resolve => {
        this.open.set(++this.orders, resolve);
        this.say({...order, id: this.orders});
      });
    }

    /** @param {Bag} order */
    say(order) { this.port?.postMessage(order); }

    unmount() {
      this.port?.close();
      this.frame?.remove();
      this.port = this.frame = null;
      clearTimeout(this.timer);
      const gone = failed("element_unmounted", "The form was taken off the page.");
      this.isReady?.(gone);
      for (const resolve of this.open.values()) resolve(gone);
      this.open.clear();
      this.makeReady();
    }

    /** What the shop holds. It may take the functions apart, so none of them asks for `this`. */
    get surface() {
      const to = (/** @type {string} */ what) => () => { this.frame?.focus(); this.say({do: what}); };
      return {
        mount: (/** @type {string | Element} */ target) => this.mount(target),
        unmount: () => this.unmount(),
        destroy: () => { this.unmount(); this.group.elements.delete(this.kind); },
        update: (/** @type {Bag} */ options) => {
          Object.assign(this.options, bag(options));
          this.say(JSON.parse(JSON.stringify({do: "update", options: this.options})));
        },
        on: (/** @type {string} */ event, /** @type {(value: any) => unknown} */ listener) => {
          if (typeof listener === "function") this.listeners[event] = listener;
          else delete this.listeners[event];
        },
        focus: to("focus"),
        blur: () => { this.say({do: "blur"}); this.frame?.blur(); },
        clear: () => this.say({do: "clear"}),
        collapse: () => this.say({do: "collapse"}),
        onSDKHandleClick: (/** @type {() => unknown} */ handler) => { this.onClick = handler; },
      };
    }
  }

  // a group of elements: those of one payment, or of one customer's saved methods

  class Group {
    /** @param {Shop} shop @param {Bag} options */
    constructor(shop, options) {
      this.shop = shop;
      this.options = options;
      /** @type {Map<string, Element_>} */
      this.elements = new Map();
      if (!options.clientSecret && options.sdkAuthorization) options.clientSecret = secretIn(options.sdkAuthorization);
    }

    /** @param {string} kind @param {Bag} [options] */
    create(kind, options) {
      if (!KINDS.includes(kind)) throw new Error(`There is no element "${kind}". There are: ${KINDS.join(", ")}.`);
      // One of a kind, as its events are: React's components listen on one object and mount another.
      let element = this.elements.get(kind);
      if (element) {
        if (JSON.stringify(bag(options)) !== JSON.stringify(element.options)) element.surface.update(bag(options));
      } else {
        this.elements.set(kind, element = new Element_(this, kind, {...bag(options)}));
      }
      return element.surface;
    }

    /** @param {Bag} options */
    update(options) {
      Object.assign(this.options, bag(options));
      const group = JSON.parse(JSON.stringify(this.options));
      for (const element of this.elements.values()) element.say({do: "update", group});
    }

    /** Lets the frames ask again for what can be paid with. */
    async fetchUpdates() {
      const here = [...this.elements.values()].filter(element => element.here);
      const said = await Promise.all(here.map(element => element.ask({do: "load"})));
      return said.find(one => one.error) ?? {};
    }

    /** The element that takes the customer's choice; the card's own parts speak through its number. */
    get form() {
      const here = [...this.elements.values()].filter(element => element.here && !PARTS.includes(element.kind));
      return here.find(element => element.clicked) ?? here.find(element => element.kind === "payment") ?? here[0];
    }

    /** @param {Partial<Order>} order @param {boolean} always @returns {Promise<any>} */
    async confirm(order, always) {
      const form = this.form;
      if (!form) return failed("validation_error", "No element is mounted: create one and mount it before you confirm.");
      const parts = PARTS.flatMap(kind => this.elements.get(kind) ?? []).filter(element => element.here);
      const problem = (await Promise.all(parts.map(element => element.ready))).find(Boolean);
      if (problem) return problem;
      const method = form.clicked || undefined;
      form.clicked = "";
      return form.confirm({do: "confirm", method, with: parts.map(element => element.name), ...order}, always);
    }

    get surface() {
      return {
        options: this.options,
        create: this.create.bind(this),
        getElement: (/** @type {string} */ kind) => this.elements.get(kind)?.surface ?? null,
        update: this.update.bind(this),
        fetchUpdates: this.fetchUpdates.bind(this),
      };
    }
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

  // saved methods without a form

  /** @param {Shop} shop @param {string} secret */
  async function savedMethods(shop, secret) {
    const said = await call(shop, "GET", `/customers/payment_methods?client_secret=${encodeURIComponent(secret)}`);
    if (said.error) return said;
    /** @type {Bag[]} */
    const all = said.customer_payment_methods ?? [];
    const none = (/** @type {string} */ which) => failed("no_data", `There is no ${which} saved payment method.`);
    const standard = () => all.find(one => one.default_payment_method_set) ?? none("default");
    const latest = () => [...all].sort((a, b) => String(b.last_used_at).localeCompare(String(a.last_used_at)))[0] ?? none("last used");
    const payBy = (/** @type {() => Bag} */ choose) => async (/** @type {Bag} */ payload) => {
      const chosen = choose(), {returnUrl, always} = wayOf(payload);
      if (chosen.error) return chosen;
      const body = {client_secret: secret, payment_method: chosen.payment_method, payment_token: chosen.payment_token,
        ...(chosen.payment_method_type && {payment_method_type: chosen.payment_method_type}),
        ...(returnUrl && {return_url: returnUrl})};
      try {
        const answer = await call(shop, "POST", `/payments/${encodeURIComponent(paymentOf(secret))}/confirm`, body);
        return settle(shop, answer.error ? failed(answer.error.type, answer.error.message) : answer, {returnUrl, always});
      } catch {
        return failed("server_error", "Something went wrong");
      }
    };
    return {
      getCustomerDefaultSavedPaymentMethodData: standard,
      getCustomerLastUsedPaymentMethodData: latest,
      confirmWithCustomerDefaultPaymentMethod: payBy(standard),
      confirmWithLastUsedPaymentMethod: payBy(latest),
    };
  }

  /** The shop's options for the return. @param {Bag} payload */
  function wayOf(payload) {
    const {confirmParams, redirect} = bag(payload);
    return {returnUrl: String(bag(confirmParams).return_url ?? ""), always: redirect === "always"};
  }

  // what the page gets

  /** @param {string | Bag} keys @param {Bag} [options] */
  function Hyper(keys, options) {
    const key = typeof keys === "string" ? keys : String(bag(keys).publishableKey ?? "");
    if (!key.startsWith("pk_")) console.error("Hyper() takes a publishable key: one that begins with pk_snd_.");
    const given = bag(options), backend = given.customBackendUrl || bag(bag(keys).customEndpoints).customBackendEndpoint;
    /** @type {Shop} */
    const shop = {key, home: backend ? new URL(backend, location.href).origin : OWN_ORIGIN, options: given};
    /** @type {Group | null} */
    let group = null;
    const elements = (/** @type {Bag} */ options) => (group = new Group(shop, {...bag(options)})).surface;
    const nothing = failed("validation_error", "Call elements() and mount an element before you confirm.");
    return {
      elements,
      widgets: elements,
      paymentMethodsManagementElements: (/** @type {Bag} */ options) => new Group(shop, {...bag(options)}).surface,
      confirmPayment: async (/** @type {Bag} */ payload) => {
        const {returnUrl, always} = wayOf(payload);
        return group ? group.confirm({returnUrl}, always) : nothing;
      },
      confirmOneClickPayment: async (/** @type {Bag} */ payload, /** @type {boolean} */ goOn = true) => {
        const {returnUrl, always} = wayOf(payload);
        if (!group?.form?.clicked) return failed("validation_error", "No wallet's button was pressed.");
        if (goOn) return group.confirm({returnUrl}, always);
        group.form.clicked = "";
        return failed("cancelled", "The shop did not go on with the wallet.");
      },
      confirmCardPayment: async (/** @type {string} */ clientSecret, /** @type {Bag} */ data) => {
        const returnUrl = String(bag(data).return_url ?? "");
        const said = group ? await group.confirm({clientSecret, returnUrl}, Boolean(returnUrl)) : nothing;
        return said.error ? said : {submitSuccessful: true, data: said};
      },
      confirmTokenization: async () =>
        failed("not_supported", "Methods are saved here by a payment; the sandbox saves none from a form alone."),
      retrievePaymentIntent: async (/** @type {string} */ secret) => {
        const said = await retrieve(shop, secret.includes("_secret") ? secret : secretIn(secret));
        return said.error ? null : {paymentIntent: said};
      },
      paymentRequest: (/** @type {Bag} */ options) => {
        const {total, displayItems, currency} = bag(options);
        const amount = {currency: String(currency ?? "USD").toUpperCase(), value: String(bag(total).amount ?? 0)};
        const shown = {label: String(bag(total).label ?? "Total"), amount};
        if (!("PaymentRequest" in window)) return {canMakePayment: async () => false};
        return new PaymentRequest([{supportedMethods: "basic-card"}], {total: shown, displayItems});
      },
      initPaymentSession: (/** @type {Bag} */ options) => {
        const {clientSecret, sdkAuthorization} = bag(options);
        const secret = String(clientSecret || secretIn(String(sdkAuthorization ?? "")));
        return {getCustomerSavedPaymentMethods: () => savedMethods(shop, secret)};
      },
      initiateUpdateIntent: async () => ({updateInitiated: true}),
      completeUpdateIntent: async () => {
        await group?.fetchUpdates();
        return {updateCompleted: true};
      },
    };
  }
  Hyper.init = Hyper;
  Object.assign(window, {Hyper, Stripe: /** @type {Bag} */ (/** @type {unknown} */ (window)).Stripe ?? Hyper});
})();
