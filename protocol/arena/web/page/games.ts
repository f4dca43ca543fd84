// Games: all there are, and one of them with its rules and what the validator says.
import { failure, fill, get, h, post } from "./dom.js";
import { shown } from "./board.js";
import type { Choices, Class, Finding, Game, Source } from "./types.js";

export async function games(main: HTMLElement) {
  const list = h("div", { class: "cards" });
  const first = h("section", { class: "first" });
  const filter = h("input", { type: "search", placeholder: "Find a game", "aria-label": "Find a game", oninput: () => show() });
  const upload = h("input", { type: "file", accept: ".kif,.gdl,text/plain", id: "upload", class: "hidden", onchange: async () => {
    const file = upload.files?.[0];
    if (!file) return;
    try {
      const game = await post<Game>("api/rules", await file.text());
      if (game.valid) location.hash = "#/game/" + encodeURIComponent(game.game);
      else fill(main, gameHead(game, file.name), findings(game));
    } catch (e) { main.prepend(failure(e)); }
  } });
  fill(main, first, h("div", { class: "bar" }, h("h1", null, "All games"), filter,
    h("label", { for: "upload", class: "button", tabindex: 0, onkeydown: (e: KeyboardEvent) => e.key === "Enter" && upload.click() }, "Upload rules"), upload), list);
  const { games, first: begin } = await get<Choices>("api/games");
  // Pictures are drawn when they come into view.
  const seen = new IntersectionObserver((entries) => {
    for (const e of entries) if (e.isIntersecting) { seen.unobserve(e.target); void picture(e.target as HTMLElement); }
  }, { rootMargin: "200px" });
  fill(first, h("h1", null, "Begin here"), h("div", { class: "cards" }, begin.map((name) => {
    const c = invitation(games.find((g) => g.name === name)!);
    seen.observe(c);
    return c;
  })));
  const cards = games.map((g) => ({ g, card: card(g) }));
  function show() {
    const words = filter.value.toLowerCase().split(/\s+/).filter(Boolean);
    const fit = cards.filter(({ g }) => words.every((w) => (g.name + " " + (g.summary ?? "")).toLowerCase().includes(w)));
    first.hidden = words.length > 0;
    fill(list, fit.map((c) => c.card));
    for (const c of fit) if (!c.card.dataset.drawn) seen.observe(c.card);
  }
  show();
}

function card(g: Source): HTMLElement {
  return h("a", { class: "card game", href: "#/game/" + encodeURIComponent(g.name), "data-game": g.name },
    h("div", { class: "picture" }), h("h2", null, g.name), h("p", null, g.summary ?? "from " + g.from));
}

// invitation is a card of a game with something to do at once.
function invitation(g: Source): HTMLElement {
  const failed = h("div", null);
  const act = (act: (roles: string[]) => Promise<void>) => async () => {
    try {
      const game = await get<Game>("api/game", { game: g.name });
      await act((game.roles ?? []).filter((r) => r !== game.chance));
    } catch (e) { fill(failed, failure(e)); }
  };
  return h("div", { class: "card invitation", "data-game": g.name },
    h("a", { href: "#/game/" + encodeURIComponent(g.name) }, h("div", { class: "picture" }), h("h2", null, g.name)), h("p", null, g.summary),
    h("div", { class: "line" },
      h("button", { class: "primary play", onclick: act((roles) => play(g.name, roles.map((_, i) => (i === 0 ? "person" : "stackmate")), clock, 0)) }, "Play"),
      h("button", { class: "watch", onclick: act((roles) => watch(g.name, roles.map(() => "stackmate"), clock)) }, "Watch two players"),
      h("a", { class: "button", href: "#/analyse/" + encodeURIComponent(g.name) }, "Analyse")), failed);
}

// clock is how long players of this program think about a move, in seconds, unless something else is chosen.
const clock = 2;

// play opens a table with somebody on each seat; limit is the time that people have for a move, 0 for no limit.
async function play(game: string, seats: string[], clock: number, limit: number) {
  const t = await post<{ table: string; keys: Record<string, string> }>("api/tables", { game, seats, clock, limit });
  sessionStorage.setItem("keys-" + t.table, JSON.stringify(t.keys));
  location.hash = "#/play/" + t.table;
}

// watch holds a match.
async function watch(game: string, players: string[], clock: number) {
  const m = await post<{ match: string }>("api/matches", { game, players, start: Math.max(1, 2 * clock), play: clock });
  location.hash = "#/watch/" + m.match;
}

async function picture(card: HTMLElement) {
  card.dataset.drawn = "yes";
  const at = card.querySelector(".picture")!;
  try {
    const game = await get<Game>("api/game", { game: card.dataset.game! });
    if (!game.valid) fill(at, h("span", { class: "quiet" }, "not valid"));
    else if (game.position?.svg) fill(at, shown({ ...game.position, counters: [], hands: [], facts: [] }));
    else fill(at, h("span", { class: "quiet" }, (game.roles ?? []).join(" · ")));
  } catch (e) { fill(at, failure(e)); }
}

