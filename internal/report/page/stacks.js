// The picture of the stacks: the calls of a pair of threads over time, A growing down from above and
// B growing up from below, on one scale. It draws what stacks.go has encoded.

/** Heights in px. */
const rowHeight = 17;
const axisHeight = 26; // between the sides
const mostRows = 16; // of a side; what is deeper is scrolled to

/** Kinds of items, as stacks.go numbers them. */
const onlyHere = 2;
const boxKind = 3;

/** Units by what they measure, as Go's geom.FormatValue has them. */
const units = {
  ns: [["ns", 1], ["µs", 1e3], ["ms", 1e6], ["s", 1e9], ["min", 6e10], ["h", 3.6e12]],
  bytes: [["B", 1], ["KiB", 2 ** 10], ["MiB", 2 ** 20], ["GiB", 2 ** 30], ["TiB", 2 ** 40]],
  other: [["", 1], ["k", 1e3], ["M", 1e6], ["G", 1e9], ["T", 1e12]],
};

/** Writes a number with three significant digits. */
function three(v) {
  let digits = 0;
  for (let limit = 99.95; digits < 2 && v < limit; limit /= 10) digits++;
  return v.toFixed(digits);
}

/** Writes an amount with three digits and the unit that suits it, as geom.FormatValue does. */
function format(v, unit) {
  const list = units[unit] || units.other;
  const sign = v < 0 ? "−" : "";
  v = Math.abs(v);
  let k = 0;
  while (k + 1 < list.length && Number(three(v / list[k][1])) >= list[k + 1][1] / list[k][1]) k++;
  const name = units[unit] || unit === "count" ? list[k][0] : `${list[k][0]} ${unit}`.trim();
  const number = k === 0 && v === Math.trunc(v) ? String(v) : three(v / list[k][1]);
  return sign + number + (name ? " " + name : "");
}

/** Decodes a side: columns of equal length, times in the trace's unit. */
function decode(row, step) {
  const bytes = Uint8Array.from(atob(row.items), (c) => c.charCodeAt(0));
  const side = { kind: [], level: [], start: [], end: [], name: [], calls: [], differing: [], deep: [] };
  let at = 0;
  const number = () => {
    let v = 0;
    for (let shift = 1; ; shift *= 128) {
      const b = bytes[at++];
      v += (b & 127) * shift;
      if (b < 128) return v;
    }
  };
  for (let start = 0; at < bytes.length;) {
    const head = number();
    const kind = head % 4;
    start += number();
    side.kind.push(kind);
    side.level.push((head - kind) / 4);
    side.start.push(start * step);
    side.end.push((start + number()) * step);
    side.name.push(kind === boxKind ? -1 : number());
    side.calls.push(kind === boxKind ? number() : 1);
    side.differing.push(kind === boxKind ? number() : 0);
    side.deep.push(kind === boxKind ? number() : 1);
  }
  return side;
}

class Stacks {
  constructor(data) {
    this.data = data;
    this.canvas = one("#canvas");
    this.tip = one("#tip");
    this.sides = [null, null];
    this.hover = null;
    one("#picture").hidden = false;
    this.startThreads();
    this.listen();
    onTheme.push(() => this.recolour());
    new ResizeObserver(() => this.draw()).observe(this.canvas.parentElement);
    one("#inview").addEventListener("toggle", () => this.list());
    this.recolour();
    this.choose(0);
  }

  startThreads() {
    const select = one("#thread-pair");
    for (const [i, pair] of this.data.threads.entries()) select.append(new Option(pair.title, i));
    select.addEventListener("change", () => this.choose(Number(select.value)));
  }

  /** Shows another pair of threads, whole or in part. */
  choose(k, from, to) {
    one("#thread-pair").value = k;
    const pair = this.data.threads[k];
    this.sides = pair.sides.map((row) => row && decode(row, pair.step));
    this.length = Math.max(1, ...this.sides.map((s) => (s ? s.end.reduce((x, y) => Math.max(x, y), 0) : 0)));
    this.levels = this.sides.map((s) => (s ? s.level.reduce((x, l, i) => Math.max(x, l + s.deep[i]), 0) : 0));
    const first = this.sides.map((s) => (s && s.start.length ? s.start[0] : Infinity));
    this.begin = Math.min(...first);
    this.rows = Math.max(3, Math.min(mostRows, Math.max(...this.levels)));
    this.canvas.setAttribute("aria-label", `Stacks of ${pair.title}: ${this.sides.map((s, i) =>
      `${"AB"[i]} ${s ? pair.sides[i].calls + ` ${this.data.noun}${pair.sides[i].calls === 1 ? "" : "s"}` : "has no such thread"}`).join(", ")}`);
    this.scroll = 0;
    this.leave();
    if (from === undefined) this.all();
    else this.show(from, to);
  }

