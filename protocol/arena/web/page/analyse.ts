// Analyse: a tree of variations of any game, with the result of a search for each position.
import { announce, button, draw, failure, fill, get, h, kept, listen, points, toGame } from "./dom.js";
import { Chooser, keepingFocus, shown } from "./board.js";
import { known, matrix, result, shares, verdict } from "./explain.js";
import { named, words } from "./words.js";
import type { Analysis, Choices, Position, Source } from "./types.js";

export async function chooseGame(main: HTMLElement) {
  const { games } = await get<Choices>("api/games");
  const card = (g: Source) => h("a", { class: "card", href: toGame("analyse", g.name) }, g.title ?? g.name);
  fill(main, h("h1", null, "Analyse"),
    h("p", { class: "quiet" }, "Which game? A match or a table can be analysed from its own page."),
    [...new Set(games.map((g) => g.group))].map((group) => h("section", { "aria-label": group },
      h("h2", null, group), h("div", { class: "cards" }, games.filter((g) => g.group === group).map(card)))));
}

// Node is a position of the tree, reached by a joint move.
interface Node { joint: string[]; next: Node[]; comment?: string }
interface Tree extends Node { game: string }

// keptNodes is the greatest size of a tree that the browser stores.
const keptNodes = 2000;

// grow adds a line to a tree, and returns the nodes of the line.
function grow(tree: Node, line: string[][]): Node[] {
  const path = [tree];
  for (const joint of line) {
    const here = path[path.length - 1];
    const same = here.next.find((n) => n.joint.join(" ") === joint.join(" "));
    const node = same ?? { joint, next: [] };
    if (!same) here.next.push(node);
    path.push(node);
  }
  return path;
}

const size = (n: Node): number => 1 + n.next.reduce((sum, m) => sum + size(m), 0);

