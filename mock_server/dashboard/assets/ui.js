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
  // an id of which a page hides a part (masked.py)
  const restored = text => text.replace(/hidden\.((?:[a-p]{2})+)\./g, (_, pairs) => String.fromCharCode(...pairs.match(/../g)
    .map(([high, low]) => 16 * (high.charCodeAt(0) - 97) + low.charCodeAt(0) - 97)));
  const copy = async (text, from) => {
    try { await navigator.clipboard.writeText(text); } catch { copyOld(text); from.focus(); }
    from.classList.add("copied");
    tell("Copied");
    setTimeout(() => from.classList.remove("copied"), 1500);
  };

  const fetchCopy = async link => copy(await (await fetch(link.href)).text(), link);

  // pages as text
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
  // putting what is new into what is shown: a node that stays is kept, with its focus, its fold and what is selected
  // or written in it, which no newer text pushes away
  const FIELDS = "input, select, textarea";
  let isLate = false;
  const isHeld = node => {
    const picked = getSelection();
    const here = document.activeElement;
    return (!picked.isCollapsed && picked.containsNode(node, true))
      || (node.contains(here) && here.matches(FIELDS));
  };
  // what the answer to an act left there, and a text that was not kept, is not what the page says without it
  const isKept = node => node.nodeType === 1
    && (node.matches("section.notice, .unanswered, [data-kept]") || node.id === "write" && hasUnsaved(node));
  const OWN = new Set(["open", "hidden", "aria-busy"]); // attributes that the reader and this script set
  const keyOf = node => node.nodeType !== 1 ? node.nodeName
    : `${node.nodeName} ${node.id || node.dataset.testid || ""} ${node.getAttribute("href")
      || (/^(TR|LI)$/.test(node.nodeName) && node.querySelector("a")?.getAttribute("href")) || node.name || ""}`;
  const renew = (old, fresh) => {
    if (old.isEqualNode(fresh) || old.dataset?.loaded || isKept(old)) return false;
    if (old.nodeType !== 1 || old === document.activeElement && old.matches(FIELDS)) {
      if (isHeld(old)) { isLate = true; return false; }
      old.data = fresh.data;
      return true;
    }
    const isCopied = old.classList.contains("copied");
    for (const { name } of [...old.attributes]) if (!OWN.has(name) && !fresh.hasAttribute(name)) old.removeAttribute(name);
    for (const { name, value } of fresh.attributes) if (!OWN.has(name) && old.getAttribute(name) !== value) old.setAttribute(name, value);
    if (isCopied) old.classList.add("copied");
    return morph(old, fresh) && !old.matches("[data-ticks], [data-until], [data-near]");
  };
  const morph = (old, fresh) => {
    let changed = false;
    const waiting = new Map();
    for (const one of old.childNodes) waiting.set(keyOf(one), [...(waiting.get(keyOf(one)) ?? []), one]);
    const pairs = [...fresh.childNodes].map(next => [next, waiting.get(keyOf(next))?.shift()]);
    const staying = new Set();
    for (const one of [...waiting.values()].flat()) {
      if (isKept(one)) staying.add(one);
      else if (isHeld(one)) { isLate = true; staying.add(one); }
      else { one.remove(); changed = true; }
    }
    let at = old.firstChild;
    for (const [next, twin] of pairs) {
      if (!twin) {
        for (const row of next.nodeType === 1 ? [next, ...next.querySelectorAll("tr, li")] : []) {
          if (row.matches("tbody tr, .timeline > li")) row.classList.add("fresh");
        }
        old.insertBefore(next, at);
        changed = true;
        continue;
      }
      while (staying.has(at)) at = at.nextSibling;
      if (at === twin) at = at.nextSibling;
      else old.insertBefore(twin, at);
      changed = renew(twin, next) || changed;
    }
    return changed;
  };
  // rows do not move under who reads them: a row's own state changes where it stands, and new rows are counted, and
  // come when they are asked for, or when nobody has been in the list for some seconds
  const LEFT_MS = 2_000, TOUCHED_MS = 5_000, TOLD_EVERY_MS = 10_000;
  let isForced = false, readUntil = 0, isTouch = false, toldAt = 0, waking = 0;
  const LIST = "tbody, .workspaces", ROW = "tbody tr, .workspaces > li";
  const note = event => {
    isTouch = event.pointerType === "touch";
    if (event.target.closest?.(`${LIST}, #news`)) readUntil = Date.now() + (isTouch ? TOUCHED_MS : LEFT_MS);
  };
  for (const name of ["pointermove", "pointerdown", "pointerup"]) document.addEventListener(name, note, { passive: true });
  const isRead = list => {
    const picked = getSelection();
    return Boolean(list) && (Date.now() < readUntil || !isTouch && list.matches(":hover") || list.contains(document.activeElement)
      || !picked.isCollapsed && picked.containsNode(list, true) || list.getBoundingClientRect().top < 0);
  };
  const rowsOf = part => new Map([...part.querySelectorAll(ROW)].map(row => [row.querySelector("a[data-testid]")?.getAttribute("href"), row]).filter(one => one[0]));
  const totalOf = part => Number(part.querySelector("[data-total]")?.dataset.total ?? NaN);
  const waits = (part, fresh) => {
    if (isForced || !isRead(part.querySelector(LIST))) return false;
    const known = rowsOf(part), next = rowsOf(fresh);
    if ([...known.keys()].join() === [...next.keys()].join()) return false;
    const added = [...next.keys()].filter(one => !known.has(one)).length;
    for (const [href, row] of known) if (next.has(href)) renew(row, next.get(href));
    clearTimeout(waking);
    waking = setTimeout(refresh, LEFT_MS + 100);
    const count = totalOf(fresh) - totalOf(part) || added;
    if (!added) return true;
    const news = document.getElementById("news") ?? document.body.appendChild(document.createElement("button"));
    const more = added === next.size && !(totalOf(fresh) > totalOf(part)) ? "+" : "";
    Object.assign(news, { id: "news", type: "button", className: "main", textContent: `${count.toLocaleString("en")}${more} new` });
    news.dataset.testid = "news";
    if (Date.now() - toldAt > TOLD_EVERY_MS) { toldAt = Date.now(); tell(news.textContent); }
    return true;
  };
  const LIVE = ["space", "state", "content"];
  const putIn = page => {
    let changed = false;
    isLate = false;
    if (isForced) document.activeElement?.blur?.();
    for (const id of LIVE) {
      const part = document.getElementById(id), fresh = page.getElementById(id);
      if (!part || !fresh || waits(part, fresh)) continue;
      if (part.querySelector(LIST)) document.getElementById("news")?.remove();
      changed = morph(part, fresh) || changed;
    }
    document.title = page.title;
    count();
    isForced = false;
    return changed;
  };
  const release = () => { if (isLate && getSelection().isCollapsed && !document.activeElement?.matches(FIELDS)) refresh(); };
  document.addEventListener("selectionchange", release);
  document.addEventListener("focusout", () => setTimeout(release));

  // clocks that go: what the server said of now, and the time since
  const heardOf = new WeakMap();
  const shownSpan = ms => {
    const parts = [];
    for (const [size, name] of [[864e5, "d"], [36e5, "h"], [6e4, "min"], [1e3, "s"]]) {
      if (ms >= size) parts.push(`${Math.floor(ms / size)} ${name}`);
      ms %= size;
    }
    return parts.slice(0, 2).join(" ") || "now";
  };
  const near = ms => {
    if (ms <= -36e5 || ms > 31 * 864e5) return "";
    for (const [size, name] of [[864e5, "day"], [36e5, "hour"], [6e4, "minute"], [1e3, "second"]]) {
      const count = Math.floor((Math.abs(ms) + size / 20) / size), text = `${count} ${name}${count === 1 ? "" : "s"}`;
      if (count) return ms > 0 ? `in ${text}` : `${text} ago`;
    }
    return "now";
  };
  const put = (node, text) => { if (node.textContent !== text && !isHeld(node)) node.textContent = text; };
  const nowOf = clock => {
    const was = heardOf.get(clock);
    if (was?.iso === clock.dateTime) return was.now + Date.now() - was.heard;
    heardOf.set(clock, { iso: clock.dateTime, now: Date.parse(clock.dateTime), heard: Date.now() });
    return Date.parse(clock.dateTime);
  };
  const tick = () => {
    let now = 0;
    for (const clock of document.querySelectorAll("[data-ticks]")) {
      now = nowOf(clock);
      const iso = new Date(now).toISOString();
      put(clock.querySelector(".day"), iso.slice(0, 10));
      put(clock.querySelector(".clock-time"), iso.slice(11, 19));
    }
    for (const one of now ? document.querySelectorAll("[data-until]") : []) put(one, shownSpan(Date.parse(one.dataset.until) - now));
    for (const one of now ? document.querySelectorAll("[data-near]") : []) put(one, near(Date.parse(one.dataset.near) - now));
  };
  setInterval(tick, 250);
  tick();

  // whether the page hears of what happens: live, or trying to, or given up for the time being
  const STATES = { live: "live", paused: "paused", reconnecting: "reconnecting…", stopped: "stopped: the server does not answer", gone: "stopped: this workspace is gone", refused: "stopped: the server refuses this page; reload it" };
  const ANSWERED = { 403: "refused", 404: "gone" };
  let state = "";
  const become = next => {
    if (state === next) return;
    const chip = document.getElementById("live-state");
    chip.hidden = false;
    chip.className = `chip ${Object.values(ANSWERED).includes(next) ? "stopped" : next}`;
    chip.textContent = STATES[next];
    chip.title = next === "paused" ? "Continue" : "Pause";
    if (state) tell(next === "live" ? "Live again" : STATES[next]);
    state = next;
  };
  const SILENCE_MS = 40_000, GIVE_UP_MS = 30_000, ANSWER_MS = 5_000, SLOWEST_MS = 5_000;
  let source = null, silence = 0;
  // asks for what takes longer to make, too
  const LATER = { headers: { "X-Live": "1" } };
  // what was asked before an act's answer was put in is older than what is shown
  let acts = 0;
  const look = async () => {
    const before = acts;
    const answer = await fetch(location.href, { ...LATER, signal: AbortSignal.timeout(ANSWER_MS) });
    const page = parse(await answer.text());
    return { answer, page, isOld: before !== acts };
  };
  const listen = seen => {
    const { live } = document.body.dataset;
    if (!live || !window.EventSource) return;
    let heard = false;
    const mine = source = new EventSource(`${live}?seen=${encodeURIComponent(seen)}`);
    const hear = isNews => {
      heard = true;
      clearTimeout(silence);
      silence = setTimeout(lost, SILENCE_MS);
      become("live");
      if (isNews) refresh();
    };
    for (const name of ["changed", "renewed", "hello", "quiet"]) mine.addEventListener(name, () => hear(name === "changed" || name === "renewed"));
    // each answer ends with its event, and the browser comes back by itself; an end without one is none of ours
    mine.addEventListener("error", () => {
      if (heard && mine.readyState !== EventSource.CLOSED) heard = false;
      else if (source === mine) lost();
    });
    silence = setTimeout(lost, SILENCE_MS);
  };
  const hush = () => { source?.close(); source = null; clearTimeout(silence); };
  let since = 0;
  const lost = () => {
    if (state === "paused") return;
    hush();
    become("reconnecting");
    since = Date.now();
    comeBack(500);
  };
  const pause = () => {
    if (state === "paused") { state = ""; lost(); return; }
    hush();
    become("paused");
  };
  const comeBack = wait => setTimeout(async () => {
    if (state === "paused") return;
    try {
      const { answer, page, isOld } = await look();
      if (page.body.dataset.live) {
        if (!isOld) putIn(page);
        become("live");
        listen(page.body.dataset.seen);
        return;
      }
      // a server that was started again has it after its client's next call
      const no = ANSWERED[answer.status];
      if (no) { become(no); since = Date.now(); }
    } catch { /* not there yet */ }
    if (Date.now() - since > GIVE_UP_MS) become("stopped");
    comeBack(Math.min(wait * 2, SLOWEST_MS));
  }, wait);

  let timer = 0, busy = false, again = false;
  const refresh = async () => {
    if (busy) { again = true; return; }
    busy = true;
    const began = performance.now();
    try {
      const { page, isOld } = await look();
      if (isOld) again = true;
      else if (page.body.dataset.live && putIn(page) && Date.now() - toldAt > TOLD_EVERY_MS) { toldAt = Date.now(); tell("Updated"); }
    } catch { /* the server is away, which the next event that does not come will show */ }
    busy = false;
    if (again) { again = false; clearTimeout(timer); timer = setTimeout(refresh, 100 + 2 * (performance.now() - began)); }
  };

  // what takes longer to count than the page; what happens meanwhile is counted next
  let counting = false, recount = false;
  const count = async () => {
    if (counting) { recount = true; return; }
    counting = true;
    do {
      recount = false;
      const began = performance.now();
      for (const box of document.querySelectorAll("[data-later]")) {
        box.dataset.loaded = "1";
        try {
          const found = parse(await (await fetch(box.dataset.later, LATER)).text()).querySelector("[data-testid=summary]");
          put(box, found?.textContent ?? "nothing to check yet");
        } catch { delete box.dataset.loaded; }
      }
      if (recount) await new Promise(done => setTimeout(done, 1_000 + 20 * (performance.now() - began))); // a verdict is work
    } while (recount);
    counting = false;
  };

  // the same page at another step
  const swap = async link => {
    history.replaceState(null, "", link.href);
    isForced = true;
    const { page } = await look();
    putIn(page);
    tell(document.getElementById("state-card")?.querySelector("h2").textContent);
  };

  // what was typed into the other forms of a page stays, too
  const keepTyped = (old, fresh, sent) => {
    const twins = [...fresh.querySelectorAll("form")];
    for (const form of old.querySelectorAll("form")) {
      const twin = form === sent ? null : twins.find(one => one.dataset.testid === form.dataset.testid && one.elements.form?.value === form.elements.form?.value);
      for (const box of twin ? form.elements : []) {
        const other = twin.elements[box.name];
        if (!other?.matches?.(FIELDS) || box.type === "hidden" || other.options && ![...other.options].some(one => one.value === box.value)) continue;
        if (box.type === "checkbox" ? box.checked !== box.defaultChecked : box.value !== box.defaultValue) Object.assign(other, { value: box.value, checked: box.checked });
      }
    }
  };

  // buttons: the answer's page takes this one's place; the address stays, unless the page has become another
  const send = async (form, by) => {
    if (form.querySelector("[aria-busy]")) return; // pressed twice, and meant once
    const button = by ?? form.querySelector("button[type=submit]");
    button.setAttribute("aria-busy", "true");
    try {
      const answer = await fetch(form.getAttribute("action") || location.href, { method: "POST", body: new URLSearchParams(new FormData(form, by)) });
      const page = parse(await answer.text());
      const fresh = page.getElementById("content");
      if (!page.body.dataset.live) throw Error(page.querySelector("h1").textContent); // not a page of this workspace
      acts += 1;
      keepOpen(document.getElementById("content"), fresh);
      keepTyped(document.getElementById("content"), fresh, form);
      document.getElementById("content").replaceWith(fresh);
      const clock = page.getElementById("state");
      if (clock) document.getElementById("state")?.replaceWith(clock);
      document.title = page.title;
      const { pathname } = new URL(answer.url);
      if (pathname !== location.pathname) history.replaceState(null, "", pathname);
      const notice = fresh.querySelector(".notice");
      if (notice) { notice.tabIndex = -1; notice.focus(); notice.scrollIntoView({ block: "nearest" }); tell(notice.querySelector("strong").textContent); }
      tick();
      count();
    } catch (error) { unanswered(form, error instanceof TypeError ? "The server did not answer" : `Not done: ${error.message}`); }
    button.removeAttribute("aria-busy");
  };
  const unanswered = (form, why) => {
    const notice = form.querySelector(".unanswered") ?? form.appendChild(document.createElement("p"));
    notice.className = "problem unanswered";
    notice.dataset.testid = "unanswered";
    notice.textContent = `${why}. Your input is kept.`;
    tell(notice.textContent);
    const link = Object.assign(document.createElement("a"), { href: location.href, target: "_blank", textContent: "Open this page in another tab" });
    if (why.startsWith("Not done")) notice.append(" ", link);
  };

  // a text that was written and not kept
  const isUnsaved = box => box.hasAttribute("data-unsaved") || box.value !== box.defaultValue;
  const hasUnsaved = part => [...part.querySelectorAll("textarea[name=text]")].some(isUnsaved);
  addEventListener("beforeunload", event => {
    if (hasUnsaved(document)) event.preventDefault();
  });

  // a scenario's text: what may stand at the caret, what the word means, and its mistakes while it is written
  const indentOf = line => line.search(/[^ -]|$/);
  const placeOf = box => {
    const lines = box.value.slice(0, box.selectionStart).split("\n"), line = lines.pop(), depth = indentOf(line);
    const parent = lines.findLast(one => one.trim() && !one.trim().startsWith("#") && indentOf(one) < depth && /:\s*$/.test(one));
    const inline = line.match(/([\w.]+):\s*\{[^}]*$/);
    const value = line.match(/([\w.]+):\s*([\w.]*)$/);
    return { word: line.match(/[\w.]*$/)[0], parent: inline?.[1] ?? parent?.match(/([\w.]+):\s*$/)?.[1] ?? "", of: value?.[1] };
  };
  const suggest = box => {
    const { keys, values } = JSON.parse(box.dataset.vocabulary), { word, parent, of } = placeOf(box);
    const below = keys[parent] ?? {}, known = of ? values[of] ?? [] : Object.keys(below);
    const row = document.getElementById("words"), hint = document.createElement("p");
    hint.textContent = (of ? below[of] ?? keys[""][of] : below[word]) ?? "";
    row.replaceChildren(...known.filter(one => one.startsWith(word) && one !== word).slice(0, 16).map(one => {
      const chip = document.createElement("button");
      Object.assign(chip, { type: "button", textContent: one, title: below[one] ?? "" });
      chip.addEventListener("click", () => {
        box.focus();
        box.setRangeText((of ? one : `${one}: `).slice(word.length), box.selectionStart, box.selectionStart, "end");
        box.dispatchEvent(new Event("input", { bubbles: true }));
      });
      return chip;
    }), hint);
  };
  let checking = 0;
  const check = box => {
    clearTimeout(checking);
    checking = setTimeout(async () => {
      const body = new URLSearchParams(new FormData(box.form));
      body.set("try", "check");
      try {
        const page = parse(await (await fetch(location.href, { method: "POST", body })).text());
        document.getElementById("checked").replaceChildren(...page.getElementById("checked").childNodes);
      } catch { /* said when it is saved */ }
    }, 300);
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
    if (from) copy(from.dataset.copy || restored(from.value ?? "") || (from.closest(".code")?.querySelector("pre") ?? from).textContent, from);
    const link = event.ctrlKey || event.metaKey || event.shiftKey ? null : event.target.closest("[data-swap], [data-copy-from]");
    if (link) { event.preventDefault(); (link.matches("[data-swap]") ? swap : fetchCopy)(link); }
    if (event.target.id === "live-state") pause();
    if (event.target.id === "news") { event.target.remove(); isForced = true; refresh(); }
    const place = event.target.closest("[data-line]");
    if (place) goTo(Number(place.dataset.line));
  });
  document.addEventListener("submit", event => {
    if (!event.target.matches("[data-act]")) return;
    event.preventDefault();
    send(event.target, event.submitter);
  });
  document.addEventListener("input", event => {
    if (event.target.matches("[data-filter]")) narrow(event.target);
    if (event.target.matches("[data-vocabulary]")) { suggest(event.target); check(event.target); }
  });
  // by keyboard: to the search, from row to row, and what the keys are
  const STOPS = "main tbody a[data-testid], .hits a, .timeline b a, .workspaces a";
  const step = by => {
    const stops = [...document.querySelectorAll(STOPS)].filter(one => one.offsetParent);
    const at = stops.indexOf(document.activeElement);
    stops[at < 0 ? (by > 0 ? 0 : stops.length - 1) : Math.min(stops.length - 1, Math.max(0, at + by))]?.focus();
  };
  const search = () => document.querySelector("main [data-search]") ?? document.querySelector("[data-search]");
  const KEYS = { "/": search, j: () => step(1), k: () => step(-1), "?": () => document.getElementById("keys").showModal() };
  document.addEventListener("keydown", event => {
    const isTop = (event.ctrlKey || event.metaKey) && event.key === "k";
    const turn = { ArrowLeft: "prev", ArrowRight: "next" }[event.key];
    const isTyping = event.ctrlKey || event.metaKey || event.altKey || document.activeElement.matches(FIELDS);
    if (turn && !isTyping) document.querySelector(`[data-swap][rel=${turn}]`)?.click();
    if (!isTop && (isTyping || !KEYS[event.key])) return;
    event.preventDefault();
    (isTop ? document.querySelector(".top [data-search]") : KEYS[event.key]())?.focus();
  });
  // who opened a row by keyboard goes on in its page
  const OPENED = "opened by keyboard";
  document.addEventListener("keydown", event => { if (event.key === "Enter" && event.target.matches(STOPS)) sessionStorage.setItem(OPENED, "1"); });
  if (sessionStorage.getItem(OPENED)) { sessionStorage.removeItem(OPENED); document.getElementById("content").focus(); }
  document.addEventListener("focusin", event => { if (event.target.matches("input[list]")) event.target.select(); });
  document.querySelector(".menu [aria-current]")?.scrollIntoView({ block: "nearest", inline: "center" });
  // a call's request and answer, opened where it stands
  document.addEventListener("toggle", async event => {
    const box = event.target, from = box.dataset?.load;
    if (!from || !box.open) return;
    delete box.dataset.load;
    box.dataset.loaded = "1";
    try {
      const page = parse(await (await fetch(from)).text());
      box.append(...page.querySelectorAll("#both"));
    } catch { box.dataset.load = from; delete box.dataset.loaded; }
  }, true);
  if (document.querySelector("[data-left]")) refresh();
  count();
  addEventListener("pagehide", hush);
  addEventListener("pageshow", event => { if (event.persisted) lost(); });
  if (document.body.dataset.live) { listen(document.body.dataset.seen); become("live"); }
})();
