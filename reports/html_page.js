
"use strict";
(() => {
  const all = (where, what) => Array.from(where.querySelectorAll(what));
  const byId = (id) => document.getElementById(id);
  const scenarios = all(document, "details.scenario");
  const rows = all(document, ".grid tbody tr");
  const buttons = all(document, "#filters button");
  const family = byId("family"), search = byId("search");
  const texts = new Map(scenarios.map((s) => [s, s.querySelector("summary").textContent.toLowerCase()]));

  // Texts come from a service under test: they are set as text, never as markup.
  const make = (name, attributes, text) => {
    const e = document.createElement(name);
    for (const [k, v] of Object.entries(attributes || {})) e.setAttribute(k, v);
    if (text !== undefined) e.textContent = text;
    return e;
  };
  const draw = (name, attributes, text) => {
    const e = document.createElementNS("http://www.w3.org/2000/svg", name);
    for (const [k, v] of Object.entries(attributes || {})) e.setAttribute(k, v);
    if (text !== undefined) e.textContent = text;
    return e;
  };

  // The filters, which stand in the address so that what is seen can be sent to somebody.
  const off = () => buttons.filter((b) => b.getAttribute("aria-pressed") === "false").map((b) => b.dataset.verdict);
  const apply = () => {
    const hidden = new Set(off()), words = search.value.toLowerCase().trim();
    const fits = (e, text) => !hidden.has(e.dataset.verdict) && (!family.value || e.dataset.family === family.value) && (!words || text.includes(words));
    let n = 0;
    for (const s of scenarios) {
      s.hidden = !fits(s, texts.get(s));
      if (!s.hidden) n++;
    }
    for (const r of rows) r.hidden = !fits(r, r.firstElementChild.textContent.toLowerCase());
    byId("shown").textContent = n + " of " + scenarios.length + " shown";
    byId("none").hidden = n > 0;
  };
  const remember = () => {
    const p = new URLSearchParams();
    if (off().length) p.set("hide", off().join(","));
    if (family.value) p.set("family", family.value);
    if (search.value) p.set("text", search.value);
    history.replaceState(null, "", "#" + p.toString());
  };
  const recall = () => {
    const hash = location.hash.slice(1);
    const target = hash.startsWith("s-") ? byId(decodeURIComponent(hash)) : null;
    if (target) {
      for (const b of buttons) if (b.dataset.verdict === target.dataset.verdict) b.setAttribute("aria-pressed", "true");
      if (family.value !== target.dataset.family) family.value = "";
      search.value = "";
      apply();
      target.open = true;
      target.scrollIntoView();
      return;
    }
    const p = new URLSearchParams(hash), hide = (p.get("hide") || "").split(",");
    for (const b of buttons) b.setAttribute("aria-pressed", String(!hide.includes(b.dataset.verdict)));
    family.value = p.get("family") || "";
    if (family.selectedIndex < 0) family.value = "";
    search.value = p.get("text") || "";
    apply();
  };
  for (const b of buttons) b.addEventListener("click", () => {
    b.setAttribute("aria-pressed", String(b.getAttribute("aria-pressed") === "false"));
    apply();
    remember();
  });
  for (const e of [family, search]) e.addEventListener("input", () => { apply(); remember(); });
  byId("filters").addEventListener("submit", (e) => e.preventDefault());
  window.addEventListener("hashchange", recall);

  // A time line: lanes from the customer inwards, faults in force as bands, and every event as a dot with its line below.
  const lanes = ["client", "service", "bank", "callback", "queue", "database"];
  const left = 74, right = 12, top = 30, lane = 30, height = top + lanes.length * lane + 24;
  const seconds = (ms) => (ms / 1000).toFixed(3);
  const step = (span, room) => {
    const raw = span / Math.max(2, Math.min(8, room / 110)), base = Math.pow(10, Math.floor(Math.log10(raw)));
    return base * [1, 2, 5, 10].find((f) => base * f >= raw);
  };
  const timeline = (payment, width) => {
    const events = payment.events.slice().sort((a, b) => a.at - b.at);
    const own = events.filter((e) => e.lane && e.lane !== "service");
    const about = own.length ? own : events;
    if (!about.length) return make("p", {}, "Order " + payment.order + ": nothing was seen of it.");
    let from = about[0].at, to = Math.max(about[about.length - 1].at, from + 1);
    const margin = (to - from) * 0.04;
    const home = [Math.max(0, from - margin), to + margin];
    [from, to] = home;
    const figure = make("figure", { class: "timeline" }), caption = make("figcaption", {}, "Order " + payment.order);
    const plot = make("div", { class: "plot" }), list = make("ol", { class: "events" });
    const items = events.map((e) => {
      const li = make("li", { class: (e.fault ? "fault " : "") + (e.log ? "log" : "") });
      li.append(make("span", { class: "t" }, seconds(e.at)), make("span", { class: "w" }, (e.fault ? "▓ " : "") + e.who), make("span", {}, e.what));
      list.append(li);
      return li;
    });
    if (payment.cut) list.append(make("li", {}, "… and " + payment.cut + " further"));
    const pick = (i) => {
      for (const e of all(figure, ".picked")) e.classList.remove("picked");
      items[i].classList.add("picked");
      list.scrollTop = items[i].offsetTop - list.offsetTop - 60;
      const dot = plot.querySelector("[data-i='" + i + "']");
      if (dot) dot.classList.add("picked");
    };
    items.forEach((li, i) => li.addEventListener("click", () => pick(i)));
    const x = (at) => left + (at - from) / (to - from) * (width - left - right);
    const paint = () => {
      const svg = draw("svg", { viewBox: "0 0 " + width + " " + height, role: "img" });
      svg.append(draw("title", {}, "time line of order " + payment.order));
      const clip = "clip" + Math.random().toString(36).slice(2);
      const defs = draw("defs"), path = draw("clipPath", { id: clip });
      path.append(draw("rect", { x: left - 6, y: 0, width: width - left - right + 12, height: height }));
      defs.append(path);
      const inside = draw("g", { "clip-path": "url(#" + clip + ")" });
      svg.append(defs, inside);
      const gap = step(to - from, width);
      for (let at = Math.ceil(from / gap) * gap; at <= to; at += gap) {
        inside.append(draw("line", { class: "tick", x1: x(at), x2: x(at), y1: top, y2: height - 22 }));
        inside.append(draw("text", { x: x(at), y: height - 8, "text-anchor": "middle" }, seconds(at)));
      }
      payment.bands.forEach((b, i) => {
        if (b.to < from || b.from > to) return;
        const begin = Math.max(x(b.from), left - 6), end = Math.min(x(b.to), width - right + 6);
        const r = draw("rect", { class: "band", x: begin, y: top - 6, width: Math.max(end - begin, 2), height: lanes.length * lane + 8 });
        r.append(draw("title", {}, b.name + ": " + b.text));
        inside.append(r, draw("text", { class: "bandname", x: begin + 3, y: 11 + (i % 2) * 12 }, "▓ " + b.name));
      });
      lanes.forEach((name, i) => {
        const y = top + i * lane + lane / 2;
        inside.append(draw("line", { class: "lane", x1: left, x2: width - right, y1: y, y2: y }));
        svg.append(draw("text", { class: "lanename", x: 4, y: y + 4 }, name));
      });
      events.forEach((e, i) => {
        if (e.at < from || e.at > to) return;
        const row = Math.max(lanes.indexOf(e.lane), 0);
        const y = e.lane ? top + row * lane + lane / 2 : top - 4;
        const dot = e.fault
          ? draw("path", { class: "dot fault", "data-i": i, d: "M" + x(e.at) + " " + (y - 7) + "l7 7l-7 7l-7 -7z" })
          : draw("circle", { class: "dot" + (e.log ? " log" : ""), "data-i": i, cx: x(e.at), cy: y + (e.log ? 8 : 0), r: e.log ? 3 : 5 });
        dot.append(draw("title", {}, seconds(e.at) + " s  " + e.who + ": " + e.what));
        dot.addEventListener("click", () => pick(i));
        inside.append(dot);
      });
      plot.replaceChildren(svg);
    };
    const zoom = (factor, at) => {
      const centre = at === undefined ? (from + to) / 2 : at;
      const span = Math.min(Math.max((to - from) * factor, 1), (home[1] - home[0]) * 4);
      from = Math.max(centre - (centre - from) / (to - from) * span, 0);
      to = from + span;
      paint();
    };
    const move = (share) => {
      const by = Math.max((to - from) * share, -from);
      from += by;
      to += by;
      paint();
    };
    for (const [text, label, act] of [["+", "zoom in", () => zoom(0.5)], ["−", "zoom out", () => zoom(2)], ["◀", "earlier", () => move(-0.3)],
      ["▶", "later", () => move(0.3)], ["whole", "the whole payment", () => { [from, to] = home; paint(); }]]) {
      const b = make("button", { type: "button", "aria-label": label, title: label }, text);
      b.addEventListener("click", act);
      caption.append(b);
    }
    plot.addEventListener("wheel", (e) => {
      if (!e.ctrlKey && !e.shiftKey) return;
      e.preventDefault();
      const box = plot.getBoundingClientRect(), share = ((e.clientX - box.left) / box.width * width - left) / (width - left - right);
      zoom(e.deltaY > 0 || e.deltaX > 0 ? 1.25 : 0.8, from + (to - from) * share);
    }, { passive: false });
    let grip = null;
    plot.addEventListener("pointerdown", (e) => { grip = e.clientX; });
    plot.addEventListener("pointermove", (e) => {
      if (grip === null || !e.buttons || Math.abs(e.clientX - grip) < 8) return;
      move((grip - e.clientX) / plot.getBoundingClientRect().width);
      grip = e.clientX;
    });
    window.addEventListener("pointerup", () => { grip = null; });
    paint();
    figure.append(caption, plot, list);
    return figure;
  };

  // Time lines are drawn when they are first looked at: a page of hundreds opens at once.
  const unfold = (details) => {
    for (const holder of all(details, ".timelines")) {
      const data = holder.querySelector("script");
      if (!data) continue;
      const payments = JSON.parse(data.textContent);
      const width = Math.min(Math.max(holder.clientWidth - 2, 320), 1200) || 800;
      holder.replaceChildren(...payments.map((p) => timeline(p, width)));
    }
  };
  for (const s of scenarios) {
    s.addEventListener("toggle", () => { if (s.open) unfold(s); });
    if (s.open) unfold(s);
  }
  window.addEventListener("beforeprint", () => {
    for (const s of scenarios) if (s.dataset.verdict === "fail" && !s.hidden) { s.open = true; unfold(s); }
  });
  recall();
})();
