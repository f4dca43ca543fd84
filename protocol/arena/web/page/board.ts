// A position: its boards, on which moves can be clicked, dragged or made by keys, and its counters, hands and facts.
import { announce, draw, h, svg } from "./dom.js";
import type { Move, Position, Spot } from "./types.js";

export const id = (s: Spot) => `${s.board}-${s.column}-${s.row}`;

// Look is the options of drawing a position.
export interface Look { turned?: boolean; last?: Move[]; deciding?: Spot[]; decorative?: boolean }

// shown makes the element of a position.
export function shown(p: Position, look: Look = {}): HTMLElement {
  const beside = h("div", { class: "beside" });
  for (const c of p.counters ?? []) {
    const text = c.turn ? [h("b", null, c.value), " to move"] : [c.name, c.holder && " of " + c.holder, c.value && [" ", h("b", null, c.value)]];
    beside.append(h("span", { class: c.clock ? "counter clock-of" : "counter" }, c.color && dot(c.color), text));
  }
  for (const hand of p.hands ?? []) {
    beside.append(h("span", { class: "counter" }, hand.name + (hand.holder ? " of " + hand.holder : "") + ": ", h("b", null, hand.items.join(", "))));
  }
  const facts = (p.facts ?? []).filter((f) => f.startsWith("("));
  for (const f of p.facts ?? []) if (!f.startsWith("(")) beside.append(h("span", { class: "counter" }, f));
  const boards = h("div", { class: "boards", "aria-hidden": look.decorative && "true" }, svg(p.svg));
  const picture = boards.querySelector("svg");
  if (picture && !look.decorative) picture.style.maxWidth = `min(100%, ${2.6 * Number(picture.getAttribute("width"))}px)`; // a small board does not fill the page
  if (look.turned) turn(boards);
  mark(boards, "last", (look.last ?? []).flatMap((m) => (m.line || m.aimed ? [] : m.spots ?? [])));
  mark(boards, "deciding", look.deciding ?? []);
  return h("div", { class: "position" }, boards, beside,
    facts.length > 0 && h("details", { class: "facts", open: !p.svg && facts.length < 60 },
      h("summary", null, facts.length === 1 ? "1 fact beside the board" : facts.length + " facts beside the board"), h("p", null, facts.join(" "))));
}

// dot returns a dot in a role's colour.
export const dot = (color: string) => h("span", { class: "dot-of " + color, "aria-hidden": "true" });

// mark gives cells a class and a ring above their neighbours, and removes both from the other cells.
export function mark(at: Element, name: string, spots: Spot[]) {
  const wanted = new Set(spots.map(id));
  for (const old of at.querySelectorAll(".ring-" + name)) old.remove();
  for (const cell of at.querySelectorAll("[data-spot]")) {
    const here = wanted.has(cell.getAttribute("data-spot")!);
    cell.classList.toggle(name, here);
    if (here && !(name === "last" && cell.classList.contains("slot"))) ring(cell, name); // a played card has left its place
  }
}

// ring outlines a cell, above everything else on its board.
function ring(cell: Element, name: string): Element {
  const copy = document.createElementNS(cell.namespaceURI, cell.tagName);
  for (const a of ["x", "y", "width", "height", "points"]) if (cell.hasAttribute(a)) copy.setAttribute(a, cell.getAttribute(a)!);
  copy.setAttribute("class", "ring ring-" + name);
  cell.parentNode!.append(copy);
  return copy;
}

// middle returns the middle of a cell, in the units of the drawing.
function middle(cell: Element): [number, number] {
  const n = (name: string) => Number(cell.getAttribute(name));
  const points = (cell.getAttribute("points") ?? "").split(" ").filter(Boolean).map((p) => p.split(",").map(Number));
  if (points.length === 0) return [n("x") + n("width") / 2, n("y") + n("height") / 2];
  return [0, 1].map((i) => points.reduce((sum, p) => sum + p[i], 0) / points.length) as [number, number];
}

// turn rotates boards by 180 degrees; letters and pieces stay upright.
function turn(at: Element) {
  const picture = at.querySelector("svg");
  if (!picture) return;
  const [x, y, w, height] = picture.getAttribute("viewBox")!.split(" ").map(Number);
  const all = document.createElementNS("http://www.w3.org/2000/svg", "g");
  all.setAttribute("transform", `rotate(180 ${x + w / 2} ${y + height / 2})`);
  all.append(...picture.childNodes);
  picture.append(all);
  for (const piece of all.querySelectorAll(".board > g")) piece.setAttribute("transform", piece.getAttribute("transform") + " rotate(180)");
  for (const text of all.querySelectorAll(".board > text")) text.setAttribute("transform", `rotate(180 ${text.getAttribute("x")} ${text.getAttribute("y")})`);
}

