// Play: a table, where people and players take the roles.
import { announce, button, failure, fill, get, h, kept, listen, post, toGame, wide } from "./dom.js";
import { Chooser, keepingFocus, mark, shown } from "./board.js";
import { interval } from "./analyse.js";
import { Course } from "./course.js";
import { explanation, result, verdict } from "./explain.js";
import { isOn, sound, switchTo } from "./sound.js";
import { words } from "./words.js";
import type { Analysis, Position, Spot, Table, Told } from "./types.js";

export async function tables(main: HTMLElement) {
  const list = await get<{ table: string; game: string; seats: string[]; turn: number; over: boolean }[]>("api/tables");
  fill(main, h("div", { class: "bar" }, h("h1", null, "Play"), h("a", { class: "button primary", href: "#/games" }, "Choose a game")),
    list.length === 0 ? h("p", { class: "quiet" }, "No table is open.") : wide("Tables", h("table", { class: "list" },
      h("thead", null, h("tr", null, ["Game", "Who plays", "Turn", "State"].map((t) => h("th", { scope: "col" }, t)))),
      h("tbody", null, list.map((t) => h("tr", null, h("td", null, h("a", { href: "#/play/" + t.table }, t.game)),
        h("td", null, t.seats.filter((s) => s !== "chance").join(" – ")), h("td", null, t.turn),
        h("td", null, t.over ? "over" : t.seats.includes("open") ? "a seat is free" : "")))))));
}

// keysOf are those that this window has at a table, by role; left are those of windows of this browser that may be
// closed: two people may play in two windows of one browser.
const keysOf = (id: string): Record<string, string> => JSON.parse(sessionStorage.getItem("keys-" + id) ?? "{}");
const left = (id: string): Record<string, string> => JSON.parse(kept.get("keys-" + id) ?? "{}");
export function keepKeys(id: string, keys: Record<string, string>) {
  sessionStorage.setItem("keys-" + id, JSON.stringify({ ...keysOf(id), ...keys }));
  kept.set("keys-" + id, JSON.stringify({ ...left(id), ...keys }));
}

// time is what a clock shows.
const time = (left: number) => (left < 10 ? left.toFixed(1) + " s" : Math.floor(left / 60) + ":" + String(Math.floor(left % 60)).padStart(2, "0"));

export function play(main: HTMLElement, id: string, query: URLSearchParams): () => void {
  // A link gives a seat to whoever opens it.
  const given = query.get("role"), key = query.get("key");
  if (given && key) { keepKeys(id, { [given]: key }); history.replaceState(null, "", "#/play/" + id); }
  return new Match(main, id).leave;
}

// Match is a table on the page.
class Match {
  private last: Table | null = null;
  private at: number | null = null; // turn that is looked at; null for the latest
  private readonly past = new Map<string, Position>();
  private mine: Record<string, string> = {}; // what was chosen here, by role
  private turn = -1;
  private ahead = 0; // of the server's clock
  private told: Told = {};
  private turned: boolean | null = null;
  private deciding: Spot[] = [];
  private evaluating = false;
  private readonly stops = { hint: () => {}, evaluation: () => {}, stream: () => {}, keys: () => {} };
  private readonly ticking = setInterval(() => this.tick(), 100);
  private readonly failed = h("div", null);
  private readonly hint = h("div", { class: "hint" });
  private readonly evaluation = h("div", { class: "evaluation" });
  private readonly board = h("section", { "aria-label": "Board" });
  private readonly side = h("section", { "aria-label": "Match" });
  private readonly head = h("div", { class: "bar" });
  private course: Course | null = null;
  private spoken = "";
  private sure = ""; // what was pressed once that is asked about

  constructor(main: HTMLElement, private readonly id: string) {
    fill(main, this.head, h("div", { class: "columns" }, this.board, this.side));
    this.stops.stream = listen("api/tables/" + id, {
      table: (t: Table) => this.receive(t),
      now: (at: string) => { this.ahead = Date.parse(at) - Date.now(); },
      failed: () => fill(main, failure("This table is not open any longer.")),
    });
  }

  readonly leave = () => { clearInterval(this.ticking); for (const stop of Object.values(this.stops)) stop(); };

