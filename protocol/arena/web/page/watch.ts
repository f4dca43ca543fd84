// Watch: records, and matches under way.
import { button, copy, failure, fill, get, h, listen, post, toGame, wide } from "./dom.js";
import { keepingFocus, shown } from "./board.js";
import { Course, type Note } from "./course.js";
import { Story } from "./story.js";
import { explanation, graph, known, result } from "./explain.js";
import { mistakes, review } from "./review.js";
import { named, words } from "./words.js";
import type { Analysis, Choices, Outline, Part, Position, Spot } from "./types.js";

// opener returns the form that opens a record: JSON lines, or a match of a GGP archive.
async function opener(): Promise<HTMLElement> {
  const failed = h("div", null), text = h("textarea", {
    id: "record", rows: 6, "aria-label": "Record",
    placeholder: "JSON lines, or a match in the format of the GGP archives",
  });
  const { games } = await get<Choices>("api/games");
  const game = h("input", { id: "record-game", list: "record-games", placeholder: "as in the record" });
  const open = async () => {
    const query = new URLSearchParams({ game: game.value });
    try {
      const { match } = await post<{ match: string }>("api/records?" + query, text.value);
      location.hash = toMatch(match) + "/0";
    } catch (e) { fill(failed, failure(e)); }
  };
  const read = async () => { if (file.files?.[0]) { text.value = await file.files[0].text(); void open(); } };
  const file = h("input", { type: "file", class: "hidden", "aria-label": "Open a file", onchange: read });
  return h("details", { class: "panel", id: "opener" }, h("summary", null, "Open a record"), text,
    h("div", { class: "line" }, h("label", { for: "record-game" }, "game"), game,
      h("datalist", { id: "record-games" }, games.map((g) => h("option", { value: g.name }))),
      button("Open", () => void open(), { class: "primary", id: "open-record" }),
      button("Open a file", () => file.click()), file), failed);
}

const toMatch = (id: string) => "#/watch/" + encodeURIComponent(id);

export async function matches(main: HTMLElement, query: URLSearchParams) {
  const { matches, count } = await get<{ matches: Outline[]; count: number }>("api/matches?" + query);
  const skip = Number(query.get("skip") ?? 0), next = skip + matches.length;
  const page = (skip: number, text: string) => {
    const other = new URLSearchParams(query);
    other.set("skip", String(skip));
    return h("a", { class: "button", href: "#/watch?" + other }, text);
  };
  const wanted = [query.getAll("player").join(" – "), query.get("outcome"), query.get("game")].filter(Boolean);
  const result = (m: Outline) =>
    m.live ? h("span", { class: "live" }, "live") : m.goals?.join(" – ") || m.reason || "over";
  const row = (m: Outline) => h("tr", null, h("td", null, h("a", { href: toMatch(m.match) }, named(m.game))),
    h("td", null, m.players.join(" – ")), h("td", null, result(m)), h("td", null, m.turns || ""),
    h("td", { class: "quiet" }, new Date(m.start).toLocaleString()));
  const titles = ["Game", "Players", "Result", "Turns", "Begun"].map((t) => h("th", { scope: "col" }, t));
  const none = "There is no match here yet. Choose a game and press Watch, or start the arena with --records DIR.";
  fill(main, h("div", { class: "bar" }, h("h1", null, "Watch"), h("span", { class: "quiet" }, wanted.join(", ")),
    skip > 0 && page(Math.max(0, skip - 200), "Later"), next < count && page(next, "Earlier"),
    count > matches.length && h("span", { class: "quiet" }, `${skip + 1} to ${next} of ${count}`)), await opener(),
    count === 0 ? h("p", { class: "quiet" }, none) : wide("Matches", h("table", { class: "list" },
      h("thead", null, h("tr", null, titles)), h("tbody", null, matches.map(row)))));
}

