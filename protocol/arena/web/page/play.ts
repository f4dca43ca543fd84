// Play: a table, where people and players take the roles.
import { announce, Away, button, copy, failure, fill, get, h, kept, listen, post, toGame, wide } from "./dom.js";
import { captured, Chooser, dot, glide, how, keepingFocus, mark, shown } from "./board.js";
import { interval } from "./analyse.js";
import { Course } from "./course.js";
import { advice, explanation, result, shares, verdict } from "./explain.js";
import { levelOf, options } from "./levels.js";
import { isOn, sound, switchTo } from "./sound.js";
import { Story } from "./story.js";
import { named, titled, words } from "./words.js";
import type { Analysis, Choices, Move, Part, Position, Seats, Spot, Told } from "./types.js";

interface Listed { table: string; game: string; seats: string[]; turn: number; over: boolean; resting?: boolean }

export async function tables(main: HTMLElement) {
  const list = await get<Listed[]>("api/tables");
  const state = (t: Listed) => (t.over ? "over" : t.seats.includes("open") ? "open seat" : t.resting ? "saved" : "");
  const row = (t: Listed) => h("tr", null, [h("a", { href: "#/play/" + t.table }, named(t.game)),
    t.seats.filter((s) => s !== "chance").map((s) => names[s] ?? levelOf(s)).join(" – "),
    t.resting ? "" : t.turn, state(t)].map((cell) => h("td", null, cell)));
  const head = ["Game", "Players", "Turn", "State"].map((t) => h("th", { scope: "col" }, t));
  fill(main, h("div", { class: "bar" }, h("h1", null, "Play"),
    h("a", { class: "button primary", href: "#/games" }, "Choose a game")),
    list.length === 0 ? h("p", { class: "quiet" }, "No table is open.") : wide("Tables",
      h("table", { class: "list" }, h("thead", null, h("tr", null, head)), h("tbody", null, list.map(row)))));
}

// names are the texts for seats of people.
const names: Record<string, string> = { person: "human", open: "free" };
const isPlayer = (seat: string) => !["person", "open", "chance"].includes(seat);

// keysOf returns the seat keys of this window by role. left returns the keys of all windows of this browser, even
// closed ones: two people may play in two windows of one browser. The objects have no prototype, since a role may have
// the name of a property of all objects.
type Keys = Record<string, string>;
const keysIn = (text: string | null): Keys => Object.assign(Object.create(null), JSON.parse(text ?? "{}"));
const keysOf = (id: string) => keysIn(sessionStorage.getItem("keys-" + id));
const left = (id: string) => keysIn(kept.get("keys-" + id));
export function keepKeys(id: string, keys: Keys) {
  sessionStorage.setItem("keys-" + id, JSON.stringify({ ...keysOf(id), ...keys }));
  kept.set("keys-" + id, JSON.stringify({ ...left(id), ...keys }));
}

// time returns the text of a clock.
const time = (left: number) => left < 10 ? left.toFixed(1) + " s"
  : Math.floor(left / 60) + ":" + String(Math.floor(left % 60)).padStart(2, "0");

export function play(main: HTMLElement, id: string, query: URLSearchParams): () => void {
  // A link for another device has the key of a seat.
  const given = query.get("role"), key = query.get("key");
  if (given && key) { keepKeys(id, { [given]: key }); history.replaceState(null, "", "#/play/" + id); }
  return new Match(main, id).leave;
}

// Match is a table on the page.
class Match {
  private readonly story = new Story();
  private s: Seats | null = null;
  private legal: Move[][] | null = null; // of this turn; null until they are fetched
  private fetching: Promise<void> | null = null; // of legal
  private turn = ""; // match and turn on display
  private at: number | null = null; // selected turn; null for the latest
  private readonly past = new Map<string, Position>();
  private first: Position | null = null;
  private readonly mine = new Map<string, string>(); // chosen moves of this window, by role
  private ahead = 0; // server's clock minus this clock, in milliseconds
  private told: Told = {};
  private players: string[] = [];
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
  private sure = false; // resigning was pressed once
  private drawn: HTMLElement | null = null; // the board of the turn, and of the turn before it
  private before: HTMLElement | null = null;
  private since = 0; // when the turn was drawn first
  private choosers: Chooser[] = [];
  private left = false;