export function analyse(main: HTMLElement, game: string, query: URLSearchParams): () => void {
  const store = "tree-" + game, w = words(game);
  let tree: Tree = { game, joint: [], next: [] };
  try { tree = JSON.parse(kept.get(store) ?? "null") ?? tree; } catch { /* the tree begins anew */ }
  let path = grow(tree, JSON.parse(query.get("moves") ?? "[]"));
  let stop = () => {}, gone = false, turned = false;
  let legal: Position["legal"] = [];
  const isForced = (move: string, r: number) => legal?.[r]?.length === 1 && legal[r][0].move === move;
  const joints = () => path.slice(1).map((n) => n.joint);
  const here = () => path[path.length - 1];
  const keep = () => { if (size(tree) <= keptNodes) kept.set(store, JSON.stringify(tree)); };

  const board = h("section", { "aria-label": "Position" }), side = h("section", { "aria-label": "Analysis" });
  const choices = h("div", null), result_ = h("div", { id: "analysis" });
  const variations = h("div", { class: "tree", role: "group", "aria-label": "Variations" });
  const seconds = h("input", { type: "number", min: "1", max: "600", value: "10", id: "seconds" });
  const about = "Comment on this position";
  const comment = h("textarea", { id: "comment", rows: 2, "aria-label": about, placeholder: about,
    oninput: () => { here().comment = comment.value || undefined; keep(); outline(); } });
  const count = h("span", { class: "quiet", id: "ply" });
  const back = button("Back", () => to(path.slice(0, -1)), { title: "Take back (←)", "data-focus": "back" });
  const forth = button("Forward", () => here().next[0] && to([...path, here().next[0]]),
    { title: "The first variation (→)", "data-focus": "forth" });
  const remove = button("Remove", () => {
    const gone = here();
    if (path.length < 2) return;
    path[path.length - 2].next = path[path.length - 2].next.filter((n) => n !== gone);
    to(path.slice(0, -1));
  }, { title: "Remove this variation", "data-focus": "remove" });
  fill(main, h("div", { class: "bar" },
    h("h1", null, h("a", { href: toGame("game", game) }, named(game))), back, forth, remove,
    button("Flip board", () => { turned = !turned; void show(); }, { "data-focus": "turn board" }), count),
  h("div", { class: "columns" }, board, side));
  fill(side, h("div", { class: "line" }, h("label", { for: "seconds" }, "seconds"), seconds,
    button("Search", () => search(), { class: "primary", id: "search" }), button("Stop", () => stop(), { id: "stop" })),
    result_, choices, h("h2", null, "Variations"), variations, comment);

  function to(next: Node[]) {
    path = next;
    keep();
    history.replaceState(null, "", toGame("analyse", game, joints()));
    void show();
  }

  const play = (joint: string[]) => to(grow(tree, [...joints(), joint]));

  function search() {
    stop();
    fill(result_, h("p", { class: "quiet" }, "searching…"));
    const now = joints();
    const query = new URLSearchParams({ game, moves: JSON.stringify(now), seconds: seconds.value });
    stop = listen("api/analyse?" + query, {
      analysis: (a: Analysis) => {
        const moves = [...(a.line ?? []).flat(), ...(a.matrix?.rows ?? []), ...(a.matrix?.columns ?? []),
          ...(a.strategies ?? []).flatMap((s) => (s ?? []).map((m) => m.move))];
        const draw = () => { if (now.length === path.length - 1) keepingFocus(() => fill(result_, report(a))); };
        void w.ask(moves).then(draw);
        if (!a.done || !a.lower || !a.upper) return;
        announce(a.roles.map((r, i) => (r === "random" ? "" : verdict(a, i))).filter(Boolean).join("; "));
      },
      failed: (text: string) => fill(result_, failure(text)),
    });
  }

  function report(a: Analysis): HTMLElement {
    const bars = a.lower && a.upper ? a.roles.map((role, r) => role !== "random" &&
      h("div", { class: "interval" }, h("b", null, role), interval(a, r), h("span", null, verdict(a, r)))) : [];
    const line = a.line ?? [], add = () => { grow(here(), line); keep(); outline(); };
    const work = a.method && `${a.method}: ${a.nodes} nodes` + (a.playouts ? `, ${a.playouts} playouts` : "") +
      `, ${a.seconds.toFixed(1)} s`;
    return h("div", { class: "report" + (a.done ? " done" : "") },
      bars,
      (a.strategies ?? []).map((s, r) => s?.some((m) => !isForced(m.move, r)) &&
        h("p", null, h("b", null, a.roles[r] + ": "), shares(s, w))),
      line.length > 0 && h("p", null, h("b", null, "Best line: "), w.line(line), " ",
        button("Add to variations", add, { class: "small", "data-focus": "add line" })),
      a.roles.map((_, r) => known(a, r, w)),
      a.matrix && matrix(a.matrix, w),
      h("p", { class: "quiet" }, a.done ? "" : "searching… ", work, a.note && " – " + a.note));
  }

  // outline draws the tree: the main line in a row, other variations below the move that they replace.
  function outline() {
    const step = (line: Node[]): HTMLElement => {
      const node = line[line.length - 1];
      const joints = line.slice(1).map((n) => n.joint);
      const text = line.length === 1 ? "Start" : `${w.numbers(joints).pop()} ${w.text(node.joint)}`;
      return h("span", { class: "step" }, h("button", {
        type: "button", class: "link", "data-focus": "node " + joints.map((j) => j.join(" ")).join("/"),
        "aria-current": node === here() && "step", title: node.joint.join("  "), onclick: () => to(line),
      }, text), node.comment && h("i", null, " " + node.comment));
    };
    const run = (line: Node[]): (HTMLElement | HTMLElement[])[] => {
      const out: (HTMLElement | HTMLElement[])[] = [];
      for (;;) {
        const [first, ...others] = line[line.length - 1].next;
        if (!first) return out;
        out.push(step([...line, first]));
        for (const o of others) out.push(h("div", { class: "variation" }, step([...line, o]), run([...line, o])));
        line = [...line, first];
      }
    };
    keepingFocus(() => fill(variations, step([tree]), run([tree])));
    const moves: string[] = [];
    const gather = (n: Node) => { moves.push(...n.joint); n.next.forEach(gather); };
    gather(tree);
    void w.ask(moves).then((news) => news && outline());
  }

  async function show() {
    stop();
    const now = path;
    comment.value = here().comment ?? "";
    count.textContent = path.length === 1 ? "start" : `move ${path.length - 1}`;
    back.disabled = remove.disabled = path.length === 1;
    forth.disabled = here().next.length === 0;
    outline();
    try {
      const p = await get<Position>("api/position", { game, moves: JSON.stringify(joints()) });
      if (gone || now !== path) return;
      w.learn((legal = p.legal) ?? []);
      const draw = () => {
        const picture = shown(p, { turned, last: here().joint.map((m) => w.of(m)) });
        fill(board, picture);
        return picture;
      };
      keepingFocus(draw);
      if (path.length > 1) announce(`${w.text(here().joint)}. Position after ${path.length - 1} moves.`);
      if (p.goals) { fill(result_); return fill(choices, h("p", { class: "result" }, result(p.roles, p.goals))); }
      // The only move of a role without a choice is chosen already.
      const chosen: string[] = p.legal!.map((l) => (l.length === 1 ? l[0].move : ""));
      const choose = () => keepingFocus(() => {
        const picture = draw();
        const take = (r: number) => (move: string) => {
          chosen[r] = move;
          if (chosen.every(Boolean)) play(chosen); else choose();
        };
        fill(choices, p.roles.map((role, r) => p.legal![r].length > 1 && h("div", null,
          h("h2", null, "Moves of " + role), new Chooser(picture, p.legal![r], take(r), chosen[r]).list)));
      });
      choose();
      search();
    } catch (e) { fill(board, failure(e)); }
  }

  void show();
  const keys = (e: KeyboardEvent) => {
    const at = e.target as HTMLElement;
    if (e.ctrlKey || e.altKey || e.metaKey || at.matches("input, textarea, select, [data-spot]")) return;
    if (e.key === "ArrowLeft" && path.length > 1) to(path.slice(0, -1));
    else if (e.key === "ArrowRight" && here().next[0]) to([...path, here().next[0]]);
    else if (e.key === "Home") to([tree]);
    else return;
    e.preventDefault();
  };
  document.addEventListener("keydown", keys);
  return () => { gone = true; stop(); document.removeEventListener("keydown", keys); };
}

// interval draws the lower and upper bound of a role's points.
export function interval(a: Analysis, r: number): HTMLElement {
  const low = a.lower![r], high = a.upper![r];
  const rect = (x: number, width: number, c: string) => draw("rect", { x, y: 2, width, height: 8, rx: 2, class: c });
  const svg = draw("svg", { viewBox: "0 0 104 12", class: "bar-svg", "aria-hidden": "true" }, rect(2, 100, "whole"),
    rect(2 + low, Math.max(high - low, 1.5), a.proved && low === high ? "proved" : "unproved"));
  if (low < high && a.estimates) svg.append(rect(1.25 + Math.min(high, Math.max(low, a.estimates[r])), 1.5, "guess"));
  return h("span", { title: `${points(low)} to ${points(high)}` }, svg);
}
