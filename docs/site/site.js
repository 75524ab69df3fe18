/* A table that is wider than the page scrolls inside itself. Where it does, it is reached by the keyboard and bears the
   name of the heading above it; where it does not, it is no stop on the way. */
(() => {
  const BOX = ".md-typeset__scrollwrap"; // the theme puts it around each table, some time after the page is there

  const heading = box => {
    for (let place = box; place; place = place.previousElementSibling || place.parentElement) {
      if (/^H[1-6]$/.test(place.tagName)) {
        const words = [...place.childNodes].filter(part => part.className !== "headerlink");
        return words.map(part => part.textContent).join("").trim();
      }
    }
    return document.title;
  };

  const settle = box => {
    const scrolls = box.scrollWidth > box.clientWidth;
    const said = scrolls ? { tabindex: "0", role: "region", "aria-label": `Table: ${heading(box)}` } : {};
    for (const name of ["tabindex", "role", "aria-label"]) {
      if (name in said) box.setAttribute(name, said[name]);
      else box.removeAttribute(name);
    }
  };

  const sizes = new ResizeObserver(seen => seen.forEach(one => settle(one.target)));
  const watch = () => document.querySelectorAll(BOX).forEach(box => sizes.observe(box));
  new MutationObserver(watch).observe(document.body, { childList: true, subtree: true });
  watch();
})();