  constructor(private readonly main: HTMLElement, private readonly id: string) {
    fill(main, this.head, h("div", { class: "columns" }, this.board, this.side));
    document.addEventListener("keydown", this.steer, true);
    this.follow();
  }

  // steer makes a move by an arrow key, if the moves are directions.
  private readonly steer = (e: KeyboardEvent) => {
    if (e.ctrlKey || e.altKey || e.metaKey || (e.target as HTMLElement).matches("input, textarea, select")) return;
    if (this.choosers.some((c) => c.steer(e.key))) { e.preventDefault(); e.stopPropagation(); }
  };

  private follow() {
    if (this.left) return;
    this.stops.stream();
    this.stops.stream = listen("api/tables/" + this.id, {
      part: (p: Part) => { this.story.add(p); this.changed(); },
      seats: (s: Seats) => { this.s = s; this.changed(); },
      now: (at: string) => { this.ahead = Date.parse(at) - Date.now(); },
      end: () => setTimeout(() => this.follow(), 1000), // the server closed the table or stops: connect again
      failed: (text: string) => this.s ? fill(this.failed, failure(text))
        : fill(this.main, failure(text), h("p", null, h("a", { href: "#/watch" }, "All matches"))),
    });
  }

  readonly leave = () => {
    this.left = true;
    clearInterval(this.ticking);
    document.removeEventListener("keydown", this.steer, true);
    for (const stop of Object.values(this.stops)) stop();
  };

  private has = (role: string) => keysOf(this.id)[role] !== undefined;
  private get game() { return this.story.head.game ?? ""; }
  private get roles() { return this.story.roles; }
  private words() { return words(this.game); }

  private tick() {
    for (const at of this.side.querySelectorAll<HTMLElement>("[data-clock]")) {
      const r = Number(at.dataset.clock), c = this.s?.clocks?.[r];
      const due = c?.due && this.toMove(r) ? c.due : null;
      const left = due ? Math.max(0, (Date.parse(due) - Date.now() - this.ahead) / 1000) : c?.left ?? null;
      at.textContent = left === null ? "" : time(left);
      at.classList.toggle("grave", left !== null && left < 5);
    }
  }

  // toMove reports whether a role has a choice to make.
  private toMove = (r: number) => !this.s!.goals && !this.s!.chosen[r] && (this.s!.choices?.[r] ?? 0) > 1;

  private act = async (what: string, role: string, more: Record<string, unknown> = {}) => {
    fill(this.failed);
    try {
      const keys = keysOf(this.id);
      const answer = await post<{ table?: string; keys?: Keys }>(
        `api/tables/${this.id}/${what}`, { role, key: keys[role], keys, turn: this.s!.turn, ...more });
      if (answer.table && answer.table !== this.id) { // a rematch has a table of its own
        if (answer.keys) keepKeys(answer.table, answer.keys);
        location.hash = "#/play/" + answer.table;
        return;
      }
      if (answer.keys) keepKeys(this.id, answer.keys);
      if (answer.keys) this.changed();
    } catch (e) { fill(this.failed, failure(e)); }
  };