export async function game(main: HTMLElement, name: string) {
  const [g, choices] = await Promise.all([get<Game>("api/game", { game: name, rules: "" }), get<Choices>("api/games")]);
  if (!g.valid) return fill(main, gameHead(g, name), findings(g));
  const facts = h("p", { class: "quiet" }, "compiling…");
  const pattern = choices.games.find((s) => s.name === name)?.pattern;
  fill(main, gameHead(g, name), h("div", { class: "columns" },
    h("section", null, g.position ? shown(g.position) : h("p", { class: "quiet" }, "The first position takes long to find.")),
    h("section", null, start(g, choices), facts, pattern && member(pattern, name), findings(g),
      h("details", null, h("summary", null, "Rules"), h("pre", null, g.rules)))));
  try {
    const c = await get<Class>("api/class", { game: name });
    fill(facts, `${c.class}. ${c.fluents} fluents, ${(g.roles ?? []).map((r, i) => `${r}: ${c.moves[i]} moves`).join(", ")}. `,
      `Engine: ${c.engine}${c.gates ? `, ${c.gates} gates` : ""}.`);
  } catch (e) { fill(facts, failure(e)); }
}

const gameHead = (g: Game, name: string) => h("div", { class: "bar" }, h("h1", null, name),
  g.valid && h("a", { class: "button", href: "#/analyse/" + encodeURIComponent(g.game) }, "Analyse"));

// member lets other members of a family be chosen.
function member(pattern: string, name: string): HTMLElement {
  const input = h("input", { value: name, "aria-label": "Game of this family" });
  return h("form", { class: "line", onsubmit: (e: Event) => { e.preventDefault(); location.hash = "#/game/" + encodeURIComponent(input.value); } },
    h("label", null, "Others: " + pattern), input, h("button", null, "Go"));
}

// start offers who plays whom.
function start(g: Game, choices: Choices): HTMLElement {
  const seats = (g.roles ?? []).filter((r) => r !== g.chance).map((role, i) => {
    const other = h("input", { id: "other-" + i, hidden: true, "aria-label": "Which player plays " + role, placeholder: "http://localhost:9147 or mcts:threads=1", size: 30 });
    const select = h("select", { id: "seat-" + i, onchange: () => { other.hidden = select.value !== ""; if (!other.hidden) other.focus(); } },
      h("option", { value: "person" }, "me"), h("option", { value: "open" }, "somebody else"),
      choices.players.map((p) => h("option", { value: p, selected: i > 0 && p === "stackmate" }, p)), h("option", { value: "" }, "another player…"));
    return { kind: () => select.value || other.value.trim(), line: h("div", { class: "line" }, h("label", { for: "seat-" + i }, role), select, other) };
  });
  const seconds = h("input", { type: "number", min: "0.1", max: "600", step: "any", value: String(clock), id: "clock" });
  const limit = h("input", { type: "number", min: "0", max: "600", step: "any", placeholder: "none", id: "limit" });
  const failed = h("div", null);
  const kinds = () => seats.map((s) => s.kind());
  const act = (act: () => Promise<void>) => act().catch((e) => fill(failed, failure(e)));
  const begin = () => act(() => play(g.game, kinds(), Number(seconds.value), Number(limit.value)));
  const hold = () => act(() => watch(g.game, kinds().map((k) => (k === "person" || k === "open" ? "stackmate" : k)), Number(seconds.value)));
  return h("form", { class: "start panel", onsubmit: (e: Event) => { e.preventDefault(); void begin(); } },
    seats.map((s) => s.line),
    h("div", { class: "line" }, h("label", { for: "clock" }, "seconds a move"), seconds),
    h("div", { class: "line" }, h("label", { for: "limit" }, "… for people"), limit),
    h("div", { class: "line" }, h("button", { class: "primary", id: "play" }, "Play"),
      h("button", { type: "button", id: "watch", onclick: () => void hold(), title: "A match of players; where you would play, stackmate does" }, "Let them play")), failed);
}

// findings shows what the validator says, in the text of the rules.
function findings(g: Game): HTMLElement {
  if (g.findings.length === 0) return h("p", { class: "quiet" }, "The validator has nothing to say against the rules.");
  const lines = g.rules.split("\n");
  const one = (f: Finding) => h("li", { class: f.grave ? "grave" : "" }, h("b", null, f.code), ` line ${f.line}: ${f.text}`,
    f.line > 0 && lines[f.line - 1] !== undefined && h("pre", null, lines[f.line - 1] + "\n" + " ".repeat(Math.max(0, f.column - 1)) + "^"),
    f.hint && h("p", { class: "quiet" }, f.hint));
  const list = h("ul", { class: "findings" }, g.findings.slice(0, 50).map(one));
  const title = g.valid ? `${g.findings.length} remarks of the validator` : "These rules are not valid";
  return g.valid ? h("details", null, h("summary", null, title), list) : h("section", null, h("h2", null, title), list);
}
