// Watch: records, and matches under way.
import { failure, fill, get, h, listen } from "./dom.js";
import { shown } from "./board.js";
import { explanation, graph } from "./explain.js";
import type { Outline, Part, Position } from "./types.js";

export async function matches(main: HTMLElement, query: URLSearchParams) {
  const { matches, count } = await get<{ matches: Outline[]; count: number }>("api/matches?" + query);
  const skip = Number(query.get("skip") ?? 0);
  const page = (skip: number, text: string) => h("a", { class: "button", href: "#/watch?" + new URLSearchParams([...[...query].filter(([k]) => k !== "skip"), ["skip", String(skip)]]) }, text);
  const wanted = query.getAll("player").join(" – ") + [query.get("outcome"), query.get("game")].filter(Boolean).map((t) => ", " + t).join("");
  fill(main, h("div", { class: "bar" }, h("h1", null, "Watch"), h("span", { class: "quiet" }, wanted.replace(/^, /, "")),
    skip > 0 && page(Math.max(0, skip - 200), "Later"), skip + matches.length < count && page(skip + matches.length, "Earlier"),
    count > matches.length && h("span", { class: "quiet" }, `${skip + 1} to ${skip + matches.length} of ${count}`)),
    count === 0 ? h("p", { class: "quiet" }, "There is no match here yet. Choose a game and let players play, or start the arena with --records DIR.") :
      h("table", { class: "list" }, h("thead", null, h("tr", null, ["Game", "Players", "Result", "Turns", "Begun"].map((t) => h("th", null, t)))),
        h("tbody", null, matches.map((m) => h("tr", null, h("td", null, h("a", { href: "#/watch/" + encodeURIComponent(m.match) }, m.game)),
          h("td", null, m.players.join(" – ")), h("td", null, m.live ? h("span", { class: "live" }, "live") : m.goals?.join(" – ") || m.reason || "over"),
          h("td", null, m.turns || ""), h("td", { class: "quiet" }, new Date(m.start).toLocaleString()))))));
}

export function watch(main: HTMLElement, id: string, at?: number): () => void {
  let turn = at ?? 0;
  let live = at === undefined; // goes on with the match
  let roles: string[] = [], players: string[] = [], name = "", opening: string[][] = [], rules = "";
  const turns: Part[] = [];
  const news = new Map<number, Position>(); // pictures that came with their turns
  let end: Part | null = null;
  let stopped = false;
  const board = h("section", null), side = h("section", null), title = h("h1", null, "…");
  const analyse = h("a", { class: "button" }, "Analyse");
  fill(main, h("div", { class: "bar" }, title, analyse), h("div", { class: "columns" }, board, side));

  const go = (to: number, follow = false) => {
    turn = Math.max(0, Math.min(to, turns.length));
    live = follow || (turn === turns.length && !end);
    history.replaceState(null, "", `#/watch/${encodeURIComponent(id)}/${turn}`);
    void show();
  };
  const controls = h("div", { class: "line controls", role: "toolbar", "aria-label": "Turns" },
    h("button", { type: "button", title: "First position (Home)", onclick: () => go(0) }, "«"),
    h("button", { type: "button", title: "Back (←)", onclick: () => go(turn - 1) }, "‹"),
    h("span", { class: "turn" }),
    h("button", { type: "button", title: "Forward (→)", onclick: () => go(turn + 1) }, "›"),
    h("button", { type: "button", title: "Last position (End)", onclick: () => go(turns.length, true) }, "»"));

  // Positions come one at a time; when many are skipped only the latest is fetched.
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
        const p = news.get(now) ?? await get<Position & { rules: string }>(`api/matches/${encodeURIComponent(id)}/position`, { turn: String(now) });
        board.dataset.turn = String(now);
        fill(board, shown(p));
        describe();
      } catch (e) {
        const begun = turns.length > 0 || end;
        fill(board, begun ? failure(e) : h("p", { class: "quiet" }, "The players prepare for the match."));
      }
    }
    busy = false;
  };

  const describe = () => {
    controls.querySelector(".turn")!.textContent = `${turn} / ${turns.length}${end ? "" : " live"}`;
    const before = turns[turn - 1];
    const moves = before?.moves?.[0], errors = before?.errors?.[0], times = before?.reply_times?.[0];
    const said = (before?.explanations?.[0] ?? []).filter((x) => x !== null);
    const goals = end?.goals;
    fill(title, h("a", { href: rules ? "#/game/" + encodeURIComponent(rules) : "#/games" }, name));
    const joints = opening.concat(turns.slice(0, turn).map((t) => t.moves![0]));
    if (rules) analyse.setAttribute("href", `#/analyse/${encodeURIComponent(rules)}?moves=${encodeURIComponent(JSON.stringify(joints))}`);
    fill(side, controls,
      h("table", { class: "list" }, h("tbody", null, roles.map((role, r) => h("tr", null, h("th", null, role), h("td", null, players[r]),
        h("td", null, moves?.[r] ?? ""), h("td", { class: "quiet" }, times?.[r] ? times[r].toFixed(3) + " s" : ""), h("td", { class: "grave" }, errors?.[r] ?? ""),
        goals && h("td", null, h("b", null, goals[r])))))),
      end?.reason && h("p", { class: "grave" }, end.reason),
      graph(roles, turns, turn, (t) => go(t + 1)),
      said.map((x) => explanation(x!)),
      h("details", null, h("summary", null, "All moves"), h("ol", { class: "all" }, turns.map((t, i) => h("li", null,
        h("a", { href: `#/watch/${encodeURIComponent(id)}/${i + 1}`, onclick: (e: Event) => { e.preventDefault(); go(i + 1); } }, t.moves![0].join(" · ")))))));
  };

  const stop = listen("api/matches/" + encodeURIComponent(id), {
    part: (p: Part) => {
      if (p.match) { roles = p.roles ?? []; players = p.players ?? []; name = p.game ?? ""; opening = p.opening ?? []; rules = p.rules ? "record:" + p.rules : ""; }
      (p.moves ?? []).forEach((m, i) => turns.push({ moves: [m], errors: p.errors && [p.errors[i]], reply_times: p.reply_times && [p.reply_times[i]], explanations: p.explanations && [p.explanations[i]] }));
      if (p.position) { if (news.size > 50) news.clear(); news.set(turns.length, p.position); }
      if (p.completed || p.aborted) end = p;
      if (live) turn = turns.length;
      if (p.match && !p.moves && at !== undefined) return;
      if (live || turn <= turns.length) void later();
    },
    end: (note: string) => note && main.prepend(failure(note)),
    failed: (text: string) => fill(main, failure(text)),
  });
  // Parts of a record come all at once: what they show is drawn once.
  let waiting = false;
  const later = async () => {
    if (waiting) return;
    waiting = true;
    await new Promise((done) => setTimeout(done, 20));
    waiting = false;
    turn = Math.min(turn, turns.length);
    if (live || board.dataset.turn !== String(turn)) await show(); else describe();
  };
  const keys = (e: KeyboardEvent) => {
    if (e.target instanceof HTMLInputElement) return;
    const to = { ArrowLeft: turn - 1, ArrowRight: turn + 1, Home: 0, End: turns.length }[e.key];
    if (to !== undefined) { e.preventDefault(); go(to, e.key === "End"); }
  };
  document.addEventListener("keydown", keys);
  return () => { stopped = true; stop(); document.removeEventListener("keydown", keys); };
}