  all() { this.scroll = 0; this.show(this.begin, this.length); }

  /** Shows a stretch of time, at least 10 units long and within what there is. */
  show(from, to) {
    const whole = this.length - this.begin;
    const long = Math.min(Math.max(to - from, Math.min(10, whole)), whole);
    this.from = Math.min(Math.max((from + to - long) / 2, this.begin), this.length - long);
    this.to = this.from + long;
    const unit = this.data.unit;
    this.span = `${format(long, unit)} from ${format(this.from, unit)} on`;
    this.tell();
    this.draw();
    this.list();
  }

  /** Says what is in sight. */
  tell() {
    const deepest = Math.max(...this.levels);
    one("#range").textContent = this.span + (deepest <= this.rows ? "" :
      `; levels ${this.scroll + 1} to ${Math.min(this.scroll + this.rows, deepest)} of ${deepest}`);
  }

  zoom(factor, at = (this.from + this.to) / 2) {
    this.show(at + (this.from - at) * factor, at + (this.to - at) * factor);
  }

  pan(share) {
    const by = share * (this.to - this.from);
    this.show(this.from + by, this.to + by);
  }

  scrollBy(rows) {
    const most = Math.max(0, Math.max(...this.levels) - this.rows);
    this.scroll = Math.min(Math.max(this.scroll + rows, 0), most);
    this.tell();
    this.draw();
  }

  /** Reads the colours off the page, which has them in the theme that is shown. */
  recolour() {
    const of = (element) => getComputedStyle(element).backgroundColor;
    this.colours = {};
    for (const swatch of all(".legend i")) this.colours[swatch.dataset.state] = of(swatch);
    const style = getComputedStyle(one("#tip"));
    this.colours.text = style.color;
    this.colours.pane = style.backgroundColor;
    this.colours.line = style.borderTopColor;
    if (this.length) this.draw();
  }

  fill(k, side, i) {
    switch (side.kind[i]) {
      case 0: return this.colours.equal;
      case 1: return this.colours.different;
      case onlyHere: return k === 0 ? this.colours["only-a"] : this.colours["only-b"];
    }
    return this.colours.box;
  }

  /** Where a level of a side lies, and how high that many levels are. */
  band(k, level, deep) {
    const height = Math.min(deep, this.rows + this.scroll - level) * rowHeight;
    const down = (level - this.scroll) * rowHeight;
    const y = k === 0 ? down : 2 * this.rows * rowHeight + axisHeight - down - height;
    return [y, height];
  }

  draw() {
    const width = this.canvas.parentElement.clientWidth;
    const height = 2 * this.rows * rowHeight + axisHeight;
    const ratio = devicePixelRatio || 1;
    this.canvas.width = Math.round(width * ratio);
    this.canvas.height = Math.round(height * ratio);
    this.canvas.style.height = height + "px";
    const g = this.canvas.getContext("2d");
    g.setTransform(ratio, 0, 0, ratio, 0, 0);
    g.fillStyle = this.colours.pane;
    g.fillRect(0, 0, width, height);
    g.font = "11px Roboto, 'Noto Sans', system-ui, sans-serif";
    g.textBaseline = "middle";
    this.width = width;
    this.sides.forEach((side, k) => side && this.drawSide(g, k, side));
    this.drawAxis(g);
    this.drawHover(g);
  }

  x(t) { return (t - this.from) / (this.to - this.from) * this.width; }

  /** Draws what is in sight of a side. In pre-order, starts never fall. */
  drawSide(g, k, side) {
    for (let i = 0; i < side.start.length && side.start[i] <= this.to; i++) {
      if (side.end[i] < this.from || side.level[i] + side.deep[i] <= this.scroll ||
        side.level[i] >= this.scroll + this.rows) continue;
      const x0 = Math.max(this.x(side.start[i]), -1);
      const x1 = Math.min(this.x(side.end[i]), this.width + 1);
      if (x1 - x0 < .15) continue; // thousands of these would only darken a column
      const [y, h] = this.band(k, Math.max(side.level[i], this.scroll),
        side.level[i] + side.deep[i] - Math.max(side.level[i], this.scroll));
      g.fillStyle = this.fill(k, side, i);
      const w = Math.max(x1 - x0 - (x1 - x0 > 3 ? 1 : 0), .7);
      g.fillRect(x0, y + .5, w, h - 1);
      if (side.kind[i] === boxKind && side.differing[i]) this.drawDiffering(g, side, i, x0, y, w, h);
      else if (w > 26) this.label(g, this.data.names[side.name[i]], x0, y, w, this.ink(side.kind[i], k));
    }
  }