// keepingFocus draws anew and keeps the focus on the same cell, or the element of the same name. A cell without
// its moves cannot have the focus yet; it gets the focus at a later drawing.
export function keepingFocus(draw: () => void) {
  const at = document.activeElement, nowhere = () => !document.activeElement || document.activeElement === document.body;
  const spot = nowhere() ? lost : at?.getAttribute("data-spot"), name = at?.getAttribute("data-focus") ?? at?.id;
  draw();
  lost = null;
  if (!nowhere()) return;
  if (spot) (document.querySelector<SVGElement>(`main [data-spot="${spot}"]`) ?? document.querySelector<SVGElement>(".can"))?.focus();
  else if (name) (document.querySelector<HTMLElement>(`[data-focus="${CSS.escape(name)}"]`) ?? document.getElementById(name) ?? document.getElementById("main"))?.focus();
  if (nowhere() && spot) lost = spot;
}
let lost: string | null = null; // the cell that had the focus

// Chooser offers the legal moves: on the board, cell by cell, or in a list
// with a filter. It plays a move once the chosen cells leave no other.
export class Chooser {
  readonly list = h("div", { class: "moves", role: "group", "aria-label": "Legal moves" });
  private selected: string[] = [];
  private filter = "";
  private focused: Element | null = null;
  private readonly cells = new Map<string, SVGElement>();
  private readonly names = new Map<string, string>();

  constructor(private readonly board: HTMLElement, private readonly moves: Move[], private readonly play: (move: string) => void, private readonly chosen?: string) {
    for (const cell of board.querySelectorAll<SVGElement>("[data-spot]")) {
      const spot = cell.getAttribute("data-spot")!;
      this.cells.set(spot, cell);
      this.names.set(spot, cell.getAttribute("aria-label") ?? "");
    }
    const used = new Set(moves.flatMap((m) => (m.spots ?? []).map(id)));
    if (used.size > 0) for (const [spot, cell] of this.cells) {
      cell.setAttribute("tabindex", "-1");
      cell.addEventListener("keydown", (e) => this.key(e as KeyboardEvent, spot, cell));
      cell.addEventListener("focus", () => { if (cell.matches(":focus-visible")) this.focused = ring(cell, "focus"); });
      cell.addEventListener("blur", () => this.focused?.remove());
      if (!used.has(spot)) continue;
      cell.setAttribute("role", "button");
      cell.addEventListener("click", () => this.click(spot));
      cell.addEventListener("pointerdown", (e) => this.drag(e as PointerEvent, spot));
    }
    this.render();
    const stop = this.cells.get([...this.first()][0] ?? ""); // Tab reaches this cell, arrows reach the others
    stop?.setAttribute("tabindex", "0");
  }

  private key(e: KeyboardEvent, spot: string, cell: SVGElement) {
    if (e.key === "Enter" || e.key === " ") { e.preventDefault(); this.click(spot); }
    if (e.key === "Escape") { this.selected = []; this.render(); }
    if (e.key.startsWith("Arrow")) { e.preventDefault(); e.stopPropagation(); this.step(cell, e.key); }
  }

