// Analyse: any position, reached move by move, with all that a search knows of it.
import { failure, fill, get, h, listen, percent, points } from "./dom.js";
import { Chooser, shown } from "./board.js";
import { line, matrix, verdict } from "./explain.js";
import type { Analysis, Choices, Position } from "./types.js";

export async function chooseGame(main: HTMLElement) {
  const { games } = await get<Choices>("api/games");
  fill(main, h("h1", null, "Analyse"), h("p", { class: "quiet" }, "Which game? A match or a table can be analysed from its own page."),
    h("div", { class: "cards" }, games.map((g) => h("a", { class: "card", href: "#/analyse/" + encodeURIComponent(g.name) }, h("h2", null, g.name)))));
}

export function analyse(main: HTMLElement, game: string, query: URLSearchParams): () => void {
  const joints: string[][] = JSON.parse(query.get("moves") ?? "[]");
  const board = h("section", null), side = h("section", null), result = h("div", { id: "analysis", "aria-live": "polite" });
  const seconds = h("input", { type: "number", min: "1", max: "600", value: "10", id: "seconds" });
  let stop = () => {};
  const to = (moves: string[][]) => { location.hash = `#/analyse/${encodeURIComponent(game)}?moves=${encodeURIComponent(JSON.stringify(moves))}`; };
  const search = () => {
    stop();
    fill(result, h("p", { class: "quiet" }, "searching…"));
    stop = listen("api/analyse?" + new URLSearchParams({ game, moves: JSON.stringify(joints), seconds: seconds.value }), {
      analysis: (a: Analysis) => fill(result, report(a)),
      failed: (text: string) => fill(result, failure(text)),
    });
  };
  fill(main, h("div", { class: "bar" }, h("h1", null, h("a", { href: "#/game/" + encodeURIComponent(game) }, game)),
    h("button", { type: "button", disabled: joints.length === 0, onclick: () => to(joints.slice(0, -1)), title: "Take back (←)" }, "Back"),
    h("span", { class: "quiet" }, "after " + joints.length + " moves")),
    h("div", { class: "columns" }, board, side), result);
  void (async () => {
    try {
      const p = await get<Position>("api/position", { game, moves: JSON.stringify(joints) });
      const picture = shown(p);
      fill(board, picture);
      if (p.goals) return fill(side, h("p", null, "The game is over: " + p.roles.map((r, i) => `${r} ${p.goals![i]}`).join(", ")));
      // A joint move has one of each role: those that have no choice are chosen already.
      const chosen: string[] = p.legal!.map((l) => (l.length === 1 ? l[0].move : ""));
      const choose = () => fill(side, h("div", { class: "line" }, h("label", { for: "seconds" }, "seconds"), seconds, h("button", { type: "button", class: "primary", id: "search", onclick: search }, "Search")),
        p.roles.map((role, r) => p.legal![r].length > 1 && h("div", null, h("h2", null, role),
          new Chooser(picture, p.legal![r], (move) => { chosen[r] = move; if (chosen.every(Boolean)) to(joints.concat([chosen])); else choose(); }, chosen[r]).list)));
      choose();
      search();
    } catch (e) { fill(board, failure(e)); }
  })();
  const keys = (e: KeyboardEvent) => {
    if (e.key === "ArrowLeft" && !(e.target instanceof HTMLInputElement) && joints.length > 0) to(joints.slice(0, -1));
  };
  document.addEventListener("keydown", keys);
  return () => { stop(); document.removeEventListener("keydown", keys); };
}

function report(a: Analysis): HTMLElement {
  const bars = a.lower && a.upper ? a.roles.map((role, r) => role === "random" ? null : h("div", { class: "interval" }, h("b", null, role), interval(a, r), h("span", null, verdict(a, r)))) : [];
  return h("div", { class: "report" + (a.done ? " done" : "") },
    h("p", { class: "quiet" }, a.done ? "" : "searching… ", a.method && `${a.method}: ${a.nodes} nodes${a.playouts ? `, ${a.playouts} playouts` : ""}, ${a.seconds.toFixed(1)} s`, a.note && " – " + a.note),
    bars,
    (a.strategies ?? []).map((s, r) => s && s.length > 0 && h("p", null, h("b", null, a.roles[r] + ": "), s.slice(0, 12).map((w) => h("span", { class: "share" }, h("b", null, w.move), " " + percent(w.probability))))),
    (a.line ?? []).length > 0 && h("p", null, h("b", null, "Line: "), line(a.line!)),
    a.matrix && matrix(a.matrix));
}

// interval draws the points that a role gets, at least and at most.
function interval(a: Analysis, r: number): HTMLElement {
  const low = a.lower![r], high = a.upper![r];
  const svg = document.createElementNS("http://www.w3.org/2000/svg", "svg");
  svg.setAttribute("viewBox", "0 0 104 12");
  svg.setAttribute("class", "bar-svg");
  const rect = (x: number, w: number, c: string) => {
    const e = document.createElementNS("http://www.w3.org/2000/svg", "rect");
    for (const [k, v] of Object.entries({ x, y: 2, width: w, height: 8, rx: 2, class: c })) e.setAttribute(k, String(v));
    svg.append(e);
  };
  rect(2, 100, "whole");
  rect(2 + low, Math.max(high - low, 1.5), a.proved ? "proved" : "guess");
  return h("span", { title: `${points(low)} to ${points(high)}` }, svg);
}
