// Games: the list of games, and the page of a game with its rules and the validator's findings.
import { button, failure, fill, get, h, listen, post, toGame } from "./dom.js";
import { shown } from "./board.js";
import { options as levels } from "./levels.js";
import { begin, type Begin } from "./play.js";
import { inWords } from "./rules.js";
import { titled } from "./words.js";
import type { Choices, Class, Finding, Game, Parameter, Source, Told } from "./types.js";

export async function games(main: HTMLElement) {
  const list = h("div", null);
  const first = h("section", { class: "first" });
  const find = "Find a game";
  const filter = h("input", { type: "search", placeholder: find, "aria-label": find, oninput: () => show() });
  const read = async () => {
    const file = upload.files?.[0];
    if (!file) return;
    try {
      const game = await post<Game>("api/rules", await file.text());
      if (game.valid) location.hash = toGame("game", game.game);
      else fill(main, gameHead(game, file.name), findings(game));
    } catch (e) { main.prepend(failure(e)); }
  };
  const upload = h("input", { type: "file", accept: ".kif,.gdl,text/plain", id: "upload", class: "hidden",
    "aria-label": "Upload rules", onchange: read });
  fill(main, first, h("div", { class: "bar" }, h("h2", { class: "large" }, "More games"), filter,
    button("Upload rules", () => upload.click()), upload,
    h("a", { class: "button", href: "#/edit" }, "Write rules")), list);
  const { games } = await get<Choices>("api/games");
  // Pictures are drawn when they come into view.
  const seen = new IntersectionObserver((entries) => {
    for (const e of entries) if (e.isIntersecting) { seen.unobserve(e.target); void picture(e.target as HTMLElement); }
  }, { rootMargin: "400px" });
  const boards: Promise<void>[] = []; // of the recommended games, which are drawn first
  fill(first, h("h1", null, "Play any game whose rules are written down"),
    h("p", { class: "quiet" }, "Stackmate reads the rules of a game, plays it with you, shows what it thinks, ",
      "and solves it if it is small. In games with simultaneous moves it shows the ",
      h("a", { href: toGame("analyse", "goofspiel-4") }, "payoff matrix and its equilibrium"), "."),
    h("div", { class: "cards" }, games.filter((g) => g.first).map((g) => {
      const c = invitation(g);
      boards.push(picture(c));
      return c;
    })));
  const cards = games.map((g) => ({
    g, card: card(g), text: [g.name, g.title, g.summary, g.group].join(" ").toLowerCase(),
  }));
  function show() {
    const words = filter.value.toLowerCase().split(/\s+/).filter(Boolean);
    const fit = cards.filter(({ g, text }) => (words.length > 0 || !g.first) && words.every((w) => text.includes(w)));
    first.hidden = words.length > 0;
    const groups = [...new Set(fit.map((c) => c.g.group))];
    fill(list, fit.length === 0 && h("p", { class: "quiet" }, "No game matches these words."),
      groups.map((name) => h("section", { "aria-label": name }, h("h3", null, name),
        h("div", { class: "cards" }, fit.filter((c) => c.g.group === name).map((c) => c.card)))));
    for (const c of fit) if (!c.card.dataset.drawn) seen.observe(c.card);
  }
  if (boards.length > 0) await Promise.race(boards);
  show();
}

function card(g: Source): HTMLElement {
  return h("a", { class: "card game", href: toGame("game", g.name), "data-game": g.name },
    h("div", { class: "picture" }), h("strong", null, g.title ?? g.name), h("p", null, g.summary ?? "from " + g.from));
}

// invitation returns the card of a recommended game, with buttons to play, watch and analyse it.
function invitation(g: Source): HTMLElement {
  const failed = h("div", null);
  const act = (act: (roles: string[]) => Promise<void>) => async () => {
    try {
      const game = await get<Game>("api/game", { game: g.name });
      await act((game.roles ?? []).filter((r) => r !== game.chance));
    } catch (e) { fill(failed, failure(e)); }
  };
  const title = g.title ?? g.name;
  const sit = act((roles) => play(g.name, roles.map((_, i) => (i === 0 ? "person" : "stackmate"))));
  const see = act((roles) => watch(g.name, roles.map(() => "stackmate"), clock));
  return h("div", { class: "card invitation", "data-game": g.name },
    h("a", { href: toGame("game", g.name) }, h("div", { class: "picture" }), h("h2", null, title)),
    h("p", null, g.summary ?? "from " + g.from),
    h("div", { class: "line" },
      h("button", { class: "primary play", "aria-label": "Play " + title, onclick: sit }, "Play"),
      h("button", { class: "watch", "aria-label": "Watch two players of " + title, onclick: see }, "Watch two players"),
      h("a", { class: "button", "aria-label": "Analyse " + title, href: toGame("analyse", g.name) }, "Analyse")),
    failed);
}

