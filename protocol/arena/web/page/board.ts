// A position: its boards, on which moves can be clicked, dragged or made by keys, and its counters, hands and facts.
import { announce, draw, h, svg } from "./dom.js";
import type { Move, Position, Spot } from "./types.js";

export const id = (s: Spot) => `${s.board}-${s.column}-${s.row}`;

// Look is the options of drawing a position.
export interface Look {
  turned?: boolean; own?: string; last?: Move[]; deciding?: Spot[]; decorative?: boolean;
}

// shown makes the element of a position.
export function shown(p: Position, look: Look = {}): HTMLElement {
  const beside = h("div", { class: "beside" });
  for (const c of p.counters ?? []) {
    const text = c.turn ? [h("b", null, c.value), " to move"]
      : [c.name, c.holder && " of " + c.holder, c.value && [" ", h("b", null, c.value)]];
    beside.append(h("span", { class: c.clock ? "counter clock-of" : "counter" }, c.color && dot(c.color), text));
  }
  for (const { name, holder, items } of p.hands ?? []) {
    const of = holder ? ` of ${holder}: ` : ": ";
    beside.append(h("span", { class: "counter" }, name + of, h("b", null, items.join(", "))));
  }
  const facts = (p.facts ?? []).filter((f) => f.startsWith("("));
  for (const f of p.facts ?? []) if (!f.startsWith("(")) beside.append(h("span", { class: "counter" }, f));
  const boards = h("div", { class: "boards", "aria-hidden": look.decorative && "true" }, svg(p.svg));
  const picture = boards.querySelector("svg");
  if (picture && !look.decorative) { // a small board does not fill the page
    picture.style.maxWidth = `min(100%, ${2.6 * Number(picture.getAttribute("width"))}px)`;
  }
  if (look.turned) turn(boards);
  if (look.own) near(boards, look.own, look.turned);
  mark(boards, "last", (look.last ?? []).flatMap((m) => (m.line || m.aimed ? [] : m.spots ?? [])));
  mark(boards, "deciding", look.deciding ?? []);
  return h("div", { class: "position" }, boards, beside,
    facts.length > 0 && h("details", { class: "facts", open: !p.svg && facts.length < 60 },
      h("summary", null, facts.length + (facts.length === 1 ? " fact" : " facts") + " beside the board"),
      h("p", null, facts.join(" "))));
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
    const isLeft = name === "last" && cell.classList.contains("slot"); // by the card that was played
    if (here && !isLeft) ring(cell, name);
  }
}

// ring outlines a cell, above everything else on its board.
function ring(cell: Element, name: string): Element {
  const copy = document.createElementNS(cell.namespaceURI, cell.tagName);
  for (const a of ["x", "y", "width", "height", "points"]) {
    if (cell.hasAttribute(a)) copy.setAttribute(a, cell.getAttribute(a)!);
  }
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
  for (const piece of all.querySelectorAll(".board > g")) {
    piece.setAttribute("transform", piece.getAttribute("transform") + " rotate(180)");
  }
  for (const text of all.querySelectorAll(".board > text")) {
    text.setAttribute("transform", `rotate(180 ${text.getAttribute("x")} ${text.getAttribute("y")})`);
  }
}

// translation returns the place of a piece, in the units of the drawing.
const translation = (piece: Element) => /translate\(([-\d.]+) ([-\d.]+)\)/.exec(piece.getAttribute("transform") ?? "");

// near exchanges the rows of trays so that a role's own row is the nearest to its player, and names it "you". It dims
// the choices of other roles.
function near(at: Element, role: string, turned = false) {
  const y = (e: Element) => Number(e.getAttribute("y"));
  for (const own of at.querySelectorAll(`[data-holder="${CSS.escape(role)}"]`)) {
    const rows = [...own.parentElement!.querySelectorAll("[data-holder]")];
    const from = y(own), to = y(rows[turned ? 0 : rows.length - 1]);
    own.textContent = "you";
    own.classList.add("me");
    for (const e of own.parentElement!.children) {
      const place = translation(e), middle = place ? Number(place[2]) : y(e) + Number(e.getAttribute("height")) / 2;
      const isOwn = Math.abs(middle - from) < 20;
      const by = isOwn ? to - from : Math.abs(middle - to) < 20 ? from - to : 0;
      e.classList.toggle("dim", !isOwn && own.parentElement!.classList.contains("choice"));
      const transform = e.getAttribute("transform") ?? "";
      if (place) e.setAttribute("transform", transform.replace(place[0], `translate(${place[1]} ${middle + by})`));
      else e.setAttribute("y", String(y(e) + by));
    }
  }
}