  // changed shows the match once the record and the seats have reached the same turn.
  private changed() {
    const s = this.s, n = this.story.turns.length;
    if (!s || s.turn !== n) return;
    if (!this.course) {
      this.course = new Course(this.words(), (turn) => this.go(turn));
      this.stops.keys = this.course.keys();
      get<Choices>("api/games").then((c) => { this.players = c.players; this.render(); }, () => {});
      get<Position>("api/position", { game: this.game, moves: "[]" })
        .then((p) => { this.first = p; this.render(); }, () => {});
      get<Told>("api/told", { game: this.game }).then((told) => { this.told = told; this.render(); }, () => {});
    }
    const me = this.roles.find(this.has);
    if (s.next && me && !kept.get("keys-" + s.next)) void this.act("rematch", me);
    const turn = this.story.head.match + " " + n, last = this.story.joints()[n - 1] ?? [];
    if (turn !== this.turn) {
      if (this.turn && n > Number(this.turn.split(" ")[1])) sound(...(s.goals ? [523, 659, 784] : [440]));
      this.turn = turn;
      this.before = this.drawn;
      this.since = 0;
      this.sure = false;
      this.mine.clear();
      this.legal = this.fetching = null;
      this.deciding = [];
      this.at = null;
      fill(this.hint);
      fill(this.failed);
      this.stops.hint();
      if (s.goals) this.findDeciding();
      if (this.evaluating) this.evaluate();
    }
    const show = () => { if (turn === this.turn) { this.render(); this.speak(last); } };
    const chooses = this.roles.some((role, r) => this.has(role) && (s.choices?.[r] ?? 0) > 1);
    void this.words().ask(last).then((news) => news && (this.legal || !chooses) && this.render());
    if (chooses && !this.legal) void this.fetchLegal().then(show); else show(); // the board comes with its moves
  }

  // fetchLegal fetches the legal moves of this turn, once.
  private fetchLegal(): Promise<void> {
    const turn = this.turn;
    return (this.fetching ??= get<{ turn: number; legal: Move[][] }>(`api/tables/${this.id}/legal`).then((found) => {
      if (turn !== this.turn || found.turn !== this.s!.turn) return;
      this.legal = found.legal;
      this.words().learn(found.legal);
    }, (e) => { if (turn === this.turn) this.fetching = null; this.fail(e); }));
  }

  // fail shows the error of a background request. If the server is away, the banner already says so.
  private fail(e: unknown) { if (!(e instanceof Away)) fill(this.failed, failure(e)); }

  // speak announces the last move and the state to screen readers.
  private speak(last: string[]) {
    const played = this.words().joint(last).map((m) => `${this.roles[m.role]} played ${this.words().of(m.move).text}`);
    const text = (played.length > 0 ? played.join(", ") + ". " : "") + this.status();
    if (text !== this.spoken) announce((this.spoken = text));
  }

  // status says in a sentence whose move it is, and where a move is made.
  private status(board: Element = this.board): string {
    const s = this.s!, mine = this.roles.filter(this.has);
    if (s.goals) return result(this.roles, s.goals, this.has, this.story.position?.counters);
    const due = this.roles.filter((_, r) => this.toMove(r)), own = due.filter(this.has);
    const others = due.filter((role) => !own.includes(role)).join(" and ");
    const chosen = mine.find((role) => s.chosen[this.roles.indexOf(role)] && this.mine.has(role));
    if (own.length > 0) {
      const legal = this.legal?.[this.roles.indexOf(own[0])];
      const atOnce = (s.choices ?? []).filter((n, r) => n > 1 && s.seats[r] !== "chance").length > 1;
      return "Your move" + (mine.length > 1 ? " as " + own.join(" and ") : "") +
        (legal ? ": " + how(legal, board) : "") + "." + (atOnce ? " All players choose at the same time." : "");
    }
    if (chosen && others) {
      return `You have chosen ${this.words().of(this.mine.get(chosen)!).text}; it stays secret until ${others} has chosen.`;
    }
    const open = this.roles.filter((_, r) => s.seats[r] === "open").join(" and ");
    return open ? `The seat of ${open} is free.` : others ? `${others} ${due.length > 1 ? "choose" : "to move"}.` : "";
  }

  private findDeciding() {
    const turn = this.turn;
    get<Spot[]>("api/deciding", { game: this.game, moves: JSON.stringify(this.story.joints()) }).then((spots) => {
      if (turn === this.turn) { this.deciding = spots; this.render(); }
    }, () => {});
  }

  private analysis(moves: string[][], seconds: number, show: (a: Analysis) => void, at: HTMLElement) {
    const query = new URLSearchParams({ game: this.game, moves: JSON.stringify(moves), seconds: String(seconds) });
    return listen("api/analyse?" + query, { analysis: show, failed: (text: string) => fill(at, failure(text)) });
  }