  private has = (role: string) => keysOf(this.id)[role] !== undefined;
  private words() { return words(this.last!.game); }

  private tick() {
    const t = this.last;
    for (const at of this.side.querySelectorAll<HTMLElement>("[data-clock]")) {
      const r = Number(at.dataset.clock), c = t?.clocks?.[r];
      const due = c?.due;
      const left = due && t && !t.position.goals && this.toMove(t, r) ? Math.max(0, (Date.parse(due) - Date.now() - this.ahead) / 1000) : c?.left ?? null;
      at.textContent = left === null ? "" : time(left);
      at.classList.toggle("grave", left !== null && left < 5);
    }
  }

  // toMove tells whether a role has a choice to make.
  private toMove = (t: Table, r: number) => !t.position.goals && !t.chosen[r] && (t.position.legal?.[r].length ?? 0) > 1;

  private act = async (what: string, role: string, more: Record<string, unknown> = {}) => {
    fill(this.failed);
    try {
      const answer = await post<{ table?: string; keys?: Record<string, string> }>(`api/tables/${this.id}/${what}`, { role, key: keysOf(this.id)[role], keys: keysOf(this.id), turn: this.last!.moves.length, ...more });
      if (answer.table && answer.table !== this.id) { // a rematch is a table of its own
        if (answer.keys) keepKeys(answer.table, answer.keys);
        location.hash = "#/play/" + answer.table;
        return;
      }
      if (answer.keys) keepKeys(this.id, answer.keys);
      if (answer.keys && this.last) this.render();
    } catch (e) { fill(this.failed, failure(e)); }
  };

  private receive(t: Table) {
    const first = !this.last, before = this.last?.moves.length ?? 0;
    this.last = t;
    if (first) {
      this.course = new Course(this.words(), (turn) => this.go(turn));
      this.stops.keys = this.course.keys();
      get<Told>("api/told", { game: t.game }).then((told) => { this.told = told; if (this.turned === null) this.render(); }, () => {});
    }
    this.words().learn(t.position);
    if (t.next && Object.keys(keysOf(this.id)).length > 0 && !kept.get("keys-" + t.next)) void this.act("rematch", t.position.roles.find(this.has)!);
    if (t.moves.length !== this.turn) {
      this.sure = "";
      this.turn = t.moves.length;
      this.mine = {};
      this.deciding = [];
      this.at = null;
      fill(this.hint);
      this.stops.hint();
      if (t.position.goals) this.findDeciding(t);
      if (this.evaluating) this.evaluate();
      if (!first && t.moves.length > before) sound(...(t.position.goals ? [523, 659, 784] : [440]));
    }
    void this.words().ask(t.moves.slice(-1).flat()).then((news) => news && this.render());
    this.render();
    this.speak(t);
  }

  // speak tells what has happened to whoever does not see it.
  private speak(t: Table) {
    const last = t.moves[t.moves.length - 1], p = t.position;
    const mine = p.roles.filter((role, r) => this.has(role) && this.toMove(t, r));
    const text = [last && p.roles.length > 0 ? this.words().joint(last).map((m) => `${p.roles[m.role]} played ${this.words().of(m.move).text}`).join(", ") + "." : "",
      p.goals ? result(p, this.has) : mine.length ? `Your move${mine.length > 1 || p.roles.length > 2 ? " as " + mine.join(" and ") : ""}.` : ""].join(" ").trim();
    if (text !== this.spoken) announce((this.spoken = text));
  }

  private findDeciding(t: Table) {
    get<Spot[]>("api/deciding", { game: t.game, moves: JSON.stringify(t.moves) }).then((spots) => { this.deciding = spots; if (this.last === t) this.render(); }, () => {});
  }

