// A position: its boards, on which moves can be clicked, and all that is beside them.
import { h, svg } from "./dom.js";
import type { Move, Position, Spot } from "./types.js";

const id = (s: Spot) => `${s.board}-${s.column}-${s.row}`;

// shown makes the element of a position.
export function shown(p: Position): HTMLElement {
  const beside = h("div", { class: "beside" });
  for (const c of p.counters ?? []) {
    beside.append(h("span", { class: "counter" }, h("b", null, c.name + (c.holder ? " " + c.holder : "")), " " + c.value));
  }
  for (const hand of p.hands ?? []) {
    beside.append(h("div", { class: "hand" }, h("b", null, hand.name + " " + hand.holder), hand.items.map((i) => h("span", { class: "card" }, i))));
  }
  const facts = p.facts ?? [];
  return h("div", { class: "position" },
    h("div", { class: "boards" }, svg(p.svg)), beside,
    facts.length > 0 && h("details", { class: "facts", open: !p.svg && facts.length < 60 },
      h("summary", null, facts.length === 1 ? "1 other fact" : facts.length + " other facts"), h("p", null, facts.join(" "))));
}

// keepingFocus draws a position anew, for whoever plays by keyboard.
export function keepingFocus(draw: () => void) {
  const spot = document.activeElement?.getAttribute("data-spot");
  draw();
  if (spot) (document.querySelector<SVGElement>(`[data-spot="${spot}"][tabindex]`) ?? document.querySelector<SVGElement>(".can"))?.focus();
}

// Chooser lets somebody choose a legal move: on the board, cell by cell, or in a list
// with a filter. A cell that leaves one move plays it.
export class Chooser {
  readonly list = h("div", { class: "moves", role: "listbox", "aria-label": "Legal moves" });
  private selected: string[] = [];
  private filter = "";
  private readonly cells = new Map<string, Element>();

  constructor(board: HTMLElement, private readonly moves: Move[], private readonly play: (move: string) => void, private readonly chosen?: string) {
    for (const cell of board.querySelectorAll("[data-spot]")) this.cells.set(cell.getAttribute("data-spot")!, cell);
    for (const spot of new Set(moves.flatMap((m) => (m.spots ?? []).map(id)))) {
      const cell = this.cells.get(spot);
      if (!cell) continue;
      cell.setAttribute("tabindex", "0");
      cell.setAttribute("role", "button");
      cell.addEventListener("click", () => this.click(spot));
      cell.addEventListener("keydown", (e) => {
        const key = (e as KeyboardEvent).key;
        if (key === "Enter" || key === " ") { e.preventDefault(); this.click(spot); }
        if (key.startsWith("Arrow")) { e.preventDefault(); this.step(cell, key); }
      });
    }
    this.render();
  }

  // step goes to the nearest cell in a direction.
  private step(from: Element, key: string) {
    const [dx, dy] = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] }[key]!;
    const middle = (e: Element) => { const r = e.getBoundingClientRect(); return [r.x + r.width / 2, r.y + r.height / 2]; };
    const [x, y] = middle(from);
    let nearest: Element | null = null, least = Infinity;
    for (const cell of this.cells.values()) {
      if (!cell.hasAttribute("tabindex") || cell === from) continue;
      const [cx, cy] = middle(cell), along = (cx - x) * dx + (cy - y) * dy, across = Math.abs((cx - x) * dy + (cy - y) * dx);
      if (along > 1 && along + 2 * across < least) { nearest = cell; least = along + 2 * across; }
    }
    (nearest as SVGElement | null)?.focus();
  }

  // candidates are the moves that fit what was clicked and typed.
  private candidates(): Move[] {
    let fit = this.moves;
    for (let i = 0; i < this.selected.length; i++) {
      const at = fit.filter((m) => !m.line && m.spots?.[i] && id(m.spots[i]) === this.selected[i]);
      fit = at.length > 0 ? at : fit.filter((m) => m.spots?.some((s) => id(s) === this.selected[i]));
    }
    const words = this.filter.toLowerCase().split(/\s+/).filter(Boolean);
    return fit.filter((m) => words.every((w) => m.move.toLowerCase().includes(w)));
  }

  private click(spot: string) {
    if (this.selected.includes(spot)) {
      this.selected = [];
    } else {
      this.selected.push(spot);
      if (this.candidates().length === 0) this.selected = [spot];
      const left = this.candidates();
      if (left.length === 1) return this.play(left[0].move);
    }
    this.render();
  }

  private render() {
    const fit = this.candidates();
    // What can be clicked next: the next cell of a move that names several.
    const first = new Set(fit.flatMap((m) => (m.line ? m.spots! : (m.spots ?? []).slice(this.selected.length, this.selected.length + 1)).map(id)));
    for (const [spot, cell] of this.cells) {
      cell.classList.toggle("can", first.has(spot) && !this.selected.includes(spot));
      cell.classList.toggle("selected", this.selected.includes(spot));
    }
    const most = 200;
    const input = h("input", { type: "search", placeholder: "Filter moves", "aria-label": "Filter moves", value: this.filter,
      oninput: (e: Event) => { this.filter = (e.target as HTMLInputElement).value; this.render(); } });
    const had = this.list.querySelector("input") === document.activeElement && this.list.contains(document.activeElement);
    this.list.replaceChildren(
      ...(this.moves.length > 12 ? [input] : []),
      ...fit.slice(0, most).map((m) => h("button", { type: "button", role: "option", class: m.move === this.chosen ? "move chosen" : "move",
        onclick: () => this.play(m.move) }, m.move)),
      ...(fit.length > most ? [h("span", { class: "quiet" }, `and ${fit.length - most} more`)] : []));
    if (had) { input.focus(); input.setSelectionRange(this.filter.length, this.filter.length); }
  }
}
