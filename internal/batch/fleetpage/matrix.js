// The matrix of pairs and time: rows are pairs, or groups of pairs where there are too many, columns
// are buckets. Cells are numbers of one byte, 1/64 each, quantity by quantity, row by row. A click
// on a cell goes to the pair in its table. Keys do what the pointer does, with a cell as a cursor.

/** By how many rows and buckets keys move the cursor. */
const cursorSteps = {
  ArrowUp: [-1, 0], ArrowDown: [1, 0], ArrowLeft: [0, -1], ArrowRight: [0, 1],
  PageUp: [-10, 0], PageDown: [10, 0], Home: [0, -Infinity], End: [0, Infinity],
};

/** Colours of a number by its sign, and of none, as the page has them now. */
function matrixColours(quantity) {
  const of = (id) => getComputedStyle(one(id)).backgroundColor.match(/[\d.]+/g).map(Number);
  const ground = getComputedStyle(one("#matrix")).backgroundColor.match(/[\d.]+/g).map(Number);
  const more = of(quantity === 0 ? "#differs-colour" : "#more-colour");
  return { ground, more, less: of("#less-colour") };
}

class Matrix {
  constructor(data) {
    Object.assign(this, data);
    const text = atob(data.cells);
    this.values = new Int8Array(text.length);
    for (let i = 0; i < text.length; i++) this.values[i] = text.charCodeAt(i);
    this.canvas = one("#matrix-canvas");
    this.tip = one("#tip");
    this.controls = ["#quantity", "#form", "#order"].map((id) => one(id));
    this.controls.forEach((c) => c.addEventListener("change", () => this.draw()));
    addEventListener("resize", () => this.draw());
    onTheme.push(() => this.draw());
    this.canvas.addEventListener("pointermove", (e) => this.point(e));
    this.canvas.addEventListener("pointerleave", () => { this.tip.hidden = true; });
    this.canvas.addEventListener("click", (e) => this.goTo(this.at(e).row));
    this.startKeys();
    one("#matrix-picture").hidden = false;
    this.draw();
  }

  value(quantity, row, bucket) {
    return this.values[(quantity * this.rows.length + row) * this.buckets + bucket] / 64;
  }

  /** Rows in the chosen order. */
  ordered() {
    const list = this.rows.map((_, i) => i);
    if (this.controls[2].value === "number") list.sort((x, y) => this.rows[x].number - this.rows[y].number);
    return list;
  }

  draw() {
    const [quantity, form] = this.controls.map((c) => c.value);
    this.quantity = Number(quantity);
    all(".legend [data-of]").forEach((li) => { li.hidden = li.dataset.of !== quantity; });
    this.byAreas = form === "areas";
    if (this.byAreas) this.controls[2].value = "cluster"; // areas are rows of the tree
    this.controls[2].disabled = this.byAreas;
    this.order = this.ordered();
    this.resize();
    this.paint();
    this.showCursor();
  }

  resize() {
    const n = this.rows.length, wide = this.canvas.parentElement.clientWidth;
    this.height = Math.max(2, Math.min(22, Math.floor((n <= 64 ? 768 : 640) / n)));
    this.top = this.height < 12 ? 6 : 0; // half a label, which is more than half a row
    this.context = this.canvas.getContext("2d");
    this.context.font = this.font();
    const longest = this.rows.reduce((w, r) => Math.max(w, this.context.measureText(r.name).width), 0);
    this.left = Math.min(Math.ceil(longest) + 18, 190, Math.round(wide * .3));
    this.wide = Math.max(wide - this.left - 1, 1);
    const ratio = devicePixelRatio || 1;
    this.canvas.width = wide * ratio;
    this.canvas.height = (this.bottom() + 24) * ratio;
    this.canvas.style.height = this.bottom() + 24 + "px";
    this.context.scale(ratio, ratio);
  }

  font() { return `11px ${getComputedStyle(this.canvas).fontFamily}`; }

  /** Where the last row ends, px. */
  bottom() { return this.top + this.rows.length * this.height; }

  /** The place of a bucket, px. */
  x(bucket) { return this.left + bucket / this.buckets * this.wide; }

  colour(v, { ground, more, less }) {
    const side = v < 0 ? less : more, part = Math.sqrt(Math.min(Math.abs(v), 1));
    return `rgb(${ground.slice(0, 3).map((g, i) => Math.round(g + (side[i] - g) * part)).join(" ")})`;
  }