// glide lets pieces move from their places on the board before a move, and new pieces appear. age is the time since
// the move, in milliseconds.
export function glide(before: Element, after: Element, age: number) {
  const time = 250;
  if (age >= time || matchMedia("(prefers-reduced-motion: reduce)").matches) return;
  const pieces = (of: Element) => new Map([...of.querySelectorAll<SVGElement>(".board > g")].map((g) =>
    [g.parentElement!.getAttribute("transform") + g.outerHTML, g]));
  const old = pieces(before), now = pieces(after);
  const gone = [...old].filter(([key]) => !now.has(key)).map(([, g]) => g);
  for (const [key, piece] of now) {
    if (old.has(key)) continue;
    const from = gone.findIndex((g) => g.innerHTML === piece.innerHTML);
    const a = from < 0 ? null : translation(gone[from]), b = translation(piece);
    if (from >= 0) gone.splice(from, 1);
    const start = a && b ? { translate: `${+a[1] - +b[1]}px ${+a[2] - +b[2]}px` } : { opacity: 0 };
    const end = a && b ? { translate: "0px 0px" } : { opacity: 1 };
    piece.animate([start, end], { duration: time, easing: "ease-out" }).currentTime = age;
  }
}

// captured returns the pieces that have left the boards since the first position. It returns false if pieces are added.
export function captured(first: Position, now: Element): HTMLElement | false {
  const pieces = (at: Element) =>
    [...at.querySelectorAll(".board > g")].filter((g) => !g.parentElement!.querySelector(".slot"));
  const before = pieces(h("div", null, svg(first.svg))), left = pieces(now).map((g) => g.innerHTML);
  if (left.length >= before.length) return false;
  const gone = before.filter((g) => {
    const i = left.indexOf(g.innerHTML);
    if (i >= 0) left.splice(i, 1);
    return i < 0;
  });
  return h("span", { class: "counter captured" }, "Captured ", gone.map((g) => draw("svg", {
    viewBox: "-18 -18 36 36", role: "img", "aria-label": g.querySelector("title")?.textContent ?? "piece",
  }, ...g.childNodes)));
}

// how says where on a board a move is chosen.
export function how(moves: Move[], board: Element): string {
  const onBoard = moves.filter((m) => m.spots?.length), first = onBoard[0]?.spots;
  if (!first) return "choose from the list";
  const cell = (s: Spot) => board.querySelector(`[data-spot="${id(s)}"]`);
  const rest = onBoard.length < moves.length ? ", or a move from the list" : "";
  if (onBoard[0].line) return `choose a ${first.every((s) => s.column === first[0].column) ? "column" : "row"}${rest}`;
  if (onBoard.some((m) => !m.aimed && m.spots!.length > 1)) {
    return (isEmpty(cell(first[0])) ? "choose a cell, then the next one" : "choose a piece, then its target") + rest;
  }
  const names = onBoard.map((m) => id(m.spots![0])), at = cell(first[0]), tray = at?.closest(".board");
  const thing = !at?.classList.contains("slot") ? "cell" : tray!.querySelector(".face") ? "card"
    : tray!.querySelector(".rim") ? `place, such as ${onBoard[0].text}` : "piece";
  return (isPlacement(moves, board.querySelectorAll("[data-spot]")) ? "choose an empty " : "choose a marked ") + thing +
    (new Set(names).size < names.length ? ", then a move from the list" : rest);
}

const isEmpty = (cell?: Element | null) => /: empty(, |$)/.test(cell?.getAttribute("aria-label") ?? "");

// isPlacement reports whether moves name all empty cells, one each, and no others.
function isPlacement(moves: Move[], cells: Iterable<Element>): boolean {
  const named = new Set(moves.flatMap((m) => (m.spots ?? []).map(id)));
  const boards = new Set(moves.flatMap((m) => (m.spots ?? []).map((s) => String(s.board))));
  return [...cells].every((cell) => {
    const spot = cell.getAttribute("data-spot")!;
    return !boards.has(spot.split("-")[0]) || isEmpty(cell) === named.has(spot);
  });
}

