// What the viewer leaves out for screen readers and keyboards, put right whenever it has drawn something.
"use strict";
(() => {
  const named = (name, text) => node => { node.setAttribute(name, text); };
  const without = name => node => { node.removeAttribute(name); };
  const MENDS = {
    "[aria-selected]:not([role])": node => {
      // an entry of a menu is the current one; only tabs and options can be selected
      node.setAttribute("aria-current", node.getAttribute("aria-selected"));
      node.removeAttribute("aria-selected");
    },
    "aside[role=navigation]": without("role"),
    "button[role=search]": node => { node.removeAttribute("role"); node.setAttribute("aria-label", "Search"); },
    ".scalar-code-copy:not([aria-label])": named("aria-label", "Copy"),
    "[role=textbox]:not([aria-label], [aria-labelledby])": named("aria-label", "Value"),
    "[role=tablist] button:not([role])": node => { node.setAttribute("role", "tab"); node.setAttribute("aria-selected", "false"); },
    ".client-libraries__select:not([aria-label])": named("aria-label", "More languages"),
    ".response-card[role=region]": named("role", "group"),
    "ul.endpoints:not([tabindex])": named("tabindex", "0"),
  };
  const mend = () => {
    for (const [which, change] of Object.entries(MENDS)) document.querySelectorAll(which).forEach(change);
  };
  new MutationObserver(mend).observe(document.documentElement, { childList: true, subtree: true, attributeFilter: ["aria-selected", "role"] });
})();
