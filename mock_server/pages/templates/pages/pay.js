// @ts-check
// The stand-in's form takes the plain one's place once it is drawn, unless the customer is busy with the plain one.
(() => {
  const {Hyper} = /** @type {any} */ (window), plain = document.forms[0];
  const box = /** @type {HTMLElement} */ (document.getElementById("checkout"));
  const place = /** @type {HTMLElement} */ (box.firstElementChild), button = /** @type {HTMLButtonElement} */ (box.lastElementChild);
  if (!Hyper) return;
  const {key, secret, hidden} = box.dataset;
  const hyper = Hyper(key, {redirectIn: "page", isLink: true});
  const theme = matchMedia("(prefers-color-scheme: dark)").matches ? "midnight" : "default";
  const element = hyper.elements({clientSecret: secret, appearance: {theme}}).create("payment", {
    hiddenPaymentMethods: (hidden ?? "").split(" "), sdkHandleOneClickConfirmPayment: false,
  });
  /** Pays what is shown; if that has changed, shows the page again. Whatever came of it, this page's own address knows
      how to go on, and why a payment failed. @param {() => Promise<unknown>} pay */
  const follow = async pay => {
    const {pathname} = location, {value} = /** @type {HTMLInputElement} */ (plain.elements.namedItem("shown"));
    const looking = {redirect: /** @type {const} */ ("manual"), headers: {"X-Sandbox-Look": value}};
    button.disabled = true;
    const isOld = await fetch(pathname, looking).then(answer => answer.status === 200, () => false);
    if (isOld) return location.replace(`?shown=${encodeURIComponent(value)}`);
    await pay();
    const shown = await fetch(pathname, {redirect: "manual"}).then(answer => answer.text(), () => null);
    const page = new DOMParser().parseFromString(shown ?? "", "text/html"), mistake = page.getElementById("mistake");
    if (shown !== null && !page.getElementById(box.id)) return location.replace(pathname);
    document.getElementById("mistake")?.remove();
    if (mistake) box.before(mistake);
    button.disabled = false;
  };
  element.on("ready", () => {
    const isDrawn = place.querySelector("iframe")?.contentDocument?.querySelector("input");
    if (!isDrawn || plain.matches(":focus-within")) element.destroy();
    else plain.hidden = !(box.hidden = false);
  });
  // Whoever presses a wallet's button is known to the script after this, not before.
  element.onSDKHandleClick(() => { setTimeout(() => follow(() => hyper.confirmOneClickPayment({}, true))); });
  button.addEventListener("click", () => follow(() => hyper.confirmPayment({})));
  addEventListener("pageshow", event => { if (event.persisted) location.reload(); });
  element.mount(`#${place.id}`);
})();