  paint() {
    const c = this.context, colours = matrixColours(this.quantity);
    c.clearRect(0, 0, this.left + this.wide + 1, this.canvas.height);
    if (this.byAreas) this.paintAreas(colours); else this.paintCells(colours);
    this.paintLabels();
  }

  paintCells(colours) {
    this.order.forEach((row, k) => {
      for (let b = 0; b < this.buckets; b++) {
        const v = this.value(this.quantity, row, b);
        if (v === 0) continue;
        this.context.fillStyle = this.colour(v, colours);
        this.context.fillRect(this.x(b), this.top + k * this.height, this.wide / this.buckets + .5, this.height);
      }
    });
  }

  /** Areas lie over rows of the tree: a row that stands for several pairs may be cut by several. */
  paintAreas(colours) {
    const line = getComputedStyle(this.canvas).color;
    for (const a of this.areas) {
      const x = this.x(a.from), y = this.y(a.first), w = this.x(a.to) - x, h = this.y(a.last) - y;
      this.context.fillStyle = this.colour(a.mean[this.quantity], colours);
      this.context.fillRect(x, y, w, h);
      if (h < 2) continue;
      this.context.strokeStyle = line;
      this.context.globalAlpha = .35;
      this.context.strokeRect(x + .5, y + .5, w - 1, h - 1);
      this.context.globalAlpha = 1;
    }
  }

  /** The place of a pair in the order of clusters, px: within a row of several by its share. */
  y(leaf) {
    let k = this.rows.findIndex((r) => leaf < r.leaf + r.pairs);
    if (k < 0) return this.bottom();
    return this.top + (k + (leaf - this.rows[k].leaf) / this.rows[k].pairs) * this.height;
  }

  paintLabels() {
    const c = this.context, style = getComputedStyle(this.canvas);
    c.font = this.font();
    c.fillStyle = style.color;
    c.textBaseline = "middle";
    c.textAlign = "left";
    let before = -99;
    this.order.forEach((row, k) => {
      const r = this.rows[row], y = this.top + (k + .5) * this.height;
      if (r.outlier > 0) this.mark(y);
      if (y - before < 11.5) return;
      c.fillText(this.fit(r.name, this.left - 16), 10, y);
      before = y;
    });
    this.paintScale();
  }

  /** A mark of an outlier: a triangle, or a line where rows are so low that triangles would merge. */
  mark(y) {
    if (this.height < 8) this.context.fillRect(0, y - this.height / 2, 8, Math.max(1, this.height - 1));
    else this.context.fillText("▸", 0, y);
  }

  paintScale() {
    const c = this.context, bottom = this.bottom();
    // The last text ends at its tick, the one before it is centred.
    const apart = c.measureText("100 %").width + c.measureText("90 %").width / 2 + 4;
    const parts = [10, 5, 2].find((n) => this.wide / n >= apart) || 1;
    for (let k = 0; k <= parts; k++) {
      const x = this.x(k / parts * this.buckets);
      c.fillRect(x, bottom, 1, 4);
      c.textAlign = k === 0 ? "left" : k === parts ? "right" : "center";
      c.fillText(k / parts * 100 + " %", x, bottom + 14);
    }
  }

  fit(text, width) {
    if (this.context.measureText(text).width <= width) return text;
    let n = text.length;
    while (n > 1 && this.context.measureText(text.slice(0, n) + "…").width > width) n--;
    return text.slice(0, n) + "…";
  }

  /** The row and the bucket under the pointer: bucket is −1 over names, row undefined over nothing. */
  at(e) {
    const box = this.canvas.getBoundingClientRect();
    const x = e.clientX - box.left, y = e.clientY - box.top;
    const bucket = Math.max(Math.floor((x - this.left) / this.wide * this.buckets), -1);
    const row = bucket < this.buckets ? this.order[Math.floor((y - this.top) / this.height)] : undefined;
    return { x, y, row, bucket };
  }

  point(e) {
    const { x, y, row, bucket } = this.at(e);
    this.canvas.style.cursor = row === undefined ? "default" : "pointer";
    if (row === undefined) this.tip.hidden = true;
    else this.tell(row, bucket, x, y);
  }

  /** Shows what is known of a cell beside a place in the canvas. */
  tell(row, bucket, x, y) {
    const r = this.rows[row];
    const lines = [r.name + (r.pairs > 1 ? ` (${r.pairs} pairs, their mean)` : ""), `cluster ${r.cluster}`];
    if (bucket >= 0) lines.push(`bucket ${bucket} of ${this.buckets}`, ...this.said(row, bucket));
    this.tip.textContent = lines.join("\n");
    this.tip.hidden = false;
    const right = x + 20 + this.tip.offsetWidth > this.canvas.clientWidth;
    this.tip.style.left = (right ? Math.max(x - 12 - this.tip.offsetWidth, 0) : x + 14) + "px";
    this.tip.style.top = y + 14 + "px";
  }