  private ask(role: string) {
    const at = this.roles.indexOf(role);
    this.stops.hint();
    fill(this.hint, h("p", { class: "quiet" }, "thinking…"));
    this.stops.hint = this.analysis(this.story.joints(), 4, (a) => {
      const strategy = a.strategies?.[at] ?? [], legal = this.legal?.[at] ?? [];
      const best = [...strategy].sort((x, y) => y.probability - x.probability)
        .map((s) => legal.find((m) => m.move === s.move) ?? this.words().of(s.move));
      fill(this.hint, h("p", null, advice(a, at, best)),
        best.length > 1 && h("p", null, shares(strategy, this.words())));
      mark(this.board, "advised", best.slice(0, 1).flatMap((m) => m.spots ?? []));
      if (a.done && best[0]) announce(advice(a, at, best));
    }, this.hint);
  }

  // evaluate shows the value of the selected position, and the best line.
  private evaluate() {
    this.stops.evaluation();
    fill(this.evaluation);
    if (!this.evaluating || !this.s) return;
    const all = this.story.joints(), moves = all.slice(0, this.at ?? all.length);
    if (this.s.goals && moves.length === all.length) return;
    this.stops.evaluation = this.analysis(moves, 6, (a) => {
      if (!a.lower || !a.upper) return fill(this.evaluation, a.note && h("p", { class: "quiet" }, a.note));
      const line = a.line ?? [];
      void this.words().ask(line.flat()).then(() => fill(this.evaluation,
        a.roles.map((role, r) => role !== "random" &&
          h("div", { class: "interval" }, interval(a, r), h("span", null, verdict(a, r)))),
        line.length > 0 && h("p", { class: "quiet" }, "Best line: " + this.words().line(line, 6))));
    }, this.evaluation);
  }

  private go(turn: number) {
    this.at = turn >= this.story.turns.length ? null : Math.max(0, turn);
    this.render();
    if (this.evaluating) this.evaluate();
  }

  // shownPosition returns the selected position. It fetches a position of the past first.
  private shownPosition(): Position | null {
    if (this.at === null) return this.story.position;
    const moves = JSON.stringify(this.story.joints().slice(0, this.at)), known = this.past.get(moves);
    if (!known) {
      get<Position>("api/position", { game: this.game, moves })
        .then((p) => { this.past.set(moves, p); this.render(); }, (e) => this.fail(e));
    }
    return known ?? null;
  }

  private render() { if (this.s) keepingFocus(() => this.draw(this.s!)); }

  private draw(s: Seats) {
    const joints = this.story.joints(), looked = this.shownPosition(), w = this.words();
    const shownTurn = this.at ?? joints.length, now = this.at === null;
    const mine = this.roles.filter(this.has);
    const theirs = mine.length > 0 && mine.every((role) => this.told.turned?.[this.roles.indexOf(role)]);
    const turned = this.turned ?? !!theirs;
    const board = looked && shown(now ? { ...looked, counters: looked.counters?.filter((c) => !c.turn) } : looked, {
      turned, own: mine.length === 1 ? mine[0] : undefined, deciding: now ? this.deciding : [],
      last: (joints[shownTurn - 1] ?? []).map((m) => w.of(m)),
    });
    this.choosers = [];
    const choices = board && now ? mine.flatMap((role) => this.choice(s, role, board)) : [];
    fill(this.head, h("h1", null, h("a", { href: toGame("game", this.game) }, titled(this.game, this.told.title))),
      mine.length > 0 && h("span", { class: "you" }, mine.map((role) => this.color(role)),
        "You are ", h("b", null, mine.join(" and "))),
      h("span", { class: "quiet", id: "state" }, s.goals ? "The game is over." : "Turn " + (joints.length + 1)),
      now ? h("p", { class: s.goals ? "status result" : "status" }, this.status(board ?? undefined))
        : h("p", { class: "status" }, `After ${shownTurn} of ${joints.length} turns. `,
          button("Back to the current turn", () => this.go(Infinity), { class: "primary", "data-focus": "latest" })));
    this.course!.show(joints, shownTurn);
    const why = this.story.turns.map((t, i) => ({ i, said: (t.explanations?.[0] ?? []).filter((x) => x !== null) }))
      .filter((w) => w.said.length > 0 && w.i < shownTurn).pop();
    const played = joints.length > 0 ? w.joint(joints[joints.length - 1]) : [];
    fill(this.board, board ?? h("p", { class: "quiet" }, "…"), board && this.first && captured(this.first, board),
      this.evaluation);
    if (now && board) this.animate(board);
    fill(this.side, this.roles.map((role, r) => s.seats[r] !== "chance" && this.seat(s, role, r)), choices,
      mine.length > 0 && this.actions(s, mine), this.failed, this.hint, s.note && h("p", { class: "quiet" }, s.note),
      played.length > 0 && h("p", { class: "last" }, "Last: ", played.map((m) =>
        h("span", { class: "share" }, h("b", null, this.roles[m.role]), " ", w.show(m.move)))),
      this.told.summary && h("details", { open: joints.length === 0 }, h("summary", null, "How to play"),
        h("p", null, this.told.summary)),
      this.course!.element,
      why && h("details", null, h("summary", null, "Explanation of turn " + (why.i + 1)),
        why.said.map((x) => explanation(x!, w))),
      this.tools(mine, joints.slice(0, shownTurn), turned));
    this.tick();
    document.title = titled(this.game, this.told.title) + " – Stackmate";
  }