  /** Shades a box by how many of its calls differ. */
  drawDiffering(g, side, i, x, y, w, h) {
    g.globalAlpha = .15 + .6 * side.differing[i] / side.calls[i];
    g.fillStyle = this.colours.different;
    g.fillRect(x, y + .5, w, h - 1);
    g.globalAlpha = 1;
  }

  /** The colour of text that can be read on a state's. */
  ink(kind, k) {
    const rgb = this.fill(k, { kind: [kind] }, 0).match(/[\d.]+/g).map(Number);
    return .3 * rgb[0] + .59 * rgb[1] + .11 * rgb[2] > 130 ? "#16181d" : "#fff";
  }

  label(g, name, x, y, w, ink) {
    if (!name) return;
    const left = Math.max(x, 0) + 4;
    const room = Math.min(x + w, this.width) - left - 3;
    if (room < 20) return;
    let text = name;
    const width = g.measureText(text).width;
    if (width > room) text = text.slice(0, Math.max(0, Math.floor(text.length * room / width) - 1)) + "…";
    if (text.length < 3) return;
    g.fillStyle = ink;
    g.fillText(text, left, y + rowHeight / 2);
  }

  /** Draws the time scale between the sides. */
  drawAxis(g) {
    const top = this.rows * rowHeight;
    g.fillStyle = this.colours.pane;
    g.fillRect(0, top, this.width, axisHeight);
    g.fillStyle = this.colours.text;
    const least = (this.to - this.from) / Math.max(this.width / 110, 1);
    const power = 10 ** Math.floor(Math.log10(least));
    const step = [1, 2, 5, 10].map((f) => f * power).find((s) => s >= least);
    for (let t = Math.ceil(this.from / step) * step; t <= this.to; t += step) {
      const x = this.x(t);
      g.fillRect(x, top + 3, 1, axisHeight - 6);
      const text = format(t, this.data.unit);
      if (x + 5 + g.measureText(text).width < this.width) g.fillText(text, x + 5, top + axisHeight / 2);
    }
  }

  drawHover(g) {
    if (!this.hover) return;
    const { k, i } = this.hover;
    const side = this.sides[k];
    const [y, h] = this.band(k, side.level[i], side.deep[i]);
    g.strokeStyle = this.colours.text;
    g.lineWidth = 1.5;
    const x0 = Math.max(this.x(side.start[i]), 0);
    g.strokeRect(x0, y + 1, Math.max(Math.min(this.x(side.end[i]), this.width) - x0 - 1, 2), h - 2);
  }

  /** What is at a point of the canvas, or null. */
  at(x, y) {
    const k = y < this.rows * rowHeight ? 0 : 1;
    const edge = k === 0 ? y : 2 * this.rows * rowHeight + axisHeight - y;
    const level = Math.floor(edge / rowHeight) + this.scroll;
    const side = this.sides[k];
    if (!side || edge > this.rows * rowHeight) return null;
    const t = this.from + x / this.width * (this.to - this.from);
    const slack = (this.to - this.from) / this.width; // a px
    let found = null;
    for (let i = 0; i < side.start.length && side.start[i] <= t + slack; i++) {
      if (side.level[i] <= level && level < side.level[i] + side.deep[i] && side.end[i] >= t - slack) {
        found = { k, i };
      }
    }
    return found;
  }

  /** Forgets what the pointer was on. */
  leave() {
    this.hover = null;
    this.tip.hidden = true;
  }

  state(k, i) {
    const side = this.sides[k];
    if (side.kind[i] === boxKind) return `${side.differing[i]} of ${side.calls[i]} differ`;
    return ["equal", "different", `only in ${"AB"[k]}`][side.kind[i]];
  }

  title(k, i) {
    const side = this.sides[k];
    return side.kind[i] === boxKind ? `${side.calls[i]} short ${this.data.noun}s` : this.data.names[side.name[i]];
  }

