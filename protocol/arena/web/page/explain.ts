// Explanations of positions by a search or a player.
import { draw, h, percent, points } from "./dom.js";
import type { Words } from "./words.js";
import type { Analysis, Explanation, Matrix, Part, Position } from "./types.js";

// verdict returns the value of a position for a role in words.
export function verdict(a: Analysis, role: number): string {
  if (!a.lower || !a.upper) return a.note ?? "no result yet";
  const name = a.roles[role];
  const low = a.lower[role], high = a.upper[role];
  if (a.proved && low === high) return `${name}: ${points(low)} points, proved`;
  const guess = Math.round(a.estimates?.[role] ?? (low + high) / 2), proved = low > 0 || high < 100;
  const bounds = a.proved && proved ? `; proved: ${points(low)}–${points(high)}` : "";
  return `${name}: about ${guess} points (estimate${bounds})`;
}

// shares lists the moves of a strategy, with their shares if there are several.
export const shares = (strategy: { move: string; probability: number }[], words: Words) => {
  const played = strategy.filter((s) => s.probability > 0).sort((x, y) => y.probability - x.probability).slice(0, 12);
  return played.map((s) => h("span", { class: "share" }, h("b", null, words.show(s.move)),
    played.length > 1 && " " + percent(s.probability)));
};

// explanation shows a player's explanation of its move.
export function explanation(x: Explanation, words: Words): HTMLElement {
  const range = (lower: number, upper: number) => points(lower) + (lower < upper ? "–" + points(upper) : "");
  const work = x.seconds > 0 && ` (${x.by}, ${x.seconds.toFixed(2)} s${x.nodes ? `, ${x.nodes} nodes` : ""})`;
  return h("div", { class: "why" }, h("p", null, h("b", null, words.show(x.move)), " – " + x.why, work),
    (x.values ?? []).map((v) => h("span", { class: "share" }, h("b", null, v.role), " " +
      (v.kind === "proved" ? range(v.lower, v.upper) : "≈ " + points(v.estimate)))),
    (x.strategy ?? []).length > 1 && h("p", null, shares(x.strategy!, words)),
    (x.line ?? []).length > 0 && h("p", { class: "quiet" }, "Line: " + words.line(x.line!)));
}

// advice returns the best moves of a role as a sentence.
export function advice(a: Analysis, role: number, best: { text: string }[]): string {
  if (!a.lower || !a.upper) return a.note ?? "No result yet.";
  const low = a.lower[role], high = a.upper[role], proved = a.proved && low === high;
  const value = proved ? low : a.estimates?.[role] ?? (low + high) / 2;
  const score = `${points(Math.round(value))} points`;
  const rest = a.roles.length === 1 ? score : value >= 99.5 ? "wins" : value <= 0.5 ? "loses"
    : Math.abs(value - 50) <= 5 ? (proved ? "a draw" : "about even") : score + " of 100";
  const moves = best.length > 1 ? `Mix ${best.slice(0, 3).map((m) => m.text).join(", ")}`
    : best.length ? `Best: ${best[0].text}` : "No best move yet";
  const sure = proved ? "proved" : a.proved && (low > 0 || high < 100)
    ? `an estimate; ${points(low)} to ${points(high)} proved` : "an estimate; nothing is proved yet";
  return `${moves} – ${rest}, ${sure}.`;
}

const named = (text: string) => text.charAt(0).toUpperCase() + text.slice(1);

// result names the winners, with the margin if a counter of the position or the goals show it.
export function result(
  roles: string[], goals: number[], mine?: (role: string) => boolean, counters: Position["counters"] = [],
): string {
  const best = Math.max(...goals), next = Math.max(...goals.filter((g) => g < best));
  const winners = roles.filter((_, r) => goals[r] === best);
  const isPlain = goals.every((g) => g === best || g === 0) && best === 100;
  const all = isPlain ? "" : ` (${roles.map((r, i) => `${r} ${goals[i]}`).join(", ")})`;
  if (roles.length === 1) return `The game is over: ${goals[0]} points.`;
  if (winners.length === roles.length) return `A draw${all}.`;
  const alone = mine && roles.filter(mine).length === 1; // a person who plays both sides has not won
  const lead = counters.find((c) => c.lead && c.holder === winners[0]);
  const by = lead ? ` by ${lead.value}` : all ? ` by ${best - next}` : "";
  const isMine = winners.length === 1 && alone && mine(winners[0]);
  return (isMine ? "You" : named(winners.join(" and "))) + ` won${by}${all}.`;
}

// known lists the known values of the moves of a role, the best first.
export function known(
  a: Analysis, r: number, words: Words, choose?: (move: string) => void,
): HTMLElement | false {
  const moves = [...(a.moves?.[r] ?? [])];
  if (moves.length < 2) return false;
  type Known = (typeof moves)[0];
  const isProved = (m: Known) => Number(m.lower === m.upper);
  const value = (m: Known) => Math.min(m.upper, Math.max(m.lower, isProved(m) ? m.lower : m.estimate));
  // First the value that is proved, then the estimate; of equal values short wins and long losses go first.
  moves.sort((x, y) => y.lower - x.lower || value(y) - value(x) || isProved(y) - isProved(x) ||
    ((x.plies ?? 0) - (y.plies ?? 0)) * (value(x) > 50 ? 1 : -1));
  const bounds = (m: Known) => (m.lower > 0 || m.upper < 100 ? `${points(m.lower)}–${points(m.upper)}, ` : "");
  const text = (m: Known) => (isProved(m) ? points(m.lower) : bounds(m) + "≈ " + points(m.estimate)) +
    (m.plies ? `, over in ${m.plies} ${m.plies === 1 ? "ply" : "plies"}` : "");
  const name = ({ move }: Known) => !choose ? words.show(move)
    : h("button", { type: "button", class: "link", title: move, onclick: () => choose(move) }, words.of(move).text);
  return h("details", { open: true }, h("summary", null, `Moves of ${a.roles[r]} by value`),
    h("p", null, moves.slice(0, 24).map((m) => h("span", { class: "share" }, name(m), " " + text(m)))));
}