  // animate shows the last move as a movement. It goes on where the board was drawn again.
  private animate(board: HTMLElement) {
    if (this.before) glide(this.before, board, performance.now() - (this.since ||= performance.now()));
    this.drawn = board;
  }

  // tools returns the buttons that change no move.
  private tools(mine: string[], joints: string[][], turned: boolean): HTMLElement {
    const toggle = (text: string, pressed: boolean, change: () => void, id?: string) => button(text,
      () => { change(); this.render(); }, { class: "small", id, "data-focus": text, "aria-pressed": String(pressed) });
    return h("div", { class: "line tools" },
      h("a", { class: "button small", href: toGame("analyse", this.game, joints) }, "Analyse"),
      toggle("Evaluation", this.evaluating, () => { this.evaluating = !this.evaluating; this.evaluate(); }, "evaluate"),
      toggle("Flip board", turned, () => { this.turned = !turned; }),
      toggle("Sounds", isOn(), () => { switchTo(!isOn()); sound(440); }),
      button("Copy link", () => copy(this.link()), { class: "small", title: "For spectators", "data-focus": "copy" }),
      mine.map((role) => button("My other device" + (mine.length > 1 ? ": " + role : ""),
        () => copy(this.link("?" + new URLSearchParams({ role, key: keysOf(this.id)[role] }))), {
          class: "small device", "data-focus": "link " + role,
          title: "Copies a private link: it plays your own side on another device of yours. Do not share it.",
          "aria-label": `My other device: copy a private link to play ${role}`,
        })));
  }

  // choice returns the legal moves of a role of this window, on the board and in a list.
  private choice(s: Seats, role: string, board: HTMLElement): HTMLElement[] {
    const r = this.roles.indexOf(role);
    if ((s.choices?.[r] ?? 0) < 2) return [];
    const legal = this.legal?.[r];
    if (!legal) return [];
    const choose = (move: string) => { this.mine.set(role, move); void this.act("move", role, { move }); };
    const chooser = new Chooser(board, legal, choose, s.chosen[r] ? this.mine.get(role) : undefined);
    this.choosers.push(chooser);
    if (!legal.some((m) => m.spots)) return [chooser.list];
    return [h("details", { open: legal.length <= 24, class: "all-moves" },
      h("summary", null, `All ${legal.length} moves`), chooser.list)];
  }

  // link returns the address of the table, with the key of a seat if one is given.
  private link = (query = "") => `${location.origin}${location.pathname}#/play/${this.id}${query}`;