// keepingFocus draws anew and keeps the focus on the same cell, or the element of the same name. A cell without
// its moves cannot have the focus yet; it gets the focus at a later drawing.
export function keepingFocus(draw: () => void) {
  const at = document.activeElement;
  const nowhere = () => !document.activeElement || document.activeElement === document.body;
  const spot = nowhere() ? lost : at?.getAttribute("data-spot"), name = at?.getAttribute("data-focus") ?? at?.id;
  draw();
  lost = null;
  if (!nowhere()) return;
  const find = (selector: string) => document.querySelector<HTMLElement | SVGElement>(selector);
  if (spot) (find(`main [data-spot="${spot}"]`) ?? find(".can"))?.focus();
  else if (name) (find(`[data-focus="${CSS.escape(name)}"], #${CSS.escape(name)}`) ?? find("#main"))?.focus();
  if (nowhere() && spot) lost = spot;
}
let lost: string | null = null; // the cell that had the focus

const arrows = ["ArrowLeft", "ArrowRight", "ArrowUp", "ArrowDown"];

// Chooser offers the legal moves: on the board, cell by cell, or in a list
// with a filter. It plays a move once the chosen cells leave no other.
export class Chooser {
  readonly list = h("div", { class: "moves", role: "group", "aria-label": "Legal moves" });
  private selected: string[] = [];
  private filter = "";
  private focused: Element | null = null;
  private readonly cells = new Map<string, SVGElement>();
  private readonly names = new Map<string, string>();
  private readonly used: Set<string>; // by a move; another role may choose on other cells
  private readonly isGuided: boolean; // the first cells are marked, too

  constructor(
    private readonly board: HTMLElement, private readonly moves: Move[],
    private readonly play: (move: string) => void, private readonly chosen?: string,
  ) {
    for (const cell of board.querySelectorAll<SVGElement>("[data-spot]")) {
      const spot = cell.getAttribute("data-spot")!;
      this.cells.set(spot, cell);
      this.names.set(spot, cell.getAttribute("aria-label") ?? "");
    }
    const used = this.used = new Set(moves.flatMap((m) => (m.spots ?? []).map(id)));
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
    const isSingle = moves.every((m) => !m.line && (m.aimed || (m.spots?.length ?? 0) < 2));
    this.isGuided = !chosen && isSingle && !isPlacement(moves, this.cells.values());
    this.render();
    const stop = this.cells.get([...this.first()][0] ?? ""); // Tab reaches this cell, arrows reach the others
    stop?.setAttribute("tabindex", "0");
  }

  private key(e: KeyboardEvent, spot: string, cell: SVGElement) {
    if (e.key === "Enter" || e.key === " ") { e.preventDefault(); this.click(spot); }
    if (e.key === "Escape") { this.selected = []; this.render(); }
    if (e.key.startsWith("Arrow")) { e.preventDefault(); e.stopPropagation(); this.step(cell, e.key); }
  }

  // steer makes the move in the direction of an arrow key, if all moves go from one cell to cells beside it.
  // It reports whether there is such a move.
  steer(key: string): boolean {
    if (this.chosen || !this.moves.every((m) => m.aimed && m.spots?.length)) return false;
    const targets = this.moves.map((m) => this.cells.get(id(m.spots![0]))!);
    const beside = (from: SVGElement) => arrows.map((a) => this.nearest(from, a));
    const from = [...this.cells.values()].find((c) => !isEmpty(c) && targets.every((t) => beside(c).includes(t)));
    const to = from && this.nearest(from, key), i = to ? targets.indexOf(to) : -1;
    if (i >= 0) this.play(this.moves[i].move);
    return i >= 0;
  }

  // nearest returns the nearest cell in a direction.
  private nearest(from: SVGElement, key: string): SVGElement | null {
    const [dx, dy] = [[-1, 0], [1, 0], [0, -1], [0, 1]][arrows.indexOf(key)] ?? [0, 0];
    const place = (e: Element) => {
      const r = e.getBoundingClientRect();
      return [r.x + r.width / 2, r.y + r.height / 2];
    };
    const [x, y] = place(from);
    let nearest: SVGElement | null = null, least = Infinity;
    for (const cell of this.cells.values()) {
      if (cell === from) continue;
      const [cx, cy] = place(cell), across = Math.abs((cx - x) * dy + (cy - y) * dx);
      const along = (cx - x) * dx + (cy - y) * dy;
      if (along > 1 && along + 2 * across < least) { nearest = cell; least = along + 2 * across; }
    }
    return nearest;
  }