// matrix shows a position in which two players choose at once.
export function matrix(m: Matrix, words: Words): HTMLElement {
  const part = (p?: number[], i = 0) => p && h("div", { class: "part" }, percent(p[i]),
    h("meter", { min: 0, max: 1, value: p[i], title: percent(p[i]), "aria-label": percent(p[i]) }));
  const head = (scope: string, move: string, p: number[] | undefined, i: number) =>
    h("th", { scope, class: p?.[i] ? "played" : "" }, words.show(move), part(p, i));
  const top = h("tr", null, h("th", { class: "corner" }, `${m.row_role} ↓  ${m.column_role} →`),
    m.columns.map((c, j) => head("col", c, m.column_strategy, j)), m.row_loss && h("th", { class: "loss" }, "loss"));
  const body = m.rows.map((r, i) => h("tr", null, head("row", r, m.row_strategy, i),
    m.cells[i].map((c, j) => {
      const middle = (c.lower + c.upper) / 2;
      const shade = c.kind === "open" ? "open" : "v" + Math.round(middle / 10);
      const both = m.row_strategy && m.column_strategy && m.row_strategy[i] > 0 && m.column_strategy[j] > 0;
      const text = c.kind === "open" ? "?" : points(c.lower) + (c.lower < c.upper ? "–" + points(c.upper) : "");
      const title = `${r} / ${m.columns[j]}: ${text} (${c.kind})`;
      return h("td", { class: `cell-${c.kind} ${shade}${both ? " both" : ""}`, title },
        (c.kind === "estimated" ? "≈ " : "") + text, c.kind === "end" && h("span", { class: "end" }, "■"));
    }),
    m.row_loss && h("td", { class: "loss" }, points(m.row_loss[i]))));
  const foot = m.column_loss && h("tr", { class: "loss" }, h("th", null, "loss"),
    m.column_loss.map((l) => h("td", null, points(l))), h("td", null));
  return h("div", { class: "matrix", tabindex: 0, role: "region", "aria-label": "Payoff matrix" },
    h("table", { id: "matrix" }, h("thead", null, top), h("tbody", null, body, foot)),
    h("p", { class: "quiet" }, m.value !== undefined &&
      `Value for ${m.row_role}: ${points(m.value)}. Moves in bold are played in the equilibrium. `,
      `Numbers are points of ${m.row_role}; ■ ends the game, ≈ is an estimate, ? unknown so far, `,
      "loss = points lost against the equilibrium."));
}

// graph draws the players' values of the positions, for each role.
export function graph(roles: string[], parts: Part[], turn: number, go: (turn: number) => void): Element {
  const said: { turn: number; role: string; value: number; proved: boolean }[] = [];
  parts.flatMap((p) => p.explanations ?? []).forEach((e, turn) => (e ?? []).forEach((x, r) => {
    for (const v of x?.values ?? []) {
      if (v.role !== roles[r]) continue;
      const proved = v.kind === "proved" && v.lower === v.upper;
      said.push({ turn, role: v.role, value: v.estimate ?? (v.lower + v.upper) / 2, proved });
    }
  }));
  const at = parts.flatMap((p) => p.explanations ?? []).length;
  if (said.length === 0) return h("span", null);
  const width = 420, height = 110, last = Math.max(1, at - 1);
  const x = (t: number) => 24 + (t / last) * (width - 34), y = (v: number) => 8 + (1 - v / 100) * (height - 22);
  const picture = draw("svg", { viewBox: `0 0 ${width} ${height}`, class: "graph", role: "img" },
    draw("title", {}, "Values of the positions, as the players estimated them"));
  for (const v of [0, 50, 100]) {
    picture.append(draw("line", { x1: 24, x2: width - 10, y1: y(v), y2: y(v), class: "grid" }),
      draw("text", { x: 11, y: y(v), class: "label" }, String(v)));
  }
  picture.append(draw("line", { x1: x(turn), x2: x(turn), y1: 4, y2: height - 12, class: "now" }));
  roles.forEach((role, r) => {
    const own = said.filter((s) => s.role === role), curve = "curve-" + r % 4;
    const line = own.map((s) => `${x(s.turn)},${y(s.value)}`).join(" ");
    if (own.length > 1) picture.append(draw("polyline", { points: line, class: "curve " + curve }));
    for (const s of own) {
      picture.append(draw("circle", { cx: x(s.turn), cy: y(s.value), r: s.proved ? 3.5 : 2.2, class: "dot " + curve },
        draw("title", {}, `${role}, turn ${s.turn + 1}: ${points(s.value)}`)));
    }
  });
  picture.addEventListener("click", (e) => {
    const box = picture.getBoundingClientRect();
    go(Math.round(((((e as MouseEvent).clientX - box.left) / box.width) * width - 24) / (width - 34) * last));
  });
  return picture;
}
