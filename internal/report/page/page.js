"use strict";
// What the reader can do with the page, but for the picture of the stacks (stacks.js): choose light
// or dark, sort and filter tables, open and print. Without scripts everything but the picture is
// there, in the order in which it matters.

/** Elements of the page by selector, in the whole page or within one element. */
const one = (selector, within = document) => within.querySelector(selector);
const all = (selector, within = document) => [...within.querySelectorAll(selector)];

/** Things that want to hear that the theme has changed. */
const onTheme = [];

/** The button that changes between light and dark; at first the page is as the system is. */
function startTheme() {
  const system = matchMedia("(prefers-color-scheme: dark)");
  const button = one("#theme");
  const root = document.documentElement;
  const dark = () => (root.dataset.theme || (system.matches ? "dark" : "light")) === "dark";
  const told = () => {
    button.textContent = dark() ? "Light" : "Dark";
    button.setAttribute("aria-label", dark() ? "Use light colours" : "Use dark colours");
    onTheme.forEach((f) => f());
  };
  button.addEventListener("click", () => {
    root.dataset.theme = dark() ? "light" : "dark";
    told();
  });
  system.addEventListener("change", told);
  button.hidden = false;
  told();
}

/** How many rows of a table are shown before the reader asks for all. */
const firstRows = 20;

/** Makes a table sort by a click on a column's head, and filter by what its rows say. */
class SortedTable {
  constructor(table) {
    this.body = one("tbody", table);
    this.rows = all("tr", this.body);
    this.texts = new Map(this.rows.map((row) => [row, row.textContent.toLowerCase()]));
    this.heads = all("thead th", table);
    this.heads.forEach((head, i) => this.addButton(head, i));
    this.tools = one(`[data-tools="${table.dataset.table}"]`);
    this.query = "";
    this.whole = false;
    this.startTools(table);
    this.show();
  }

  addButton(head, i) {
    const button = document.createElement("button");
    button.type = "button";
    button.textContent = head.textContent;
    button.addEventListener("click", () => this.sort(i));
    head.replaceChildren(button);
  }

  startTools(table) {
    this.tools.hidden = false;
    const field = one("input", this.tools);
    field.setAttribute("aria-label", "Filter " + one("caption", table).textContent);
    field.addEventListener("input", () => {
      this.query = field.value.trim().toLowerCase();
      this.show();
    });
    this.more = one(".all", this.tools);
    this.more.addEventListener("click", () => {
      this.whole = !this.whole;
      this.show();
    });
  }

  /** Sorts by a column: numbers from the largest, texts from A to Z with rank9 before rank10, or the
      other way round if the column is the one that rows are sorted by. */
  sort(i) {
    const head = this.heads[i];
    const number = head.classList.contains("n");
    const was = head.getAttribute("aria-sort");
    const down = was ? was === "ascending" : number;
    const sign = down ? -1 : 1;
    const value = (row) => {
      const cell = row.children[i];
      if (!number) return cell.textContent;
      return head.dataset.by === "size" ? Math.abs(cell.dataset.v) : Number(cell.dataset.v);
    };
    const compare = number ? (x, y) => x - y : new Intl.Collator(undefined, { numeric: true }).compare;
    const keys = new Map(this.rows.map((row) => [row, value(row)]));
    this.rows.sort((x, y) => sign * compare(keys.get(x), keys.get(y)));
    this.heads.forEach((h) => h.removeAttribute("aria-sort"));
    head.setAttribute("aria-sort", down ? "descending" : "ascending");
    this.body.append(...this.rows);
    this.show();
  }

  /** Shows the rows that hold what is typed: the first, or all. */
  show() {
    let found = 0;
    for (const row of this.rows) {
      const holds = this.texts.get(row).includes(this.query);
      found += holds;
      row.hidden = !holds || (!this.whole && found > firstRows);
    }
    const shown = this.whole ? found : Math.min(found, firstRows);
    one("[role=status]", this.tools).textContent = `${shown} of ${this.rows.length} rows` +
      (this.query ? `, ${found} found` : "");
    this.more.hidden = found <= firstRows;
    this.more.textContent = this.whole ? "Show fewer" : "Show all";
  }
}

/** Scrolls pictures that are wider than the page to their middle, where the finding is. */
function startPlaces() {
  const middle = (box) => { box.scrollLeft = (box.scrollWidth - box.clientWidth) / 2; };
  const seen = new ResizeObserver((boxes) => boxes.forEach((b) => middle(b.target)));
  all(".place .scroll").forEach((box) => seen.observe(box));
}

/** Opens the pictures of places before the page is printed, and closes them again. */
function startPrinting() {
  let opened = [];
  addEventListener("beforeprint", () => {
    opened = all("details.place:not([open])");
    opened.forEach((d) => { d.open = true; });
  });
  addEventListener("afterprint", () => opened.forEach((d) => { d.open = false; }));
}

startTheme();
all("table.sortable").forEach((table) => new SortedTable(table));
startPlaces();
startPrinting();