// clock is the default time per move of players of this program, in seconds.
const clock = 2;

// play opens a table with a player for each role.
export const play = (game: string, seats: string[], more: Begin = {}) => begin(game, seats, { clock, ...more });

// paces are the clocks of people that the form offers: minutes and the increment of a move, or seconds of a move.
const paces: [name: string, limit: string, increment: string][] = [
  ["No clock", "", "0"], ["3+2", "180", "2"], ["10+5", "600", "5"], ["30+20", "1800", "20"],
  ["5 s a move", "5", "0"], ["30 s a move", "30", "0"], ["1 day a move", "86400", "0"],
];

// watch starts a match between players and follows it.
async function watch(game: string, players: string[], clock: number) {
  const m = await post<{ match: string }>("api/matches", { game, players, start: Math.max(1, 2 * clock), play: clock });
  location.hash = "#/watch/" + encodeURIComponent(m.match);
}

async function picture(card: HTMLElement) {
  card.dataset.drawn = "yes";
  const at = card.querySelector(".picture")!;
  try {
    const game = await get<Game>("api/game", { game: card.dataset.game! });
    if (!game.valid) fill(at, h("span", { class: "quiet" }, "not valid"));
    else if (game.position?.svg) {
      fill(at, shown({ ...game.position, counters: [], hands: [], facts: [] }, { decorative: true }));
    } else fill(at, h("span", { class: "quiet" }, (game.roles ?? []).join(" · ")));
  } catch (e) { fill(at, failure(e)); }
}

export async function game(main: HTMLElement, name: string): Promise<void | (() => void)> {
  const [g, choices] = await Promise.all([get<Game>("api/game", { game: name, rules: "" }), get<Choices>("api/games")]);
  if (!g.valid) return fill(main, gameHead(g, name), findings(g));
  const facts = h("p", { class: "quiet" }, "compiling…"), told = h("div", null);
  const family = choices.games.find((s) => s.name === name.split("-")[0] && s.parameters);
  fill(main, gameHead(g, name), h("div", { class: "columns" },
    h("section", null, g.position ? shown(g.position)
      : h("p", { class: "quiet" }, "Computing the first position timed out.")),
    h("section", null, g.about && h("p", null, g.about), start(g, choices), family && sizes(family, name), told, facts,
      g.author && h("p", { class: "quiet" }, "By " + g.author + "."), findings(g),
      h("details", null, h("summary", null, "Rules as text"), h("pre", { tabindex: 0 }, g.rules),
        h("a", { href: "#/edit/" + encodeURIComponent(g.game) }, "Edit rules")))));
  get<Told>("api/told", { game: name })
    .then((t) => fill(told, inWords(t.clauses ?? "")), (e) => fill(told, failure(e)));
  return listen("api/class?" + new URLSearchParams({ game: name }), {
    queue: (place: number) => fill(facts, `waiting for compilation: number ${place} in the queue`),
    class: (c: Class) => fill(facts, `${c.class}. ${c.fluents} fluents, `,
      (g.roles ?? []).map((r, i) => `${r}: ${c.moves[i]} moves`).join(", "),
      `. Engine: ${c.engine}${c.gates ? `, ${c.gates} gates` : ""}.`),
    failed: (text: string) => fill(facts, failure(text)),
  });
}

const gameHead = (g: Game, name: string) => h("div", { class: "bar" },
  h("h1", null, titled(name, g.title)),
  g.valid && h("a", { class: "button", href: toGame("analyse", g.game) }, "Analyse"));

// sizes returns the form for other members of a family: connectFour-9x7.
function sizes(family: Source, name: string): HTMLElement {
  // The pattern shows the separator before each number: connectFour-WxH.
  let rest = family.pattern!.slice(family.name.length), given = name.slice(family.name.length);
  const fields = family.parameters!.map((p: Parameter) => {
    const at = rest.indexOf(p.name), separator = at > 0 ? rest.slice(at - 1, at) : "-";
    rest = rest.slice(at + p.name.length);
    const value = given.match(p.list ? /^[-x]([0-9.]+)/ : /^[-x](\d+)/)?.[1];
    if (value) given = given.slice(value.length + 1);
    const input = h("input", { id: "size-" + p.name, ...(p.list ? { value: value ?? "", size: 12, placeholder: "3.4.5" }
      : { type: "number", min: p.min, max: p.max, value: value ?? p.default, required: true }) });
    return { p, input, text: () => (input.value ? separator + input.value : "") };
  });
  const go = (e: Event) => {
    e.preventDefault();
    location.hash = toGame("game", family.name + fields.map((f) => f.text()).join(""));
  };
  return h("form", { class: "panel sizes", onsubmit: go }, h("h2", null, "Size"),
    fields.map((f) => h("div", { class: "line" }, h("label", { for: f.input.id }, f.p.about), f.input,
      !f.p.list && h("span", { class: "quiet" }, `${f.p.min} to ${f.p.max}`))),
    h("button", { id: "resize" }, "Apply size"));
}