  // step goes to the nearest cell in a direction.
  private step(from: SVGElement, key: string) {
    const [dx, dy] = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] }[key]!;
    const middle = (e: Element) => { const r = e.getBoundingClientRect(); return [r.x + r.width / 2, r.y + r.height / 2]; };
    const [x, y] = middle(from);
    let nearest: SVGElement | null = null, least = Infinity;
    for (const cell of this.cells.values()) {
      if (cell === from) continue;
      const [cx, cy] = middle(cell), along = (cx - x) * dx + (cy - y) * dy, across = Math.abs((cx - x) * dy + (cy - y) * dx);
      if (along > 1 && along + 2 * across < least) { nearest = cell; least = along + 2 * across; }
    }
    if (!nearest) return;
    from.setAttribute("tabindex", "-1");
    nearest.setAttribute("tabindex", "0");
    nearest.focus();
  }

  // drag moves a piece with the pointer to the cell where it is released.
  private drag(e: PointerEvent, spot: string) {
    if (e.pointerType === "touch" || e.button !== 0 || !this.first().has(spot)) return;
    const cell = this.cells.get(spot)!, box = cell.getBoundingClientRect();
    const inside = (r: DOMRect) => r.x + r.width / 2 > box.x && r.x + r.width / 2 < box.right && r.y + r.height / 2 > box.y && r.y + r.height / 2 < box.bottom;
    const piece = [...this.board.querySelectorAll<SVGElement>(".board > g")].find((g) => inside(g.getBoundingClientRect()));
    const scale = (cell as SVGGraphicsElement).getScreenCTM()?.a ?? 1;
    const move = (to: PointerEvent) => { if (piece) piece.style.translate = `${(to.clientX - e.clientX) / scale}px ${(to.clientY - e.clientY) / scale}px`; };
    const end = (to: PointerEvent) => {
      document.removeEventListener("pointermove", move);
      document.removeEventListener("pointercancel", end);
      if (piece) piece.style.translate = "";
      const target = document.elementsFromPoint(to.clientX, to.clientY).find((at) => at.hasAttribute("data-spot"))?.getAttribute("data-spot");
      if (to.type === "pointercancel" || !target || target === spot || !this.cells.has(target)) return;
      this.selected = [spot];
      if (this.first().has(target)) this.click(target); else { this.selected = []; this.render(); }
    };
    document.addEventListener("pointermove", move);
    document.addEventListener("pointerup", end, { once: true });
    document.addEventListener("pointercancel", end, { once: true });
  }

  // candidates are the moves that fit what was clicked and typed.
  private candidates(): Move[] {
    let fit = this.moves;
    for (let i = 0; i < this.selected.length; i++) {
      const at = fit.filter((m) => !m.line && m.spots?.[i] && id(m.spots[i]) === this.selected[i]);
      fit = at.length > 0 ? at : fit.filter((m) => m.spots?.some((s) => id(s) === this.selected[i]));
    }
    const words = this.filter.toLowerCase().split(/\s+/).filter(Boolean);
    return fit.filter((m) => words.every((w) => (m.move + " " + m.text).toLowerCase().includes(w)));
  }

  // first are the cells that can be clicked next: the next cell of a move that names several.
  private first(): Set<string> {
    return new Set(this.candidates().flatMap((m) => (m.line ? m.spots! : (m.spots ?? []).slice(this.selected.length, this.selected.length + 1)).map(id)));
  }

  private click(spot: string) {
    if (this.selected.includes(spot)) {
      this.selected = [];
    } else {
      this.selected.push(spot);
      if (this.candidates().length === 0) this.selected = [spot];
      const left = this.candidates();
      if (left.length === 1) return this.play(left[0].move);
      announce(left.length === 0 ? "No legal move uses this cell." : `${left.length} moves: ${left.slice(0, 8).map((m) => m.text).join(", ")}`);
    }
    this.render();
  }

  private render() {
    const fit = this.candidates(), first = this.first();
    for (const old of this.board.querySelectorAll(".target")) old.remove();
    for (const [spot, cell] of this.cells) {
      const can = first.has(spot) && !this.selected.includes(spot), selected = this.selected.includes(spot);
      cell.classList.toggle("can", can);
      cell.classList.toggle("selected", selected);
      if (can && this.selected.length > 0) { // possible destination
        const [cx, cy] = middle(cell);
        cell.parentNode!.append(draw("circle", { cx, cy, r: 6, class: "target" }));
      }
      cell.setAttribute("aria-label", this.names.get(spot)! + (selected ? ", selected" : can ? ", possible" : ""));
    }
    const most = 200;
    const input = h("input", { type: "search", placeholder: "Filter moves", "aria-label": "Filter moves", value: this.filter,
      oninput: (e: Event) => { this.filter = (e.target as HTMLInputElement).value; this.render(); } });
    const had = this.list.querySelector("input") === document.activeElement && this.list.contains(document.activeElement);
    this.list.replaceChildren(
      ...(this.moves.length > 12 ? [input] : []),
      ...fit.slice(0, most).map((m) => h("button", { type: "button", class: m.move === this.chosen ? "move chosen" : "move", "data-move": m.move, "data-focus": "move " + m.move,
        "aria-pressed": m.move === this.chosen ? "true" : "false", title: m.move, onclick: () => this.play(m.move) }, m.text)),
      ...(fit.length > most ? [h("span", { class: "quiet" }, `and ${fit.length - most} more`)] : []));
    if (had) { input.focus(); input.setSelectionRange(this.filter.length, this.filter.length); }
  }
}