  /** The canvas takes keys. The cursor begins at the first outlier, or in the first row. */
  startKeys() {
    this.frame = one("#matrix-cursor");
    this.live = one("#matrix-said");
    this.cursor = { row: Math.max(this.rows.findIndex((r) => r.outlier > 0), 0), bucket: 0 };
    this.canvas.addEventListener("focus", () => { if (this.canvas.matches(":focus-visible")) this.toCursor(); });
    this.canvas.addEventListener("blur", () => { this.frame.hidden = this.tip.hidden = true; });
    this.canvas.addEventListener("keydown", (e) => {
      if (e.ctrlKey || e.altKey || e.metaKey) return;
      if (e.key === "Enter") this.goTo(this.cursor.row);
      else if (e.key === "Escape") this.tip.hidden = true;
      else if (cursorSteps[e.key]) this.moveCursor(cursorSteps[e.key], e.shiftKey ? 10 : 1);
      else return;
      e.preventDefault();
    });
  }

  moveCursor([rows, buckets], times) {
    const within = (v, n) => Math.min(Math.max(v, 0), n - 1);
    const k = within(this.order.indexOf(this.cursor.row) + rows * times, this.rows.length);
    this.cursor = { row: this.order[k], bucket: within(this.cursor.bucket + buckets * times, this.buckets) };
    this.toCursor();
  }

  /** Shows the cursor, and tells of its cell as of one under the pointer; readers of the screen hear it. */
  toCursor() {
    this.frame.hidden = false;
    this.showCursor();
    this.frame.scrollIntoView({ block: "nearest" });
    const { row, bucket } = this.cursor, r = this.rows[row], k = this.order.indexOf(row);
    this.tell(row, bucket, this.x(bucket + 1), this.top + (k + 1) * this.height);
    const parts = [r.pairs > 1 ? `${r.name}, ${r.pairs} pairs` : r.name, `row ${k + 1} of ${this.rows.length}`];
    if (r.outlier > 0) parts.push(r.pairs > 1 ? `${r.outlier} outliers` : "outlier");
    parts.push(`${Math.round(bucket / this.buckets * 1000) / 10} % of the time`);
    this.live.textContent = parts.join(", ") + ": " + this.said(row, bucket)[[1, 0, 2][this.quantity]];
  }

  /** Puts the frame of the cursor around its cell; it is never too small to be seen. */
  showCursor() {
    if (this.frame.hidden) return;
    const { row, bucket } = this.cursor, least = 9;
    const around = (from, size) => [from + Math.min(size - least, 0) / 2, Math.max(size, least)];
    const [x, w] = around(this.x(bucket), this.wide / this.buckets);
    const [y, h] = around(this.top + this.order.indexOf(row) * this.height, this.height);
    Object.assign(this.frame.style, { left: x + "px", top: y + "px", width: w + "px", height: h + "px" });
  }

  /** Goes to a pair in the table of pairs; to the cluster if the row stands for several pairs. */
  goTo(row) {
    if (row === undefined) return;
    const r = this.rows[row], id = r.pairs > 1 ? "clusters" : "pairs";
    const found = all(`#${id} tbody tr`).find((tr) => r.pairs > 1
      ? parseInt(tr.children[0].textContent.slice("cluster ".length), 10) === r.cluster
      : Number(tr.children[1].dataset.v) === r.number);
    if (!found) {
      this.live.textContent = `${r.name} is among the rows that the table of ${id} leaves out`;
      return;
    }
    found.hidden = false;
    found.tabIndex = -1;
    found.focus({ preventScroll: true });
    found.scrollIntoView({ block: "center" });
  }

  /** All three quantities of a cell in words. */
  said(row, bucket) {
    const percent = (q) => Math.round(100 * Math.abs(this.value(q, row, bucket))) + " %";
    const less = (q) => this.value(q, row, bucket) < 0;
    return [`B ${less(1) ? "catches up" : "falls behind"} by ${percent(1)} of the time`,
      `${percent(0)} of the calls differ`, `B waits ${percent(2)} ${less(2) ? "less" : "more"}`];
  }
}

const matrixData = JSON.parse(one("#data").textContent);
if (matrixData.rows.length > 0) new Matrix(matrixData);
