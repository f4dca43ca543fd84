// Tournaments in the page: the form, the controls, and the state of tests and tunings.
import { button, failure, fill, get, h, percent, post } from "./dom.js";
import type { Choices, Run, Runs, Tuning } from "./types.js";

const to = (run: string) => "#/standings?tournament=" + encodeURIComponent(run);
const states: Record<string, string> = {
  playing: "is running", paused: "is paused", elsewhere: "is played by another program", ended: "has ended",
};

// controls returns the buttons of one tournament.
export function controls(run: string, kind: string, state: string, reason?: string): HTMLElement {
  const failed = h("div", null);
  const act = (what: string) => button(what[0].toUpperCase() + what.slice(1), () => {
    void post(`api/tournaments/${encodeURIComponent(run)}/${what}`, {}).catch((e) => fill(failed, failure(e)));
  }, { class: what, "data-focus": what });
  return h("div", { class: "panel" }, h("div", { class: "line" },
    h("span", null, `This ${kind} `, h("b", { id: "run-state" }, states[state] ?? state), "."),
    state === "playing" && act("pause"), state === "paused" && act("resume"),
    (state === "playing" || state === "paused") && act("end")),
    reason && h("p", { class: "grave" }, reason), failed);
}

// outcomes draws the frequency of each score of pairs of matches with swapped seats.
export function outcomes(list: { score: number; pairs: number }[]): Element {
  const all = list.reduce((n, o) => n + o.pairs, 0);
  const meter = (n: number) =>
    all > 0 && h("meter", { min: 0, max: 1, value: n / all, "aria-label": percent(n / all) });
  return h("figure", null, h("table", { class: "outcomes" },
    h("thead", null, h("tr", null, h("th", { scope: "col" }, "Score of a pair"),
      list.map((o) => h("th", { scope: "col" }, +(2 * o.score).toFixed(2))))),
    h("tbody", null, h("tr", null, h("th", { scope: "row" }, "Pairs"),
      list.map((o) => h("td", null, o.pairs, meter(o.pairs)))))),
    h("figcaption", { class: "quiet" },
      `${all} pairs of matches with swapped seats, by points of the first player (0 to 2).`));
}

// tuning tells how far a tuning is.
export function tuning(t: Tuning): Element {
  const done = Math.max(0, (t.course ?? []).length - 1);
  return h("section", null,
    h("p", null, `${done} of ${t.iterations} iterations. So far: `, h("code", null, t.player)),
    h("ul", { class: "quiet" },
      t.parameters.map((p) => h("li", null, `${p.name}: ${p.about}${p.unit ? ", in " + p.unit : ""}`))));
}

// runs lists all tournaments, with the form for a new one; nothing if the server offers no tournaments.
export async function runs(at: HTMLElement, again = false) {
  let all: Runs;
  try { all = await get<Runs>("api/tournaments"); } catch { return fill(at); }
  const row = (r: Run) => h("tr", null,
    h("td", null, h("a", { href: to(r.run) }, new Date(r.begun).toLocaleString())),
    [r.kind, r.games.join(", "), r.players.join(", "), `${r.matches} of ${r.planned}`, states[r.state] ?? r.state]
      .map((text) => h("td", null, text)));
  const titles = ["Begun", "Kind", "Games", "Players", "Matches", "State"];
  const list = (all.tournaments ?? []).length > 0 && h("table", { class: "list" },
    h("thead", null, h("tr", null, titles.map((t) => h("th", { scope: "col" }, t)))),
    h("tbody", null, all.tournaments!.map(row)));
  if (again && at.querySelector("form")) return at.querySelector(".runs") && fill(at.querySelector(".runs")!, list);
  fill(at, h("h2", null, "All tournaments"),
    h("div", { class: "runs matrix", tabindex: 0, role: "region", "aria-label": "All tournaments" },
      list || h("p", { class: "quiet" }, "No tournament yet.")), form(all, await get<Choices>("api/games")));
}