export function watch(main: HTMLElement, id: string, at?: number): () => void {
  let turn = at ?? 0;
  let live = at === undefined; // follows the match
  const story = new Story(), turns = () => story.turns;
  let rules = "";
  const news = new Map<number, Position>(); // pictures that came with their turns
  let stopped = false, turned = false;
  let position: Position | null = null, deciding: Spot[] = [];
  let judged = new Map<number, Analysis>(), notes = new Map<number, Note>(), stopReview = () => {}, reviewing = "";
  const board = h("section", { "aria-label": "Position" }), side = h("section", { "aria-label": "Match" });
  const title = h("h1", null, "…");
  const analyse = h("a", { class: "button" }, "Analyse");
  const judge = button("Find mistakes", () => findMistakes(), {
    id: "review", hidden: true, title: "Runs the exact search on each turn, from the last turn back",
  });
  const from = "api/matches/" + encodeURIComponent(id);
  const save = (as: string, text: string, title: string) =>
    h("a", { class: "button", id: "save-" + as, download: "", href: `${from}/record?as=${as}`, title }, text);
  fill(main, h("div", { class: "bar" }, title, analyse,
    button("Flip board", () => { turned = !turned; draw(); }, { id: "turn-board" }), judge,
    button("Copy link", () => copy(location.href), { id: "copy" }),
    save("ggp", "Save", "In the format of the archives of General Game Playing"),
    save("lines", "Save all", "As JSON lines, with the players' explanations")),
    h("div", { class: "columns" }, board, side));

  const go = (to: number, follow = false) => {
    turn = Math.max(0, Math.min(to, turns().length));
    live = follow || to === Infinity || (turn === turns().length && !story.end);
    history.replaceState(null, "", toMatch(id) + "/" + turn);
    void show();
  };
  const say = () => words(rules || story.head.game || "");
  let course = new Course(say(), go);
  const joints = () => story.opening.concat(story.joints());

  const draw = () => {
    if (!position) return;
    const joint = turns()[position.turn - 1]?.moves?.[0] ?? [];
    const marked = { turned, last: joint.map((m) => say().of(m)), deciding: position.goals ? deciding : [] };
    keepingFocus(() => fill(board, shown(position!, marked)));
  };

  // Positions are fetched one at a time; while one is under way, only the latest request is kept.
  let wanted = -1, busy = false;
  const show = async () => {
    describe();
    wanted = turn;
    if (busy) return;
    busy = true;
    while (wanted >= 0 && !stopped) {
      const now = wanted;
      wanted = -1;
      try {
        position = news.get(now) ?? await get<Position>(from + "/position", { turn: String(now) });
        if (position.goals && rules && story.end && deciding.length === 0) {
          const game = { game: rules, moves: JSON.stringify(joints()) };
          deciding = await get<Spot[]>("api/deciding", game).catch(() => []);
        }
        await say().ask(turns()[now - 1]?.moves?.[0] ?? []);
        board.dataset.turn = String(now);
        draw();
        describe();
      } catch (e) {
        const begun = turns().length > 0 || story.end;
        fill(board, begun ? failure(e) : h("p", { class: "quiet" }, "The players prepare for the match."));
      }
    }
    busy = false;
  };

  const describe = () => {
    const before = turns()[turn - 1];
    const moves = before?.moves?.[0], errors = before?.errors?.[0], times = before?.reply_times?.[0];
    const said = (before?.explanations?.[0] ?? []).filter((x) => x !== null);
    const end = story.end, roles = story.roles, goals = end?.goals, w = say();
    const all = story.joints(), opening = story.opening;
    fill(title, h("a", { href: rules ? toGame("game", rules) : "#/games" }, named(story.head.game ?? "")));
    judge.hidden = !rules; // hidden until the game of the record is known
    if (rules) analyse.setAttribute("href", toGame("analyse", rules, opening.concat(all.slice(0, turn))));
    const looked = judged.get(opening.length + turn - 1);
    course.show(all, turn, notes, end ? "" : " live");
    const note = notes.get(turn - 1);
    const row = (role: string, r: number) => h("tr", null, h("th", { scope: "row" }, role),
      h("td", null, story.head.players?.[r]), h("td", null, moves?.[r] ? w.show(moves[r]) : ""),
      h("td", { class: "quiet" }, times?.[r] ? times[r].toFixed(3) + " s" : ""),
      h("td", { class: "grave" }, errors?.[r] ?? ""), goals && h("td", null, h("b", null, goals[r])));
    keepingFocus(() => fill(side,
      h("div", { class: "matrix" }, h("table", { class: "list" }, h("tbody", null, roles.map(row)))),
      end?.completed && goals && h("p", { class: "result" }, result(roles, goals, undefined, position?.counters)),
      end?.reason && h("p", { class: "grave" }, end.reason),
      course.element,
      reviewing && h("p", { class: "quiet", id: "reviewing" }, reviewing),
      note && h("p", { class: "grave note" }, note.text),
      looked && roles.map((_, r) => known(looked, r, w)),
      graph(roles, turns(), turn, (t) => go(t + 1)),
      said.map((x) => explanation(x!, w))));
  };

  const findMistakes = () => {
    stopReview();
    judged = new Map();
    const list = joints(), opening = story.opening, total = list.length - opening.length;
    reviewing = "analysing, from the last turn back…";
    stopReview = review(rules, list, opening.length, 2, (at, a) => {
      judged.set(at, a);
      void say().ask((a.moves ?? []).flatMap((m) => (m ?? []).map((k) => k.move)));
      const found = mistakes(list, judged, (m) => say().of(m).text,
        story.end?.forfeit ? undefined : story.end?.goals); // the goals of a forfeit say nothing about the last move
      notes = new Map([...found].map(([t, n]) => [t - opening.length, n]));
      const solved = [...judged.values()].filter((a) => a.solved).length;
      reviewing = `${judged.size} of ${total} turns analysed, ${solved} solved, ${notes.size} mistakes`;
      describe();
    }, (failed) => { reviewing = failed ?? reviewing.replace(/^/, "Done: "); describe(); });
    describe();
  };

  const stop = listen(from, {
    part: (p: Part) => {
      story.add(p);
      if (p.match) {
        rules = p.rules ? "record:" + p.rules : "";
        course = new Course(say(), go);
        stopKeys();
        stopKeys = course.keys();
      }
      if (p.position) { if (news.size > 50) news.clear(); news.set(turns().length, story.position!); }
      if (live) turn = turns().length;
      if (p.match && !p.moves && at !== undefined) return;
      if (live || turn <= turns().length) void later();
    },
    end: (note: string) => note && main.prepend(failure(note)),
    failed: (text: string) => fill(main, failure(text)),
  });
  // The parts of a record arrive in one burst: draw once after it.
  let waiting = false;
  const later = async () => {
    if (waiting) return;
    waiting = true;
    await new Promise((done) => setTimeout(done, 20));
    waiting = false;
    turn = Math.min(turn, turns().length);
    if (live || board.dataset.turn !== String(turn)) await show(); else describe();
  };
  let stopKeys = course.keys();
  return () => { stopped = true; stop(); stopReview(); stopKeys(); };
}
