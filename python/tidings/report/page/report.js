// Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0
"use strict";
(() => {
  const data = JSON.parse(document.getElementById("data").textContent);
  const arrays = { f8: Float64Array, u4: Uint32Array, u2: Uint16Array, u1: Uint8Array };
  const unpack = (packed) => {
    const text = atob(packed.base64);
    const bytes = new Uint8Array(text.length);
    for (let i = 0; i < text.length; ++i) bytes[i] = text.charCodeAt(i);
    return new arrays[packed.type](bytes.buffer);
  };
  const css = (name) => getComputedStyle(document.documentElement).getPropertyValue(name).trim();
  const dark = matchMedia("(prefers-color-scheme: dark)");

  // Colours that the colour-blind tell apart (Okabe and Ito).
  const operationColours = ["#0072B2", "#E69F00", "#009E73", "#CC79A7", "#56B4E9", "#8C6D46", "#F0E442"];
  const computeColour = data.colours.compute, stateColours = data.colours.states;
  const statePatterns = { "late sender": "/", "late receiver": "\\", "wait at a collective": "x", "transfer": "." };
  const cividis = ["#00224E", "#35456C", "#666970", "#948E77", "#C8B866", "#FEE838"];

  const unitOf = (picoseconds) => {
    for (const [unit, scale] of [["s", 1e12], ["ms", 1e9], ["us", 1e6]]) if (picoseconds >= scale) return [unit, scale];
    return ["ns", 1e3];
  };
  const time = (picoseconds) => {
    const [unit, scale] = unitOf(Math.abs(picoseconds));
    return `${(picoseconds / scale).toFixed(3)} ${unit}`;
  };
  const count = (number) => Math.round(number).toLocaleString("en");
  const colourOf = (run, operation) => operationColours[run.colours[operation] % operationColours.length];

  // ---------------------------------------------------------------- plots
  const drawn = [];
  // The library is large: it is executed when the first plot is drawn, so that the page opens without it.
  const library = () => {
    if (!window.Plotly) {
      const script = document.createElement("script");
      script.textContent = document.getElementById("plotly").textContent;
      document.head.append(script);
    }
    return window.Plotly;
  };
  const plot = (element, traces, layout) => {
    const draw = () => {
      const text = css("--text");
      const axis = { gridcolor: css("--line"), zerolinecolor: css("--line"), automargin: true };
      library().react(element, traces, {
        paper_bgcolor: "rgba(0,0,0,0)", plot_bgcolor: "rgba(0,0,0,0)", font: { color: text, size: 13 },
        margin: { l: 50, r: 10, t: 10, b: 45 }, legend: { orientation: "h", y: 1.02, yanchor: "bottom" }, hovermode: "closest",
        ...layout, xaxis: { ...axis, ...layout.xaxis }, yaxis: { ...axis, ...layout.yaxis },
      }, { responsive: true, displaylogo: false, displayModeBar: false });
    };
    draw();
    drawn.push(draw);
  };
  // What is not seen is not drawn.
  const seen = new IntersectionObserver((entries) => {
    for (const entry of entries) {
      if (!entry.isIntersecting || !entry.target.draw) continue;
      const draw = entry.target.draw;
      entry.target.draw = null;
      draw();
    }
  }, { rootMargin: "400px" });
  const whenSeen = (element, draw) => {
    if (!element) return;
    element.draw = draw;
    seen.observe(element);
  };

  const drawBars = (run, element) => {
    const [unit, scale] = unitOf(run.elapsed);
    const traces = run.table.columns.map((name, i) => ({
      type: "bar", name, x: run.table.values[i].map((_, rank) => rank), y: run.table.values[i].map((ps) => ps / scale),
      marker: name in stateColours
        ? { color: stateColours[name], pattern: { shape: statePatterns[name], fgcolor: "#000000", fillmode: "overlay", size: 6, solidity: .15 } }
        : { color: name === "compute" ? computeColour : colourOf(run, name) },
      hovertemplate: `rank %{x}: %{y:.3f} ${unit}<extra>${name}</extra>`,
    }));
    plot(element, traces, { barmode: "stack", bargap: 0.1, xaxis: { title: { text: "rank" } },
      yaxis: { title: { text: `time, ${unit}` } } });
  };

  const drawMatrix = (run, element, what) => {
    const z = Array.from({ length: run.ranks }, () => new Array(run.ranks).fill(null));
    for (const [sender, receiver, messages, bytes] of run.matrix)
      z[sender][receiver] = what === "bytes" ? bytes : messages;
    plot(element, [{ type: "heatmap", z, colorscale: "Cividis", colorbar: { thickness: 12 },
      hovertemplate: `from %{y} to %{x}: %{z:,} ${what}<extra></extra>` }],
    { xaxis: { title: { text: "receiver" } }, yaxis: { title: { text: "sender" }, autorange: "reversed" } });
  };

  const drawMessages = (run, element) => {
    const m = run.messages;
    const step = Math.max(1, Math.ceil(m.bytes.length / 4000));
    const kinds = { "of the program": { x: [], y: [] }, "of a collective": { x: [], y: [] } };
    for (let i = 0; i < m.bytes.length; i += step) {
      if (!(m.received[i] >= 0 && m.sent[i] >= 0)) continue;
      const kind = kinds[m.collective[i] ? "of a collective" : "of the program"];
      kind.x.push(Math.max(m.bytes[i], 0.5));
      kind.y.push((m.received[i] - m.sent[i]) / 1e6);
    }
    plot(element, Object.entries(kinds).filter(([, kind]) => kind.x.length).map(([name, kind], i) => ({
      type: "scatter", mode: "markers", name, ...kind,
      marker: { size: 6, opacity: .6, color: ["#0072B2", "#E69F00"][i], symbol: ["circle", "diamond"][i] },
      hovertemplate: "%{x:,} bytes, %{y:.3f} us<extra></extra>" })),
    { xaxis: { type: "log", title: { text: "bytes (0.5 stands for 0)" } },
      yaxis: { type: "log", title: { text: "from leaving to being received, us" } } });
  };

  const drawPath = (run, element) => {
    const rows = run.pathTable.slice(0, 12).reverse();
    const [unit, scale] = unitOf(run.elapsed);
    plot(element, [{ type: "bar", orientation: "h", y: rows.map((row) => row[0]), x: rows.map((row) => row[1] / scale),
      marker: { color: rows.map((row) => row[2] === "compute" ? computeColour : row[2] === "call" ? "#0072B2"
        : row[2] === "transfer" ? "#E69F00" : row[2] === "collective" ? "#882255" : "#D55E00") },
      hovertemplate: `%{x:.3f} ${unit}<extra></extra>` }],
    { xaxis: { title: { text: `on the critical path, ${unit}` } }, margin: { l: 10, r: 10, t: 10, b: 45 } });
  };

  const drawLinkTimes = (run, element) => {
    const { counts, windows, table, windowCycles, windowPs } = run.links;
    const order = table.map((_, i) => i).sort((a, b) => table[b].flits - table[a].flits).slice(0, 24);
    const [unit, scale] = unitOf(run.elapsed);
    const x = Array.from({ length: windows }, (_, w) => (w + .5) * windowPs / scale);
    plot(element, [{ type: "heatmap", colorscale: "Cividis", colorbar: { thickness: 12, ticksuffix: " %" }, x,
      y: order.map((i) => table[i].name),
      z: order.map((i) => x.map((_, w) => 100 * counts[w * table.length + i] / windowCycles)),
      hovertemplate: `%{y}, %{x:.3f} ${unit}: %{z:.1f} %<extra></extra>` }],
    { xaxis: { title: { text: `virtual time, ${unit}` } }, yaxis: { autorange: "reversed" },
      margin: { l: 10, r: 10, t: 10, b: 45 } });
  };

  const drawComparison = (element) => {
    const names = [...new Set(data.runs.flatMap((run) => run.table.columns))];
    const [unit, scale] = unitOf(Math.max(...data.runs.map((run) => run.elapsed)));
    const mean = (run, name) => {
      const i = run.table.columns.indexOf(name);
      return i < 0 ? 0 : run.table.values[i].reduce((a, b) => a + b, 0) / run.ranks / scale;
    };
    const shown = names.filter((name) => data.runs.some((run) => mean(run, name) * scale > run.elapsed / 200));
    plot(element, data.runs.map((run, i) => ({ type: "bar", orientation: "h", name: run.label, y: shown,
      x: shown.map((name) => mean(run, name)),
      marker: { color: operationColours[i % operationColours.length],
        pattern: { shape: ["", "/", "x", ".", "\\", "+"][i % 6], fgcolor: "#000000", fillmode: "overlay", solidity: .15 } },
      hovertemplate: `%{y}: %{x:.3f} ${unit}<extra>${run.label}</extra>` })),
    { xaxis: { title: { text: `mean time of a rank, ${unit}` } }, yaxis: { autorange: "reversed" },
      margin: { l: 10, r: 10, t: 10, b: 45 } });
  };

  // ---------------------------------------------------------------- the machine's picture
  const svg = (name, attributes, parent, text) => {
    const element = document.createElementNS("http://www.w3.org/2000/svg", name);
    for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
    if (text !== undefined) element.textContent = text;
    if (parent) parent.append(element);
    return element;
  };
  const placeRouters = (network) => {
    const step = 90;
    if (network.kind === "graph") {
      const inner = network.names.length - network.hosts;
      return network.names.map((_, i) => {
        const [place, of, radius] = i < network.hosts ? [i, network.hosts, 1] : [i - network.hosts, inner, .5];
        const reach = step * Math.max(1.5, network.hosts / 6) * radius;
        const angle = 2 * Math.PI * place / of;
        return [reach * Math.cos(angle), reach * Math.sin(angle)];
      });
    }
    const [wide, high] = [network.size[0] || 1, network.size[1] || 1];
    const planes = network.names.length / wide / high;
    const across = Math.ceil(Math.sqrt(planes * high / wide)) || 1;
    return network.coordinates.map((at) => {
      let plane = 0, times = 1;
      for (let d = 2; d < at.length; ++d) { plane += at[d] * times; times *= network.size[d]; }
      return [((plane % across) * (wide + .7) + (at[0] || 0)) * step,
        (Math.floor(plane / across) * (high + .7) + (at[1] || 0)) * step];
    });
  };
  const drawPicture = (run, section) => {
    const element = section.querySelector(".picture");
    const { network, links } = run;
    const at = placeRouters(network);
    const xs = at.map((p) => p[0]), ys = at.map((p) => p[1]);
    const box = [Math.min(...xs) - 50, Math.min(...ys) - 50, Math.max(...xs) - Math.min(...xs) + 100,
      Math.max(...ys) - Math.min(...ys) + 100];
    const picture = svg("svg", { viewBox: box.join(" "), role: "img", "aria-label": "Routers and the load of links" });
    const lines = links.table.map((link) => {
      const [x, y] = at[link.router], [tx, ty] = at[link.to];
      let dx = tx - x, dy = ty - y;
      const far = Math.hypot(dx, dy);
      if (network.kind !== "graph" && far > 91) {
        // To another plane, or around: a stub in the direction of the port.
        const plus = link.port % 2 === 0 ? 1 : -1;
        const dimension = link.port >> 1;
        [dx, dy] = dimension === 0 ? [plus, 0] : dimension === 1 ? [0, plus] : [plus * .7, plus * -.7];
        dx *= 36; dy *= 36;
      } else { dx /= 2; dy /= 2; }
      const length = Math.hypot(dx, dy) || 1;
      const aside = network.kind === "graph" ? 0 : 3;
      const [ox, oy] = [-dy / length * aside, dx / length * aside];
      const line = svg("line", { x1: x + dx / length * 15 + ox, y1: y + dy / length * 15 + oy, x2: x + dx + ox,
        y2: y + dy + oy, "stroke-linecap": "round" }, picture);
      svg("title", {}, line);
      return line;
    });
    at.forEach(([x, y], router) => {
      svg("circle", { cx: x, cy: y, r: 15, fill: css("--card"), stroke: css("--dim"), "stroke-width": 1.5 }, picture);
      const ranks = network.places.flatMap((place, rank) => Math.floor(place / network.slots) === router ? [rank] : []);
      const inOrder = ranks.length > 1 && ranks.every((rank, i) => rank === ranks[0] + i);
      const label = inOrder ? `${ranks[0]}-${ranks.at(-1)}` : ranks.join(",");
      svg("text", { x, y: y + 5, "text-anchor": "middle", "font-size": String(label).length > 3 ? 9 : 13,
        fill: css("--text") }, picture, label);
    });
    element.replaceChildren(picture);
    const slider = section.querySelector(".window"), said = section.querySelector(".window-said");
    slider.max = links.windows;
    const paint = () => {
      const window = Number(slider.value);
      const n = links.table.length;
      const loads = links.table.map((link, i) =>
        window === 0 ? link.load : links.counts[(window - 1) * n + i] / links.windowCycles);
      const most = Math.max(...loads, 1e-9);
      lines.forEach((line, i) => {
        const share = loads[i] / most;
        line.setAttribute("stroke", loads[i] === 0 ? css("--line")
          : cividis[Math.min(cividis.length - 1, Math.floor(share * cividis.length))]);
        line.setAttribute("stroke-width", 2 + 5 * share);
        line.firstChild.textContent = `${links.table[i].name} to ${network.names[links.table[i].to] || "router"}: ` +
          `${(100 * loads[i]).toFixed(2)} % of its time`;
      });
      const busiest = loads.indexOf(Math.max(...loads));
      const span = window === 0 ? "whole run"
        : `${time((window - 1) * links.windowPs)} to ${time(window * links.windowPs)}`;
      said.textContent = links.table.length === 0 ? "The machine has no links." : `${span}: the busiest link is ` +
        `${links.table[busiest].name}, ${(100 * loads[busiest]).toFixed(2)} % of its time; colours go up to that.`;
    };
    slider.oninput = paint;
    paint();
  };

  // ---------------------------------------------------------------- timeline
  const timeline = (run, section) => {
    const canvas = section.querySelector(".timeline"), said = section.querySelector(".timeline-said");
    const arrows = section.querySelector(".arrows"), showPath = section.querySelector(".show-path");
    const { calls, waits, messages, path } = run;
    const left = 46, top = 22;
    const rowHeight = Math.max(7, Math.min(26, Math.floor(640 / run.ranks)));
    const height = top + rowHeight * run.ranks + 4;
    const view = { from: 0, to: run.elapsed, rank: 0, call: -1 };
    const colours = run.operations.map((name) => colourOf(run, name));
    const legend = section.querySelector(".legend");
    for (const name of Object.keys(run.colours)) {
      const item = document.createElement("li"), box = document.createElement("i");
      box.style.background = colourOf(run, name);
      item.append(box, name);
      legend.append(item);
    }
    let width = 0, wanted = 0;
    const lower = (array, value, from, to) => {
      while (from < to) { const middle = (from + to) >> 1; if (array[middle] < value) from = middle + 1; else to = middle; }
      return from;
    };
    const x = (ps) => left + (ps - view.from) / (view.to - view.from) * (width - left);
    const nice = (span) => {
      const power = 10 ** Math.floor(Math.log10(span));
      return [1, 2, 5, 10].map((f) => f * power).find((step) => span / step <= 8) || power * 10;
    };
    const draw = () => {
      wanted = 0;
      const ratio = devicePixelRatio || 1;
      width = canvas.clientWidth;
      if (canvas.width !== Math.round(width * ratio) || canvas.height !== Math.round(height * ratio)) {
        canvas.style.height = `${height}px`;
        canvas.width = Math.round(width * ratio);
        canvas.height = Math.round(height * ratio);
      }
      const c = canvas.getContext("2d");
      c.setTransform(ratio, 0, 0, ratio, 0, 0);
      c.clearRect(0, 0, width, height);
      c.fillStyle = css("--text");
      c.font = "11px system-ui, sans-serif";
      c.textBaseline = "middle";
      const labelEvery = Math.ceil(12 / rowHeight);
      for (let rank = 0; rank < run.ranks; rank += labelEvery) c.fillText(rank, 6, top + (rank + .5) * rowHeight);
      // Axis.
      const step = nice(view.to - view.from), [unit, scale] = unitOf(view.to);
      const digits = Math.max(0, Math.min(6, -Math.floor(Math.log10(step / scale))));
      c.strokeStyle = css("--line");
      for (let t = Math.ceil(view.from / step) * step; t <= view.to; t += step) {
        c.beginPath(); c.moveTo(x(t), top - 4); c.lineTo(x(t), height); c.stroke();
        c.fillText(`${(t / scale).toFixed(digits)} ${unit}`, Math.min(x(t) + 2, width - 62), 9);
      }
      c.save();
      c.beginPath(); c.rect(left, 0, width - left, height); c.clip();
      for (let rank = 0; rank < run.ranks; ++rank) {
        const y = top + rank * rowHeight, h = rowHeight - 1;
        const ends = x(run.rankElapsed[rank]);
        c.fillStyle = computeColour;
        c.globalAlpha = .35;
        c.fillRect(x(0), y, ends - x(0), h);
        c.globalAlpha = 1;
        const spans = (from, to, began, ended, colour, dy, dh) => {
          let drawnTo = -1;
          for (let i = lower(ended, view.from, from, to); i < to && began[i] <= view.to; ++i) {
            const x2 = x(ended[i]);
            if (x2 <= drawnTo) continue;  // narrower than a pixel, behind what is drawn
            const x1 = Math.max(x(began[i]), drawnTo, left);
            c.fillStyle = colour(i);
            const w = Math.max(Math.min(x2, width) - x1, .7);
            c.fillRect(x1, y + dy, w, dh);
            drawnTo = x1 + Math.max(w, 1);
          }
        };
        spans(calls.start[rank], calls.start[rank + 1], calls.began, calls.ended, (i) => colours[calls.operation[i]], 0, h);
        spans(waits.start[rank], waits.start[rank + 1], waits.began, waits.ended,
          (i) => Object.values(stateColours)[waits.state[i]], h * .55, h * .45);
      }
      if (view.call >= 0) {
        c.strokeStyle = css("--mark"); c.lineWidth = 2;
        c.strokeRect(x(calls.began[view.call]), top + view.rank * rowHeight,
          Math.max(x(calls.ended[view.call]) - x(calls.began[view.call]), 3), rowHeight - 1);
        c.lineWidth = 1;
      }
      let shown = 0, visible = 0;
      if (arrows.checked) {
        const most = 3000;
        const middle = (rank) => top + (rank + .5) * rowHeight;
        const each = (use) => {
          for (let i = 0; i < messages.sent.length; ++i)
            if (messages.received[i] >= view.from && messages.sent[i] <= view.to && messages.sent[i] >= 0) use(i);
        };
        each(() => { ++visible; });
        const every = Math.max(1, Math.ceil(visible / most));
        let number = 0;
        c.strokeStyle = css("--mark"); c.fillStyle = css("--mark");
        c.globalAlpha = visible > 400 ? .25 : .7;
        each((i) => {
          if (number++ % every) return;
          ++shown;
          const x1 = x(messages.sent[i]), y1 = middle(messages.sender[i]);
          const x2 = x(messages.received[i]), y2 = middle(messages.receiver[i]);
          c.beginPath(); c.moveTo(x1, y1); c.lineTo(x2, y2); c.stroke();
          if (visible > 400) return;
          const angle = Math.atan2(y2 - y1, x2 - x1);
          c.beginPath(); c.moveTo(x2, y2);
          c.lineTo(x2 - 7 * Math.cos(angle - .4), y2 - 7 * Math.sin(angle - .4));
          c.lineTo(x2 - 7 * Math.cos(angle + .4), y2 - 7 * Math.sin(angle + .4)); c.fill();
        });
        c.globalAlpha = 1;
      }
      if (showPath.checked) {
        c.strokeStyle = "#D55E00"; c.lineWidth = 3;
        const middle = (rank) => top + (rank + .5) * rowHeight;
        c.beginPath();
        for (let i = lower(path.ended, view.from, 0, path.ended.length); i < path.ended.length; ++i) {
          if (path.began[i] > view.to) break;
          c.moveTo(x(path.began[i]), middle(path.origin[i]));
          c.lineTo(x(path.ended[i]), middle(path.rank[i]));
        }
        c.stroke();
        c.lineWidth = 1;
      }
      c.restore();
      section.querySelector(".span-said").textContent =
        `${time(view.from)} to ${time(view.to)}` +
        (arrows.checked ? `, ${count(visible)} messages${shown < visible ? `, every ${Math.ceil(visible / shown)}th drawn` : ""}` : "");
    };
    const later = () => { if (!wanted) wanted = requestAnimationFrame(draw); };
    const show = (from, to) => {
      const span = Math.min(Math.max(to - from, Math.min(1000, run.elapsed)), run.elapsed);
      view.from = Math.min(Math.max(from, 0), run.elapsed - span);
      view.to = view.from + span;
      canvas.dataset.from = view.from;
      canvas.dataset.to = view.to;
      later();
    };
    const zoom = (factor, around) => {
      const middle = around === undefined ? (view.from + view.to) / 2 : around;
      show(middle - (middle - view.from) * factor, middle + (view.to - middle) * factor);
    };
    const timeAt = (px) => view.from + (px - left) / (width - left) * (view.to - view.from);
    const describe = (rank, i) => {
      const states = [];
      for (let w = lower(waits.ended, calls.began[i] + 1, waits.start[rank], waits.start[rank + 1]);
        w < waits.start[rank + 1] && waits.began[w] < calls.ended[i] && states.length < 4; ++w)
        states.push(`waited ${time(waits.ended[w] - waits.began[w])}: ${Object.keys(stateColours)[waits.state[w]]}` +
          (waits.cause[w] < run.ranks && waits.cause[w] !== rank ? `, rank ${waits.cause[w]}` : ""));
      said.textContent = `Rank ${rank}: ${run.texts[calls.text[i]]}, ${count(calls.bytes[i])} bytes, ` +
        `${time(calls.began[i])} to ${time(calls.ended[i])}, took ${time(calls.ended[i] - calls.began[i])}` +
        (states.length ? `; ${states.join("; ")}` : "");
    };
    const choose = (rank, i) => { view.rank = rank; view.call = i; if (i >= 0) describe(rank, i); later(); };
    const callAt = (rank, t) => {
      const i = lower(calls.ended, t, calls.start[rank], calls.start[rank + 1]);
      return i < calls.start[rank + 1] && calls.began[i] <= t ? i : -1;
    };
    const next = (by) => {
      const [from, to] = [calls.start[view.rank], calls.start[view.rank + 1]];
      let i = view.call >= from && view.call < to ? view.call + by
        : lower(calls.began, view.from, from, to);
      i = Math.min(Math.max(i, from), to - 1);
      if (i < from) return;
      choose(view.rank, i);
      if (calls.began[i] < view.from || calls.ended[i] > view.to) {
        const half = (view.to - view.from) / 2;
        show(calls.began[i] - half, calls.began[i] + half);
      }
    };
    const keys = {
      ArrowLeft: () => show(view.from - (view.to - view.from) / 5, view.to - (view.to - view.from) / 5),
      ArrowRight: () => show(view.from + (view.to - view.from) / 5, view.to + (view.to - view.from) / 5),
      ArrowUp: () => { choose(Math.max(view.rank - 1, 0), -1); next(0); },
      ArrowDown: () => { choose(Math.min(view.rank + 1, run.ranks - 1), -1); next(0); },
      "+": () => zoom(.5), "=": () => zoom(.5), "-": () => zoom(2), Home: () => show(0, run.elapsed),
      n: () => next(1), p: () => next(-1),
      Enter: () => { if (view.call >= 0) { const margin = (calls.ended[view.call] - calls.began[view.call] + 1000) / 2;
        show(calls.began[view.call] - margin, calls.ended[view.call] + margin); } },
    };
    canvas.addEventListener("keydown", (event) => {
      const act = keys[event.key];
      if (!act || event.ctrlKey || event.metaKey || event.altKey) return;
      event.preventDefault();
      act();
    });
    canvas.addEventListener("wheel", (event) => {
      if (!event.ctrlKey && !event.metaKey && !event.shiftKey) return;
      event.preventDefault();
      zoom(1.0015 ** (event.deltaY || event.deltaX), timeAt(event.offsetX));
    }, { passive: false });
    // One finger or the mouse moves, two fingers zoom.
    const pointers = new Map();
    canvas.addEventListener("pointerdown", (event) => {
      canvas.setPointerCapture(event.pointerId);
      pointers.set(event.pointerId, event);
    });
    canvas.addEventListener("pointermove", (event) => {
      const before = pointers.get(event.pointerId);
      if (!before) {
        const rank = Math.floor((event.offsetY - top) / rowHeight);
        if (rank >= 0 && rank < run.ranks && event.offsetX > left) {
          const i = callAt(rank, timeAt(event.offsetX));
          if (i >= 0) describe(rank, i);
        }
        return;
      }
      if (pointers.size === 1) {
        const shift = (event.offsetX - before.offsetX) / (width - left) * (view.to - view.from);
        show(view.from - shift, view.to - shift);
      } else {
        const [a, b] = [...pointers.values()];
        const other = a.pointerId === event.pointerId ? b : a;
        const was = Math.abs(before.offsetX - other.offsetX), is = Math.abs(event.offsetX - other.offsetX);
        if (was > 5 && is > 5) zoom(was / is, timeAt((event.offsetX + other.offsetX) / 2));
      }
      pointers.set(event.pointerId, event);
    });
    for (const end of ["pointerup", "pointercancel"])
      canvas.addEventListener(end, (event) => pointers.delete(event.pointerId));
    canvas.addEventListener("click", (event) => {
      const rank = Math.floor((event.offsetY - top) / rowHeight);
      if (rank >= 0 && rank < run.ranks) choose(rank, callAt(rank, timeAt(event.offsetX)));
    });
    canvas.addEventListener("dblclick", (event) => zoom(.33, timeAt(event.offsetX)));
    for (const button of section.querySelectorAll("[data-key]"))
      button.addEventListener("click", () => keys[button.dataset.key]());
    arrows.addEventListener("change", later);
    showPath.addEventListener("change", later);
    arrows.checked = run.ranks <= 16;
    addEventListener("resize", later);
    drawn.push(later);
    const hash = new URLSearchParams(location.hash.slice(1));
    if (hash.has("from") && hash.has("to")) show(Number(hash.get("from")), Number(hash.get("to")));
    draw();
  };

  // ---------------------------------------------------------------- all of it
  const unpackAll = (value) => {
    if (value === null || typeof value !== "object") return value;
    if ("base64" in value) return unpack(value);
    for (const key of Object.keys(value)) if (value[key] && typeof value[key] === "object") value[key] = unpackAll(value[key]);
    return value;
  };
  const shownRuns = new Set();
  const showRun = (number) => {
    for (const section of document.querySelectorAll("[data-run]")) section.hidden = Number(section.dataset.run) !== number;
    if (shownRuns.has(number)) return;
    shownRuns.add(number);
    const run = unpackAll(data.runs[number]);
    const section = document.querySelector(`[data-run="${number}"]`);
    timeline(run, section);
    whenSeen(section.querySelector(".bars"), () => drawBars(run, section.querySelector(".bars")));
    const matrix = section.querySelector(".matrix"), what = section.querySelector(".matrix-what");
    if (matrix) {
      whenSeen(matrix, () => drawMatrix(run, matrix, what.value));
      what.addEventListener("change", () => drawMatrix(run, matrix, what.value));
      whenSeen(section.querySelector(".messages"), () => drawMessages(run, section.querySelector(".messages")));
    }
    whenSeen(section.querySelector(".path"), () => drawPath(run, section.querySelector(".path")));
    drawPicture(run, section);
    drawn.push(() => drawPicture(run, section));
    if (run.links.table.length)
      whenSeen(section.querySelector(".link-times"), () => drawLinkTimes(run, section.querySelector(".link-times")));
  };
  const select = document.getElementById("run");
  if (select) {
    select.addEventListener("change", () => showRun(Number(select.value)));
  }
  const start = () => {
    const comparison = document.getElementById("comparison");
    whenSeen(comparison, () => drawComparison(comparison));
    showRun(0);
    dark.addEventListener("change", () => { for (const draw of [...drawn]) draw(); });
    document.documentElement.dataset.ready = "yes";
  };
  // What the first plot needs stands behind this script.
  if (document.readyState === "loading") addEventListener("DOMContentLoaded", start);
  else start();
})();
