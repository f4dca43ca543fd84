// Tournaments: their controls, and the standings of the players, updated live.
import { failure, fill, h, listen } from "./dom.js";
import { controls, outcomes, runs, tuning } from "./tournaments.js";
import type { Outline, Pair, Rating, Standings } from "./types.js";

export function standings(main: HTMLElement, query: URLSearchParams): () => void {
  const asked = new URLSearchParams([...query].filter(([k]) => k === "game" || k === "all" || k === "tournament"));
  const run = query.get("tournament") ?? "", game = query.get("game") ?? "";
  const body = h("div", null), steer = h("div", { id: "steer" }), list = h("div", null);
  const plot = h("img", {
    class: "plot", hidden: true, alt: "Ratings with their errors, by game, and the course of a test or a tuning",
  });
  const choose = () => {
    const chosen = { ...(select.value && { game: select.value }), ...(run && { tournament: run }) };
    location.hash = "#/standings?" + new URLSearchParams(chosen);
  };
  const select = h("select", { "aria-label": "Game", onchange: choose });
  fill(main, h("div", { class: "bar" }, h("h1", null, "Tournaments"), select), steer, body, plot, list);
  void runs(list);
  let games: string[] = [], steered = "";
  return listen("api/standings?" + asked, {
    standings: (s: Standings) => {
      const found = (s.games ?? []).map((g) => g.game);
      const all = [...new Set(games.concat(found, game ? [game] : []))].sort();
      if (all.length !== games.length || !select.firstChild) {
        games = all;
        fill(select, h("option", { value: "" }, "all games"),
          games.map((g) => h("option", { value: g, selected: g === game }, g)));
      }
      select.hidden = games.length === 0;
      if (steered !== `${s.run} ${s.state}`) {
        steered = `${s.run} ${s.state}`;
        fill(steer, s.run && controls(s.run, s.kind ?? "tournament", s.state ?? "", s.reason));
        void runs(list, true);
      }
      fill(body, report(s, game, query.has("all")));
      plot.hidden = s.matches === 0;
      const matches = String(s.matches); // the browser asks anew for another address
      if (s.matches > 0) plot.src = "api/standings/plot?" + new URLSearchParams([...asked, ["matches", matches]]);
    },
    failed: (text: string) => fill(body, failure(text)),
  });
}

// to returns the address of the list of matches that a number counts.
const to = (game: string, players: string[], outcome = "") =>
  "#/watch?" + new URLSearchParams([...players.map((p) => ["player", p]),
    ...(game ? [["game", game]] : []), ...(outcome ? [["outcome", outcome]] : [])]);

// link returns a cell with a number of matches, and a link to them.
const link = (n: number, game: string, players: string[], outcome = "") =>
  h("td", null, n ? h("a", { href: to(game, players, outcome) }, n) : 0);

const elo = (r: { elo: number; error: number }) => `${r.elo.toFixed(0)} ± ${r.error.toFixed(0)}`;

// table returns a table of players with its titles.
const table = (kind: string, titles: string[], rows: HTMLElement[][]) =>
  h("div", { class: "matrix", tabindex: 0, role: "region", "aria-label": "Table of players" },
    h("table", { class: kind }, h("thead", null, h("tr", null, titles.map((t) => h("th", null, t)))),
      h("tbody", null, rows.map((cells) => h("tr", null, cells)))));

const title = (...content: (Node | string)[]) => h("th", { scope: "row" }, content);

function report(s: Standings, game: string, all: boolean) {
  const players = s.standings ?? [], ratings = s.ratings ?? [], pairs = s.pairs ?? [];
  const order = players.map((_, i) => i).sort((a, b) => ratings[b].elo - ratings[a].elo);
  const names = order.map((i) => players[i].player);
  const row = (i: number) => {
    const p = players[i], share = p.matches ? (p.points / p.matches).toFixed(1) + " %" : "";
    return [title(p.player), h("td", null, elo(ratings[i])), link(p.matches, game, [p.player]), h("td", null, share),
      link(p.wins, game, [p.player], "won"), link(p.draws, game, [p.player], "drawn"),
      link(p.losses, game, [p.player], "lost"), link(p.errors, game, [p.player], "errors")];
  };
  const against = (a: string, b: string) => {
    const p = pairs.find((p) => p.player === a && p.opponent === b);
    const q = pairs.find((p) => p.player === b && p.opponent === a);
    return p ? cell(game, p) : q ? cell(game, turned(q)) : h("td", null);
  };
  const inGame = (game: string, r?: Rating) => h("td", null, r && h("a", { href: to(game, [r.player]) }, elo(r)));
  const decided = s.verdict && `; decided: the first player is ${s.verdict === "elo1" ? "stronger" : "not stronger"}`;
  return [
    s.planned !== undefined && h("p", { id: "progress" }, h("progress", { max: s.planned, value: s.matches }),
      ` ${s.matches} of ${s.planned} matches`, decided, " ", h("a", { href: "#/standings?all=1" }, "all records")),
    all && h("p", null, h("a", { href: "#/standings" }, "this tournament only")),
    s.live.length > 0 && h("p", { class: "lives" }, h("span", { class: "live" }, "live"), " ",
      s.live.slice(-8).map(live)),
    s.tuning && tuning(s.tuning),
    players.length === 0 ? h("p", { class: "quiet" }, "No match has ended yet.") : [
      table("list standings", ["Player", "Elo", "Matches", "Share", "Won", "Drawn", "Lost", "Errors"], order.map(row)),
      s.test && h("p", { class: "quiet", id: "test" }, test(s)), s.outcomes && outcomes(s.outcomes),
      players.length > 1 && [h("h2", null, "Head to head"), table("cross", ["Player", ...names],
        names.map((a) => [title(a), ...names.map((b) => against(a, b))]))],
      (s.games ?? []).length > 1 && [h("h2", null, "Elo by game"), table("cross", ["Game", "Matches", ...names],
        s.games!.map((g) => [title(h("a", { href: "#/standings?game=" + encodeURIComponent(g.game) }, g.game)),
          link(g.matches, g.game, []),
          ...names.map((a) => inGame(g.game, g.ratings.find((r) => r.player === a)))]))],
    ],
  ];
}

const live = (m: Outline) => h("a", { class: "share", href: "#/watch/" + encodeURIComponent(m.match) },
  `${m.game}: ${m.players.join(" – ")}`);

// turned returns the record of the opponent against the player.
const turned = (p: Pair): Pair => ({
  ...p, player: p.opponent, opponent: p.player, wins: p.losses, losses: p.wins, score: 1 - p.score, elo: -p.elo,
});

const cell = (game: string, p: Pair) =>
  h("td", { title: `${p.wins} won, ${p.draws} drawn, ${p.losses} lost; Elo ${elo(p)}` },
    h("a", { href: to(game, [p.player, p.opponent]) }, `${+(p.score * p.matches).toFixed(2)} / ${p.matches}`));

// test returns the state of the test in words.
const test = ({ test: t, llr, outcomes }: Standings) =>
  `Sequential test: stronger by ${t!.elo1} Elo (above, risk ${t!.alpha}) or by ${t!.elo0} (below, risk ${t!.beta}); ` +
  `now ${(llr ?? 0).toFixed(2)} after ${(outcomes ?? []).reduce((n, o) => n + o.pairs, 0)} pairs.`;
