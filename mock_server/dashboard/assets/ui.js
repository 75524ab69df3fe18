// What makes the dashboard livelier; without it every page and button works all the same.
"use strict";
(() => {
  const said = () => document.getElementById("said");
  const tell = text => { said().textContent = ""; setTimeout(() => { said().textContent = text; }, 50); };

  // copying
  const copyOld = text => {
    const box = document.createElement("textarea");
    box.value = text;
    box.className = "hidden";
    document.body.append(box);
    box.select();
    document.execCommand("copy");
    box.remove();
  };
  const copy = async (text, from) => {
    try { await navigator.clipboard.writeText(text); } catch { copyOld(text); from.focus(); }
    from.classList.add("copied");
    tell("Copied");
    setTimeout(() => from.classList.remove("copied"), 1500);
  };

  // putting a newer page in the place of the one that is shown
  const parse = text => new DOMParser().parseFromString(text, "text/html");
  const keepOpen = (old, fresh) => {
    for (const one of old.querySelectorAll("details[open]")) {
      const twin = one.id ? fresh.querySelector(`#${CSS.escape(one.id)}`)
        : [...fresh.querySelectorAll("details")].find(other => other.className === one.className
          && other.querySelector("summary").textContent === one.querySelector("summary").textContent
          && other.parentElement?.dataset.testid === one.parentElement?.dataset.testid);
      if (twin) twin.open = true;
    }
  };
  const focusOf = part => {
    const here = document.activeElement;
    if (!part.contains(here) || here === part) return null;
    const all = [...part.querySelectorAll("a, button, input, select, summary, [tabindex]")];
    return { at: all.indexOf(here), href: here.getAttribute("href"), name: here.name, value: here.value };
  };
  const refocus = (part, was) => {
    if (!was) return;
    const all = [...part.querySelectorAll("a, button, input, select, summary, [tabindex]")];
    const twin = (was.href && all.find(one => one.getAttribute("href") === was.href)) || all[was.at];
    if (!twin) return;
    twin.focus({ preventScroll: true });
    if (was.name && twin.name === was.name && "value" in twin) twin.value = was.value;
  };
  const isBusy = part => {
    const here = document.activeElement;
    const isWritten = [...part.querySelectorAll("textarea")].some(one => one.value !== one.defaultValue);
    return isWritten || (part.contains(here) && /^(INPUT|SELECT|TEXTAREA)$/.test(here.tagName));
  };
  const putIn = page => {
    let changed = false;
    for (const part of document.querySelectorAll("[data-part]")) {
      const fresh = page.getElementById(part.id);
      if (!fresh || isBusy(part)) continue;
      keepOpen(part, fresh);
      if (part.innerHTML === fresh.innerHTML) continue;
      const was = focusOf(part);
      const known = new Set([...part.querySelectorAll("tbody a, .timeline b")].map(one => one.outerHTML));
      part.replaceChildren(...fresh.childNodes);
      for (const one of part.querySelectorAll("tbody a, .timeline b")) {
        if (!known.has(one.outerHTML)) one.closest("tr, li")?.classList.add("fresh");
      }
      refocus(part, was);
      changed = true;
    }
    const live = document.getElementById("live-state");
    if (live) live.hidden = false;
    document.dispatchEvent(new Event("part"));
    return changed;
  };

  // server-sent events
  let timer = 0, busy = false, again = false;
  const refresh = async () => {
    if (busy) { again = true; return; }
    busy = true;
    const began = performance.now();
    try {
      const answer = await fetch(location.href, { headers: { "X-Live": "1" } });
      if (answer.ok && putIn(parse(await answer.text()))) tell("Updated");
    } catch { /* the server is away; the next event brings it */ }
    busy = false;
    if (again) { again = false; clearTimeout(timer); timer = setTimeout(refresh, 100 + 2 * (performance.now() - began)); }
  };
  const listen = () => {
    const { live, seen } = document.body.dataset;
    if (!live || !window.EventSource) return;
    const source = new EventSource(`${live}?seen=${encodeURIComponent(seen)}`);
    const chip = document.getElementById("live-state");
    chip.hidden = false;
    source.addEventListener("changed", refresh);
    source.addEventListener("renewed", refresh);
    addEventListener("pagehide", () => source.close());
  };

  // buttons: the answer's page takes this one's place, and the address stays
  const send = async form => {
    const button = form.querySelector("button[type=submit]");
    button.setAttribute("aria-busy", "true");
    try {
      const answer = await fetch(form.getAttribute("action") || location.href, { method: "POST", body: new URLSearchParams(new FormData(form)) });
      const page = parse(await answer.text());
      const fresh = page.getElementById("content");
      keepOpen(document.getElementById("content"), fresh);
      document.getElementById("content").replaceWith(fresh);
      document.getElementById("state")?.replaceWith(page.getElementById("state"));
      const live = document.getElementById("live-state");
      if (live) live.hidden = false;
      document.title = page.title;
      const notice = fresh.querySelector(".notice");
      if (notice) { notice.tabIndex = -1; notice.focus(); notice.scrollIntoView({ block: "nearest" }); tell(notice.querySelector("strong").textContent); }
      document.dispatchEvent(new Event("part"));
    } catch { form.submit(); }
    button.removeAttribute("aria-busy");
  };

  // the command of a form follows its fields
  const read = { "": value => value, whole: value => (Number.isNaN(Number(value)) ? value : Number(value)), flag: value => value === "true",
    json: value => { try { return JSON.parse(value); } catch { return value; } } };
  const quoted = text => `'${text.replaceAll("'", "'\\''")}'`;
  const recompute = form => {
    const code = form.querySelector(".curl code");
    if (!code || form.querySelector("textarea")) return;
    const body = {};
    let name = null;
    for (const [field, value] of new FormData(form)) {
      const [path, kind = ""] = field.split(":");
      if (path === "arg.name") name = value;
      if (!path.startsWith("body.") || !value.trim()) continue;
      const parts = path.split(".").slice(1), last = parts.pop();
      parts.reduce((inner, part) => (inner[part] ??= {}), body)[last] = read[kind](value.trim());
    }
    let text = code.textContent.replace(/ -H '?content-type:.*$/s, "").trimEnd();
    if (name) text = text.replace(/(\/snapshots\/)[A-Za-z0-9_.-]*/, `$1${name}`);
    if (Object.keys(body).length) text += ` -H 'content-type: application/json' -d ${quoted(JSON.stringify(body))}`;
    code.textContent = text;
    form.querySelector(".curl .copy").dataset.copy = text;
  };

  // finding among what is shown
  const narrow = input => {
    const words = input.value.toLowerCase().split(/\s+/).filter(Boolean);
    let shown = 0;
    for (const row of document.querySelectorAll(input.dataset.filter)) {
      const text = row.textContent.toLowerCase();
      row.hidden = !words.every(word => text.includes(word));
      shown += !row.hidden;
    }
    tell(`${shown} found`);
  };
  const goTo = line => {
    const box = document.querySelector("textarea[name=text]");
    const lines = box.value.split("\n");
    const start = lines.slice(0, line - 1).join("\n").length + (line > 1);
    box.focus();
    box.setSelectionRange(start, start + (lines[line - 1] ?? "").length);
    box.scrollTop = (line - 4) * (box.scrollHeight / lines.length);
  };

  document.addEventListener("click", event => {
    const from = event.target.closest("[data-copy]");
    if (from) copy(from.dataset.copy, from);
    const place = event.target.closest("[data-line]");
    if (place) goTo(Number(place.dataset.line));
  });
  document.addEventListener("submit", event => {
    if (!event.target.matches("[data-act]")) return;
    event.preventDefault();
    send(event.target);
  });
  document.addEventListener("input", event => {
    if (event.target.matches("[data-filter]")) narrow(event.target);
    const form = event.target.closest("form.act");
    if (form) recompute(form);
  });
  document.addEventListener("keydown", event => {
    if (event.key !== "/" || event.ctrlKey || event.metaKey || /^(INPUT|SELECT|TEXTAREA)$/.test(document.activeElement.tagName)) return;
    const field = document.querySelector("[data-search]");
    if (field) { event.preventDefault(); field.focus(); }
  });
  listen();
})();