  private ask(role: string) {
    const t = this.last!, at = t.position.roles.indexOf(role);
    this.stops.hint();
    fill(this.hint, h("p", { class: "quiet" }, "thinking…"));
    this.stops.hint = listen("api/analyse?" + new URLSearchParams({ game: t.game, moves: JSON.stringify(t.moves), seconds: "4" }), {
      analysis: (a: Analysis) => {
        const strategy = [...(a.strategies?.[at] ?? [])].sort((x, y) => y.probability - x.probability);
        const best = strategy.map((s) => this.words().of(s.move));
        fill(this.hint, h("p", null, verdict(a, at)), strategy.map((s) => h("span", { class: "share" }, h("b", null, this.words().show(s.move)), " " + (100 * s.probability).toFixed(0) + " %")));
        mark(this.board, "advised", best.slice(0, 1).flatMap((m) => m.spots ?? []));
        if (a.done && best[0]) announce(`Hint: ${best[0].text}. ${verdict(a, at)}`);
      },
      failed: (text: string) => fill(this.hint, failure(text)),
    });
  }

  // evaluate shows the value of the position that is looked at, and the best line.
  private evaluate() {
    this.stops.evaluation();
    fill(this.evaluation);
    if (!this.evaluating || !this.last) return;
    const t = this.last, moves = t.moves.slice(0, this.at ?? t.moves.length);
    if (t.position.goals && moves.length === t.moves.length) return;
    this.stops.evaluation = listen("api/analyse?" + new URLSearchParams({ game: t.game, moves: JSON.stringify(moves), seconds: "6" }), {
      analysis: (a: Analysis) => {
        if (!a.lower || !a.upper) return;
        void this.words().ask((a.line ?? []).flat()).then(() => fill(this.evaluation, a.roles.map((role, r) => role !== "random" &&
          h("div", { class: "interval" }, interval(a, r), h("span", null, verdict(a, r)))), (a.line ?? []).length > 0 && h("p", { class: "quiet" }, "Best line: " + this.words().line(a.line!, 6))));
      },
      failed: (text: string) => fill(this.evaluation, failure(text)),
    });
  }

  private go(turn: number) {
    const n = this.last!.moves.length;
    this.at = turn >= n ? null : Math.max(0, turn);
    this.render();
    if (this.evaluating) this.evaluate();
  }

  // shownPosition is the position that is looked at; one of the past is fetched first.
  private shownPosition(t: Table): Position | null {
    if (this.at === null) return t.position;
    const moves = JSON.stringify(t.moves.slice(0, this.at));
    const known = this.past.get(moves);
    if (!known) get<Position>("api/position", { game: t.game, moves }).then((p) => { this.past.set(moves, p); this.render(); }, (e) => fill(this.failed, failure(e)));
    return known ?? null;
  }

  private render() { if (this.last) keepingFocus(() => this.draw(this.last!)); }

