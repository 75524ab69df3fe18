// @ts-check
/** Pieces of a page, made without markup in text, so that nothing that comes from outside is ever read as markup. */

/**
 * @param {string} tag @param {Record<string, unknown>} attributes false and undefined leave one out
 * @param {(Node | string)[]} children @returns {HTMLElement}
 */
export function show(tag, attributes = {}, ...children) {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (typeof value === "function") made.addEventListener(name, /** @type {EventListener} */ (value));
    else if (value !== false && value !== undefined) made.setAttribute(name, value === true ? "" : String(value));
  }
  made.append(...children);
  return made;
}

let made = 0;

/**
 * A labelled field with a place for what is wrong with it.
 * @param {string} text @param {Record<string, string>} attributes @param {string[]} [choices] makes it a choice
 */
export function field(text, attributes, choices) {
  const id = `field-${++made}`, told = `${id}-problem`;
  const options = choices?.map(one => show("option", {value: one}, one)) ?? [];
  const input = /** @type {HTMLInputElement} */ (
    show(choices ? "select" : "input", {id, "aria-describedby": told, ...attributes}, ...options));
  const problem = show("p", {class: "Error", id: told});
  const box = show("div", {class: "Field"}, show("label", {class: "Label", for: id}, text), input, problem);
  const say = (/** @type {string} */ what) => {
    problem.textContent = what;
    input.classList.toggle("Input--invalid", Boolean(what));
    if (what) input.setAttribute("aria-invalid", "true");
    else input.removeAttribute("aria-invalid");
  };
  return {box, input, say};
}

const VARIABLES = new Set(["colorPrimary", "colorBackground", "colorText", "colorTextSecondary", "colorDanger",
  "colorPrimaryText", "borderColor", "borderRadius", "fontFamily", "fontSizeBase", "spacingUnit", "buttonBackgroundColor",
  "buttonTextColor"]);
const CLASSES = [".Input", ".Input--invalid", ".Tab", ".Tab--selected", ".Label", ".Error", ".Block", ".Button", ".Field"];
const RULES = RegExp(`^(${CLASSES.join("|").replaceAll(".", "\\.")})(:(focus|hover|disabled|focus-visible))?$`);
const sheet = new CSSStyleSheet();
document.adoptedStyleSheets = [sheet];

/**
 * How a shop wants it to look: a theme, variables, rules for the classes above, and fonts. No font is for some letters
 * alone: which ones are asked for would tell a page what is typed.
 * @param {Record<string, any>} appearance @param {Record<string, string>[]} fonts @returns what of it there is not, and what there is
 */
export function dress(appearance, fonts) {
  document.fonts.clear();
  for (const {family, src, weight} of fonts) {
    if (family && src) document.fonts.add(new FontFace(family, src.includes("(") ? src : `url("${src}")`, {weight: String(weight ?? "normal")}));
  }
  const root = document.documentElement;
  root.dataset.theme = String(appearance.theme ?? "default");
  root.dataset.labels = String(appearance.labels ?? "above");
  root.removeAttribute("style");
  const unknown = [], {variables = {}, rules: given = {}} = appearance;
  for (const [name, value] of Object.entries(variables)) {
    if (VARIABLES.has(name)) root.style.setProperty(`--${name}`, String(value));
    else unknown.push({path: `appearance.variables.${name}`, has: [...VARIABLES]});
  }
  const rules = Object.entries(given).filter(([selector]) => RULES.test(selector));
  unknown.push(...Object.keys(given).filter(one => !RULES.test(one)).map(one => ({path: `appearance.rules.${one}`, has: CLASSES})));
  sheet.replaceSync(rules.map(([selector]) => `${selector} {}`).join("\n"));
  rules.forEach(([selector, declarations], at) => {
    const rule = /** @type {CSSStyleRule} */ (sheet.cssRules[at]);
    for (const [name, value] of Object.entries(declarations ?? {})) {
      const property = name.replace(/[A-Z]/g, letter => `-${letter.toLowerCase()}`);
      rule.style.setProperty(property, String(value));
      if (!(property in rule.style)) unknown.push({path: `appearance.rules.${selector}.${name}`, has: ["the browser's CSS properties"]});
    }
  });
  return unknown;
}