  // step moves the focus in a direction.
  private step(from: SVGElement, key: string) {
    const nearest = this.nearest(from, key);
    if (!nearest) return;
    from.setAttribute("tabindex", "-1");
    nearest.setAttribute("tabindex", "0");
    nearest.focus();
  }

  // drag moves a piece with the pointer to the cell where it is released.
  private drag(e: PointerEvent, spot: string) {
    if (e.pointerType === "touch" || e.button !== 0 || !this.first().has(spot)) return;
    const cell = this.cells.get(spot)!, box = cell.getBoundingClientRect();
    const inside = (r: DOMRect) => Math.abs(r.x + r.width / 2 - box.x - box.width / 2) < box.width / 2 &&
      Math.abs(r.y + r.height / 2 - box.y - box.height / 2) < box.height / 2;
    const pieces = [...this.board.querySelectorAll<SVGElement>(".board > g")];
    const piece = pieces.find((g) => inside(g.getBoundingClientRect()));
    const scale = (cell as SVGGraphicsElement).getScreenCTM()?.a ?? 1;
    const move = (to: PointerEvent) => {
      if (piece) piece.style.translate = `${(to.clientX - e.clientX) / scale}px ${(to.clientY - e.clientY) / scale}px`;
    };
    const end = (to: PointerEvent) => {
      document.removeEventListener("pointermove", move);
      document.removeEventListener("pointercancel", end);
      if (piece) piece.style.translate = "";
      const target = document.elementsFromPoint(to.clientX, to.clientY)
        .find((at) => at.hasAttribute("data-spot"))?.getAttribute("data-spot");
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
    const n = this.selected.length;
    return new Set(this.candidates().flatMap((m) => (m.line ? m.spots! : (m.spots ?? []).slice(n, n + 1)).map(id)));
  }

  private click(spot: string) {
    if (this.selected.includes(spot)) {
      this.selected = [];
    } else {
      this.selected.push(spot);
      if (this.candidates().length === 0) this.selected = [spot];
      const left = this.candidates();
      if (left.length === 1) return this.play(left[0].move);
      announce(left.length === 0 ? "No legal move uses this cell."
        : `${left.length} moves: ${left.slice(0, 8).map((m) => m.text).join(", ")}`);
    }
    this.render();
  }

  private render() {
    const fit = this.candidates(), first = this.first(), n = this.selected.length;
    for (const old of this.board.querySelectorAll(".target")) old.remove();
    for (const spot of this.used) {
      const cell = this.cells.get(spot);
      if (!cell) continue;
      const can = first.has(spot) && !this.selected.includes(spot), selected = this.selected.includes(spot);
      cell.classList.toggle("can", can);
      cell.classList.toggle("selected", selected);
      if (can && !cell.classList.contains("slot") && (this.isGuided || this.selected.length > 0)) { // a destination
        const [cx, cy] = middle(cell);
        if (isEmpty(cell)) cell.parentNode!.append(draw("circle", { cx, cy, r: 6, class: "target" }));
        else ring(cell, "target").classList.add("target");
      }
      const only = can ? fit.filter((m) => !m.line && m.spots?.[n] && id(m.spots[n]) === spot) : [];
      const name = this.names.get(spot)!;
      const move = only.length === 1 && !name.startsWith(only[0].text + ":") ? only[0].text : "";
      const state = selected ? ", selected" : can ? ", possible" : "";
      cell.replaceChildren(...(move ? [draw("title", {}, move)] : []));
      cell.setAttribute("aria-label", name + state + (move && ": " + move));
    }
    const most = 200;
    const input = h("input", {
      type: "search", placeholder: "Filter moves", "aria-label": "Filter moves", value: this.filter,
      oninput: () => { this.filter = input.value; this.render(); },
    });
    const had = this.list.contains(document.activeElement) && document.activeElement!.matches("input");
    const move = (m: Move) => h("button", {
      type: "button", class: m.move === this.chosen ? "move chosen" : "move", "data-move": m.move, title: m.move,
      "data-focus": "move " + m.move, "aria-pressed": String(m.move === this.chosen), onclick: () => this.play(m.move),
    }, m.text);
    this.list.replaceChildren(...(this.moves.length > 12 ? [input] : []), ...fit.slice(0, most).map(move),
      ...(fit.length > most ? [h("span", { class: "quiet" }, `and ${fit.length - most} more`)] : []));
    if (had) { input.focus(); input.setSelectionRange(this.filter.length, this.filter.length); }
  }
}