  private draw(t: Table) {
    const p = t.position, looked = this.shownPosition(t), w = this.words();
    const mine = p.roles.filter(this.has);
    const turned = this.turned ?? (mine.length > 0 && mine.every((role) => this.told.turned?.[p.roles.indexOf(role)]));
    const before = t.moves[(this.at ?? t.moves.length) - 1] ?? [];
    const board = looked && shown(looked, { turned, last: before.map((m) => w.of(m)), deciding: this.at === null ? this.deciding : [] });
    fill(this.head, h("h1", null, h("a", { href: toGame("game", t.game) }, t.game)),
      h("span", { class: "quiet", id: "state" }, p.goals ? "The game is over." : "Turn " + (t.moves.length + 1)),
      h("a", { class: "button", href: toGame("analyse", t.game, t.moves.slice(0, this.at ?? t.moves.length)) }, "Analyse"),
      button("Turn board", () => { this.turned = !turned; this.render(); }, { "data-focus": "turn board" }),
      button("Evaluation", () => { this.evaluating = !this.evaluating; this.render(); this.evaluate(); }, { "data-focus": "evaluation", id: "evaluate", "aria-pressed": String(this.evaluating) }),
      button("Sounds", () => { switchTo(!isOn()); sound(440); this.render(); }, { "data-focus": "sounds", "aria-pressed": String(isOn()) }),
      button("Copy link", () => void navigator.clipboard?.writeText(location.href), { title: "For whoever watches, or takes a free seat", "data-focus": "copy" }));
    const panel: (HTMLElement | false | undefined | null)[] = [];
    if (p.goals) panel.push(h("p", { class: "result" }, result(p, this.has)));
    p.roles.forEach((role, r) => panel.push(this.seat(t, role, r)));
    if (board && this.at === null) for (const role of mine) {
      const r = p.roles.indexOf(role);
      if (!p.legal || p.legal[r].length < 2) continue;
      const chooser = new Chooser(board, p.legal[r], (move) => { this.mine[role] = move; void this.act("move", role, { move }); }, t.chosen[r] ? this.mine[role] : undefined);
      panel.push(p.legal[r].some((m) => m.spots) ? h("details", { open: p.legal[r].length <= 24, class: "all-moves" }, h("summary", null, `All ${p.legal[r].length} moves`), chooser.list) : chooser.list);
      if (t.chosen[r]) panel.push(h("p", { class: "quiet" }, `${this.mine[role] ? w.of(this.mine[role]).text : "A move"} is chosen; it stays secret until all have chosen.`));
    }
    if (this.at !== null) panel.push(h("p", null, button("Back to the match", () => this.go(Infinity), { class: "primary", "data-focus": "latest" })));
    if (mine.length > 0) panel.push(this.actions(t, mine));
    this.course!.show(t.moves, this.at ?? t.moves.length);
    const why = t.why.map((turnWhy, i) => ({ i, said: (turnWhy ?? []).filter((x) => x !== null) })).filter((w) => w.said.length > 0 && (this.at === null || w.i < this.at)).pop();
    const recent = t.moves.length - 1;
    fill(this.board, board ?? h("p", { class: "quiet" }, "…"), this.evaluation);
    fill(this.side, panel, this.failed, this.hint, t.note && h("p", { class: "quiet" }, t.note),
      recent >= 0 && h("p", { class: "last" }, "Last: ", w.joint(t.moves[recent]).map((m) => h("span", { class: "share" }, h("b", null, p.roles[m.role]), " ", w.show(m.move)))),
      this.course!.element,
      why && h("details", null, h("summary", null, "Why, turn " + (why.i + 1)), why.said.map((x) => explanation(x!, w))));
    this.tick();
    document.title = t.game + " – Stackmate";
  }

  private seat(t: Table, role: string, r: number): HTMLElement {
    const p = t.position, seat = t.seats[r], me = this.has(role), best = p.goals && Math.max(...p.goals);
    const outcome = () => (p.goals!.every((g) => g === best) && p.goals!.length > 1 ? "draw" : p.goals![r] === best ? "won" : "lost") + `, ${p.goals![r]} points`;
    const state = p.goals ? (p.roles.length > 1 ? outcome() : p.goals[r] + " points")
      : seat === "open" ? "this seat is free" : (p.legal?.[r].length ?? 0) < 2 ? (p.roles.length > 1 ? "waits" : "") : t.chosen[r] ? "has chosen"
        : me ? "your move" : seat === "person" ? "to move" : "thinking…";
    const scores = t.score ?? (kept.get("score-" + this.id) ? this.score(p.roles.length).map((n, r) => n + (p.goals ? p.goals[r] / 100 : 0)) : null);
    return h("div", { class: "seat" + (me ? " me" : "") + (this.toMove(t, r) ? " to-move" : "") }, h("b", { class: "role" }, role), " " + (me ? "you" : seat === "open" ? "nobody yet" : seat === "person" ? "a person" : seat),
      h("span", { class: "state" }, state), h("span", { class: "clock", role: "timer", "aria-label": "Clock of " + role, "data-clock": r }), scores && h("span", { class: "score", title: "Score over several games" }, +(scores[r] ?? 0).toFixed(2)),
      seat === "open" && button("Sit down", () => void this.act("sit", role), { class: "sit", "data-focus": "sit " + role }),
      !me && left(this.id)[role] && button("Take my seat again", () => { keepKeys(this.id, { [role]: left(this.id)[role] }); this.render(); }, { class: "again", "data-focus": "again " + role }),
      me && button("Link", () => void navigator.clipboard?.writeText(`${location.origin}${location.pathname}#/play/${this.id}?${new URLSearchParams({ role, key: keysOf(this.id)[role] })}`),
        { class: "small", title: "Copy a link that takes this seat over, for another browser", "aria-label": "Copy a link to the seat of " + role, "data-focus": "link " + role }));
  }