// start returns the form for a new match: players, clocks, and the buttons to play or watch.
function start(g: Game, choices: Choices): HTMLElement {
  const usual = choices.players.find((p) => p === "stackmate");
  const seats = (g.roles ?? []).filter((r) => r !== g.chance).map((role, i) => {
    const other = h("input", { id: "other-" + i, hidden: true, "aria-label": "Which player plays " + role, size: 30,
      placeholder: "http://localhost:9147 or mcts:threads=1,without=rave" });
    const change = () => { other.hidden = select.value !== ""; if (!other.hidden) other.focus(); };
    const select = h("select", { id: "seat-" + i, onchange: change },
      h("option", { value: "person" }, "Me"), h("option", { value: "open" }, "Friend"),
      h("optgroup", { label: "Stackmate" }, levels(choices.players, i > 0 ? usual : undefined)),
      h("option", { value: "" }, "Custom…"));
    const line = h("div", { class: "line" }, h("label", { for: "seat-" + i }, role), select, other);
    return { kind: () => select.value || other.value.trim(), line };
  });
  const number = (id: string, value = "") => h("input", { id, type: "number", step: "any", value, placeholder: "none",
    min: choices.clocks[id].least, max: choices.clocks[id].most });
  const seconds = number("clock", String(clock)), limit = number("limit"), increment = number("increment", "0");
  const own = h("span", { class: "line", hidden: true },
    h("label", null, "Seconds ", limit), h("label", null, "Increment ", increment));
  const pace = h("select", { id: "pace", onchange: () => {
    own.hidden = pace.value !== "";
    if (pace.value) [, limit.value, increment.value] = paces[Number(pace.value)];
  } }, paces.map(([name], i) => h("option", { value: i }, name)), h("option", { value: "" }, "Custom…"));
  const failed = h("div", null);
  const kinds = () => seats.map((s) => s.kind());
  const act = (act: () => Promise<void>) => act().catch((e) => fill(failed, failure(e)));
  const sit = () => act(() => play(g.game, kinds(),
    { clock: Number(seconds.value), limit: Number(limit.value), increment: Number(increment.value) }));
  const players = () => kinds().map((k) => (k === "person" || k === "open" ? "stackmate" : k));
  const hold = () => act(() => watch(g.game, players(), Number(seconds.value)));
  return h("form", { class: "start panel", onsubmit: (e: Event) => { e.preventDefault(); void sit(); } },
    seats.map((s) => s.line),
    h("div", { class: "line" }, h("label", { for: "pace" }, "Clock of people"), pace, own),
    h("div", { class: "line" }, h("label", { for: "clock" }, "Stackmate thinks (s)"), seconds),
    h("div", { class: "line" }, h("button", { class: "primary", id: "play" }, "Play"),
      h("button", { type: "button", id: "watch", onclick: () => void hold(),
        title: "Watch a match; stackmate takes your seat" }, "Watch")), failed);
}

// findings shows the validator's findings, with the lines of the rules.
export function findings(g: Game): HTMLElement {
  if (g.findings.length === 0) return h("p", { class: "quiet" }, "No findings.");
  const lines = g.rules.split("\n");
  const pointer = (f: Finding) => lines[f.line - 1] + "\n" + " ".repeat(Math.max(0, f.column - 1)) + "^";
  const one = (f: Finding) => h("li", { class: f.grave ? "grave" : "" },
    h("b", null, f.code), f.line > 0 ? ` line ${f.line}: ${f.text}` : ` ${f.text}`,
    lines[f.line - 1] !== undefined && h("pre", null, pointer(f)),
    f.hint && h("p", { class: "quiet" }, f.hint));
  const list = h("ul", { class: "findings" }, g.findings.slice(0, 50).map(one));
  return g.valid ? h("details", null, h("summary", null, judgement(g)), list)
    : h("section", null, h("h2", null, judgement(g)), list);
}

// judgement returns the verdict of the validator. Rules with errors are not valid, even if they are playable.
export function judgement(g: Game): string {
  const count = (list: Finding[], word: string) => `${list.length} ${word}${list.length === 1 ? "" : "s"}`;
  const errors = g.findings.filter((f) => f.grave), warnings = g.findings.filter((f) => !f.grave);
  const played = g.valid ? "; played all the same, as game managers read the rules" : "";
  if (errors.length > 0) return "Not valid: " + count(errors, "error") + played;
  return warnings.length > 0 ? `Valid, ${count(warnings, "warning")}` : "Valid";
}