  point(x, y) {
    this.hover = this.at(x, y);
    this.tip.hidden = !this.hover;
    this.draw();
    if (!this.hover) return;
    const { k, i } = this.hover;
    const side = this.sides[k];
    const unit = this.data.unit;
    this.tip.textContent = `${this.title(k, i)}\n${"AB"[k]}: ${this.state(k, i)}, ` +
      `${format(side.end[i] - side.start[i], unit)} from ${format(side.start[i], unit)} on`;
    this.tip.style.left = Math.max(0, Math.min(x + 12, this.width - this.tip.offsetWidth - 4)) + "px";
    this.tip.style.top = y + 16 + "px";
  }

  /** Lists the longest calls in sight, for those who do not see the picture. */
  list() {
    if (!one("#inview").open) return;
    const found = [];
    this.sides.forEach((side, k) => {
      if (!side) return;
      for (let i = 0; i < side.start.length && side.start[i] <= this.to; i++) {
        if (side.end[i] > this.from) found.push([k, i, side.end[i] - side.start[i]]);
      }
    });
    found.sort((x, y) => y[2] - x[2]);
    const unit = this.data.unit;
    one("#inview tbody").replaceChildren(...found.slice(0, 40).map(([k, i, long]) => {
      const side = this.sides[k];
      const row = document.createElement("tr");
      for (const [n, text] of ["AB"[k], this.title(k, i), this.state(k, i), side.level[i],
        format(side.start[i], unit), format(long, unit)].entries()) {
        const cell = row.insertCell();
        cell.textContent = text;
        if (n > 2) cell.className = "n";
      }
      return row;
    }));
  }

  listen() {
    const c = this.canvas;
    const time = (e) => this.from + e.offsetX / this.width * (this.to - this.from);
    let drag = null;
    c.addEventListener("pointerdown", (e) => {
      drag = { x: e.offsetX, y: e.offsetY, from: this.from, to: this.to, scroll: this.scroll };
      c.setPointerCapture(e.pointerId);
      c.classList.add("dragged");
    });
    c.addEventListener("pointerup", () => { drag = null; c.classList.remove("dragged"); });
    c.addEventListener("pointermove", (e) => {
      if (!drag) return this.point(e.offsetX, e.offsetY);
      const by = (drag.x - e.offsetX) / this.width * (drag.to - drag.from);
      this.show(drag.from + by, drag.to + by);
      const rows = Math.round((drag.y - e.offsetY) / rowHeight) * (drag.y < this.rows * rowHeight ? 1 : -1);
      this.scrollBy(drag.scroll + rows - this.scroll);
    });
    c.addEventListener("pointerleave", () => { this.leave(); this.draw(); });
    c.addEventListener("wheel", (e) => {
      if (!e.ctrlKey && document.activeElement !== c) return; // the page scrolls
      e.preventDefault();
      this.zoom(1.0015 ** e.deltaY, time(e));
    }, { passive: false });
    c.addEventListener("dblclick", (e) => {
      const found = this.at(e.offsetX, e.offsetY);
      if (!found) return;
      const side = this.sides[found.k];
      const wide = (side.end[found.i] - side.start[found.i]) * .05;
      this.show(side.start[found.i] - wide, side.end[found.i] + wide);
    });
    const acts = {
      in: () => this.zoom(.6), out: () => this.zoom(1 / .6), left: () => this.pan(-.2),
      right: () => this.pan(.2), all: () => this.all(), up: () => this.scrollBy(-1), down: () => this.scrollBy(1),
    };
    const keys = { "+": "in", "=": "in", "-": "out", ArrowLeft: "left", ArrowRight: "right", Home: "all",
      ArrowUp: "up", ArrowDown: "down" };
    c.addEventListener("keydown", (e) => {
      const act = acts[keys[e.key]];
      if (!act || e.ctrlKey || e.altKey || e.metaKey) return;
      e.preventDefault();
      act();
    });
    for (const button of all("[data-do]")) button.addEventListener("click", acts[button.dataset.do]);
    for (const button of all("button.show")) {
      button.hidden = false;
      button.addEventListener("click", () => {
        const { threads, from, to } = button.dataset;
        this.choose(Number(threads), Number(from), Number(to));
        one("#stacks").scrollIntoView();
        c.focus({ preventScroll: true });
      });
    }
  }
}

const stacksData = JSON.parse(one("#data").textContent);
if (stacksData.threads.length) new Stacks(stacksData);
