// Moves in readable form: e2–e4 for (move e 2 e 4). The server knows which cells a move names.
import { get, h, post } from "./dom.js";
import type { Choices, Move } from "./types.js";

// Words are the moves of one game.
export class Words {
  private readonly known = new Map<string, Move>();
  private pending = new Set<string>();
  private asking: Promise<void> | null = null;

  constructor(private readonly game: string) {}

  // learn keeps the texts of legal moves.
  learn(legal: Move[][]) { for (const list of legal) for (const m of list) this.known.set(m.move, m); }

  of(move: string): Move { return this.known.get(move) ?? { move, text: move.replace(/^\(([^()]*)\)$/, "$1") }; }

  // ask fetches the texts of moves, and reports whether any text was unknown. Calls end in their order, so a drawing
  // made after a call is never replaced by an older one.
  async ask(moves: string[]): Promise<boolean> {
    const fresh = moves.filter((m) => !this.known.has(m));
    for (const m of fresh) this.pending.add(m);
    while (this.pending.size > 0 || this.asking) { this.asking ??= this.fetch(); await this.asking; }
    return fresh.length > 0;
  }

  private async fetch() {
    const moves = [...this.pending].slice(0, 500);
    for (const m of moves) { this.pending.delete(m); this.known.set(m, this.of(m)); }
    try {
      for (const m of await post<Move[]>("api/moves", { game: this.game, moves })) this.known.set(m.move, m);
    } catch { /* the moves stay as in the rules */ }
    this.asking = null;
  }

  // show returns a move, with its term as a tooltip.
  show(move: string): HTMLElement { return h("span", { class: "term", title: move }, this.of(move).text); }

  // joint lists the moves of a joint move by role, without waiting moves: noop, and names beside terms.
  joint(moves: string[]): { role: number; move: string }[] {
    const all = moves.map((move, role) => ({ role, move })), terms = all.filter((m) => m.move.startsWith("("));
    const active = terms.length > 0 ? terms : all.filter((m) => m.move !== "noop");
    return active.length > 0 ? active : all;
  }

  // numbers counts joint moves as players do: from cell to cell in pairs, as in chess, and one by one if pieces are
  // placed, as in hex.
  numbers(joints: string[][]): string[] {
    const active = joints.map((j) => this.joint(j)), movers = active.map((a) => a.map((m) => m.role).join());
    const isMoved = (m: Move) => !m.line && (m.spots?.length ?? 0) > 1;
    const inPairs = movers.every((m, i) => m.length === 1 && m !== movers[i - 1] && m === movers[i % 2]) &&
      active.every(([m]) => isMoved(this.of(m.move)));
    return joints.map((_, i) => (inPairs ? Math.floor(i / 2) + 1 + (i % 2 ? "…" : ".") : i + 1 + "."));
  }

  text(moves: string[]): string { return this.joint(moves).map((m) => this.of(m.move).text).join(" · "); }

  line(joints: string[][], most = 12): string {
    return joints.slice(0, most).map((j) => this.text(j)).join(", ") + (joints.length > most ? " …" : "");
  }

  shown(joint: string[]): HTMLElement {
    return h("span", { class: "term", title: joint.join("  ") }, this.text(joint));
  }
}

const games = new Map<string, Words>();

// words returns the moves of a game, kept while the page is open.
export function words(game: string): Words {
  let w = games.get(game);
  if (!w) games.set(game, (w = new Words(game)));
  return w;
}

// titled returns the title of a game with its size: "Connect Four, 9x7" for connectFour-9x7.
export const titled = (name: string, title?: string) =>
  title ? title + name.replace(/^[^-]*/, "").replace("-", ", ") : name;

let titles: Promise<Map<string, string | undefined>> | null = null;

// named returns an element with the title of a game, as soon as it is known.
export function named(game: string): HTMLElement {
  const element = h("span", { title: game }, game);
  titles ??= get<Choices>("api/games").then((c) => new Map(c.games.map((g) => [g.name, g.title])));
  const show = (known: Map<string, string | undefined>) => {
    element.textContent = known.get(game) ?? titled(game, known.get(game.split("-")[0]));
  };
  titles.then(show, () => { titles = null; });
  return element;
}