  private actions(t: Table, mine: string[]): HTMLElement {
    const p = t.position, free = mine.find((role) => (p.legal?.[p.roles.indexOf(role)].length ?? 0) > 1) ?? mine[0], r = p.roles.indexOf(free);
    return h("div", { class: "line actions" },
      !p.goals && this.toMove(t, r) && button("Hint", () => this.ask(free), { class: "ask", "data-focus": "hint" }),
      button("Undo", () => void this.act("undo", free), { class: "undo", disabled: t.moves.length === 0 && !t.chosen[r], "data-focus": "undo" }),
      Object.entries(t.asked ?? {}).flatMap(([what, by]) => by.length > 0 && !by.includes(free) ? [h("span", null, `${by.join(", ")} asks for ${what === "undo" ? "taking back" : "a " + what}`), button("Agree", () => void this.act(what, free), { class: "primary", "data-focus": "agree " + what }), button("Refuse", () => void this.act("refuse", free, { what }), { "data-focus": "refuse " + what })]
        : by.length > 0 ? [h("span", { class: "quiet" }, `waiting for the others to agree to ${what === "undo" ? "taking back" : "a " + what}`)] : []),
      !p.goals && t.may?.includes("resign") && button("Resign", () => { if (this.sure === "resign") void this.act("resign", free); else { this.sure = "resign"; this.render(); } }, { class: "resign", "data-focus": "resign", title: this.sure ? "Once more, to resign" : "" }),
      this.sure === "resign" && !p.goals && h("span", { class: "grave" }, "Resign? Press once more."),
      p.goals && button("Rematch, seats swapped", () => void this.rematch(t, free), { class: "rematch", "data-focus": "rematch" }),
      !p.goals && t.may?.includes("strength") && this.strength(t));
  }

  // rematch asks for another match with seats swapped; where nobody else sits here it begins at once.
  private async rematch(t: Table, role: string) {
    if (t.may?.includes("rematch")) return this.act("rematch", role);
    const seats = t.seats.filter((s) => s !== "chance"), swapped = seats.slice(1).concat(seats.slice(0, 1));
    const shares = t.position.goals!.filter((_, r) => t.seats[r] !== "chance").map((g) => g / 100), before = this.score(seats.length);
    const score = shares.map((g, r) => g + before[r]);
    try { await begin(t.game, swapped.map((s) => (s === "person" && seats.filter((o) => o === "person").length > 1 && t.position.roles.filter(this.has).length === 1 ? "open" : s)), { clock: t.clock, limit: t.limit, increment: t.increment }, score.slice(1).concat(score.slice(0, 1))); }
    catch (e) { fill(this.failed, failure(e)); }
  }

  private score = (n: number): number[] => JSON.parse(kept.get("score-" + this.id) ?? "null") ?? new Array(n).fill(0);

  // strength changes how the players at the table think.
  private strength(t: Table): HTMLElement {
    const kind = h("input", { id: "strength", value: t.seats.find((s) => !["person", "open", "chance"].includes(s)) ?? "", "aria-label": "Player and its options", title: "Such as mcts, greedy, or stackmate:threads=1,without=rave" });
    const of = t.position.roles.find((_, r) => !["person", "open", "chance"].includes(t.seats[r]));
    return h("details", { class: "strength" }, h("summary", null, "Strength"), h("div", { class: "line" }, kind, button("Take it", () => void this.act("strength", this.last!.position.roles.find(this.has)!, { of, kind: kind.value }), { "data-focus": "strength" })));
  }
}

// Begin is what a table may have.
export interface Begin { clock?: number; limit?: number; increment?: number; moves?: string[][] }

// begin opens a table with somebody on each seat, and the score of the games before.
export async function begin(game: string, seats: string[], more: Begin, score?: number[]) {
  const t = await post<{ table: string; keys: Record<string, string> }>("api/tables", { game, seats, ...more });
  keepKeys(t.table, t.keys);
  if (score) kept.set("score-" + t.table, JSON.stringify(score));
  location.hash = "#/play/" + t.table;
}