// kinds of tournaments, as the form offers them.
const kinds: Record<string, string> = {
  all: "Round robin", gauntlet: "Gauntlet: the first player against the others",
  test: "Test: is the first player stronger? (SPRT)", tuning: "Parameter tuning (SPSA)",
};

// names splits a list of games or players; options of a player have commas, too.
const names = (text: string) => text.split(/[\s;]+|,(?![^:,\s]*=)/).map((s) => s.trim()).filter(Boolean);

function form(all: Runs, choices: Choices): HTMLElement {
  const failed = h("div", null);
  const number = (id: string, value: number, min?: number, step: number | "any" = "any") =>
    h("input", { id, type: "number", value, min, step });
  const line = (label: string, input: HTMLElement, about = "") => h("div", { class: "line" },
    h("label", { for: input.id }, label), input, about && h("span", { class: "quiet" }, about));
  const games = h("input", { id: "t-games", value: "ticTacToe", size: 40, list: "t-all-games", required: true });
  const players = h("input", { id: "t-players", value: "mcts,random", size: 40, required: true });
  const rounds = number("t-rounds", 4, 1, 1), openings = number("t-openings", 0, 0, 1);
  const start = number("t-start", 5, 0.1), clock = number("t-play", 0.5, 0.05);
  const choose = () => { test.hidden = kind.value !== "test"; tune.hidden = kind.value !== "tuning"; };
  const offered = Object.entries(kinds).filter(([v]) => v !== "tuning" || (all.tunable ?? []).length > 0);
  const kind = h("select", { id: "t-kind", onchange: choose }, offered.map(([v, t]) => h("option", { value: v }, t)));
  const elo0 = number("t-elo0", 0), elo1 = number("t-elo1", 20), risk = number("t-risk", 0.05, 0.001);
  const test = h("fieldset", { hidden: true }, h("legend", null, "Test"), line("H0: Elo difference", elo0),
    line("H1: Elo difference", elo1), line("error probability of each kind", risk));
  const chosen = (all.parameters ?? []).map((p) => ({ p, box: h("input", { type: "checkbox", id: "p-" + p.name }) }));
  const pairs = number("t-pairs", 4, 1, 1);
  const tune = h("fieldset", { hidden: true }, h("legend", null, "Parameters"),
    chosen.map(({ p, box }) => h("div", { class: "line" }, box, h("label", { for: box.id }, p.name),
      h("span", { class: "quiet" }, `${p.about}; ${p.low} to ${p.high}`))),
    line("pairs of matches per iteration", pairs));
  const plan = () => ({
    games: names(games.value), players: names(players.value), rounds: +rounds.value, openings: +openings.value,
    gauntlet: kind.value === "gauntlet", start_clock: +start.value, play_clock: +clock.value,
    ...(kind.value === "test" && { test: {
      elo0: +elo0.value, elo1: +elo1.value, alpha: +risk.value, beta: +risk.value,
    } }),
    ...(kind.value === "tuning" && { tuning: {
      parameters: chosen.filter((c) => c.box.checked).map((c) => ({ name: c.p.name })), pairs: +pairs.value,
    } }),
  });
  const begin = async (e: Event) => {
    e.preventDefault();
    fill(failed);
    try { location.hash = to((await post<{ run: string }>("api/tournaments", plan())).run); }
    catch (e) { fill(failed, failure(e)); }
  };
  return h("form", { class: "panel", id: "new-tournament", onsubmit: begin }, h("h2", null, "New tournament"),
    line("games", games, "comma-separated"),
    h("datalist", { id: "t-all-games" }, choices.games.map((g) => h("option", { value: g.name }))),
    line("players", players, "such as stackmate, mcts, greedy, random; options after a colon: mcts:threads=1"),
    line("kind", kind), line("rounds", rounds), line("random opening moves", openings),
    line("start clock, seconds", start), line("play clock, seconds", clock), test, tune,
    h("button", { class: "primary", id: "t-begin" }, "Begin"), failed);
}