  private seat(s: Seats, role: string, r: number): HTMLElement {
    const seat = s.seats[r], me = this.has(role), choices = s.choices?.[r] ?? 0, best = s.goals && Math.max(...s.goals);
    const outcome = () => (s.goals!.every((g) => g === best) ? "draw" : s.goals![r] === best ? "won" : "lost") + ", ";
    const state = s.goals ? (this.roles.length > 1 ? outcome() : "") + s.goals[r] + " points"
      : seat === "open" ? "this seat is free" : choices < 2 ? (this.roles.length > 1 ? "waits" : "")
        : s.chosen[r] ? "has chosen" : me ? "your move" : seat === "person" ? "to move" : "thinking…";
    const again = !me && left(this.id)[role];
    return h("div", { class: "seat" + (me ? " me" : "") + (this.toMove(r) ? " to-move" : "") },
      this.color(role), h("b", { class: "role" }, role), " " + (me ? "you" : names[seat] ?? levelOf(seat)),
      h("span", { class: "state" }, state),
      h("span", { class: "clock", role: "timer", "aria-label": "Clock of " + role, "data-clock": r }),
      s.score && h("span", { class: "score", title: "Score over several games" }, +(s.score[r] ?? 0).toFixed(2)),
      seat === "open" && [
        button("Join", () => void this.act("sit", role),
          { class: "sit", "aria-label": "Join as " + role, "data-focus": "sit " + role }),
        button("Invite: copy link", () => copy(this.link()), { class: "invite",
          title: "Your friend opens the link and presses Join", "data-focus": "invite " + role })],
      again && button("Resume here", () => { keepKeys(this.id, { [role]: again }); this.changed(); },
        { class: "again", "data-focus": "again " + role }));
  }

  // color returns a dot in the colour of a role.
  private color(role: string): HTMLElement | null {
    const color = this.told.colors?.[this.roles.indexOf(role)];
    return color ? dot(color) : null;
  }

  private actions(s: Seats, mine: string[]): HTMLElement {
    const free = mine.find((role) => (s.choices?.[this.roles.indexOf(role)] ?? 0) > 1) ?? mine[0];
    const r = this.roles.indexOf(free);
    const name = (what: string) => (what === "undo" ? "a takeback" : "a " + what);
    const asked = ([what, by]: [string, string[]]) => by.length === 0 ? [] : by.includes(free)
      ? [h("span", { class: "quiet" }, `waiting for the other players to agree to ${name(what)}`)]
      : [h("span", null, `${by.join(", ")} asks for ${name(what)}`),
        button("Agree", () => void this.act(what, free), { class: "primary", "data-focus": "agree " + what }),
        button("Refuse", () => void this.act("refuse", free, { what }), { "data-focus": "refuse " + what })];
    const resign = () => { if (this.sure) void this.act("resign", free); else { this.sure = true; this.render(); } };
    return h("div", { class: "line actions" },
      this.toMove(r) && button("Hint", () => this.ask(free), { class: "ask", "data-focus": "hint" }),
      button("Undo", () => void this.act("undo", free),
        { class: "undo", disabled: s.turn === 0 && !s.chosen[r], "data-focus": "undo" }),
      Object.entries(s.asked ?? {}).flatMap(asked),
      !s.goals && button(this.sure ? "Confirm resign" : "Resign", resign,
        { class: this.sure ? "resign grave" : "resign", "data-focus": "resign" }),
      s.goals && button("Rematch, seats swapped", () => void this.act("rematch", free),
        { class: "rematch", "data-focus": "rematch" }),
      !s.goals && s.seats.some(isPlayer) && this.strength(s));
  }

  // strength returns the selection of a player's level.
  private strength(s: Seats): HTMLElement {
    const r = s.seats.findIndex(isPlayer);
    const select = h("select", { id: "strength", "data-focus": "strength", onchange: () =>
      void this.act("strength", this.roles.find(this.has)!, { of: this.roles[r], kind: select.value }) },
    options(this.players, s.seats[r]));
    return h("label", { class: "strength" }, "Level ", select);
  }
}

// Begin has the options of a table.
export interface Begin { clock?: number; limit?: number; increment?: number; moves?: string[][] }

// begin opens a table with a player on each seat.
export async function begin(game: string, seats: string[], more: Begin) {
  const t = await post<{ table: string; keys: Keys }>("api/tables", { game, seats, ...more });
  keepKeys(t.table, t.keys);
  location.hash = "#/play/" + t.table;
}
