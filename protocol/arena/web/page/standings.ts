// Tournaments: their controls, and the standings of the players, updated live.
import { failure, fill, h, listen } from "./dom.js";
import { controls, outcomes, runs, tuning } from "./tournaments.js";
import type { Outline, Pair, Standings } from "./types.js";

export function standings(main: HTMLElement, query: URLSearchParams): () => void {
  const asked = new URLSearchParams([...query].filter(([k]) => k === "game" || k === "all" || k === "tournament"));
  const run = query.get("tournament") ?? "";
  const body = h("div", null), steer = h("div", { id: "steer" }), list = h("div", null);
  const plot = h("img", { class: "plot", alt: "Ratings with their errors, by game, and the course of a test or a tuning", hidden: true });
  const select = h("select", { "aria-label": "Game", onchange: () => { location.hash = "#/standings?" + new URLSearchParams([...(select.value ? [["game", select.value]] : []), ...(run ? [["tournament", run]] : [])]); } });
  fill(main, h("div", { class: "bar" }, h("h1", null, "Tournaments"), select), steer, body, plot, list);
  void runs(list);
  let games: string[] = [], steered = "";
  return listen("api/standings?" + asked, {
    standings: (s: Standings) => {
      const found = (s.games ?? []).map((g) => g.game), game = query.get("game") ?? "";
      const all = [...new Set(games.concat(found, game ? [game] : []))].sort();
      if (all.length !== games.length || !select.firstChild) {
        games = all;
        fill(select, h("option", { value: "" }, "all games"), games.map((g) => h("option", { value: g, selected: g === game }, g)));
      }
      select.hidden = games.length === 0;
      if (steered !== `${s.run} ${s.state}`) { steered = `${s.run} ${s.state}`; fill(steer, s.run && controls(s.run, s.kind ?? "tournament", s.state ?? "", s.reason)); void runs(list, true); }
      fill(body, report(s, game, query.has("all")));
      plot.hidden = s.matches === 0;
      if (s.matches > 0) plot.src = "api/standings/plot?" + new URLSearchParams([...asked, ["matches", String(s.matches)]]);
    },
    failed: (text: string) => fill(body, failure(text)),
  });
}

// to returns the address of the list of matches that a number counts.
const to = (game: string, players: string[], outcome = "") =>
  "#/watch?" + new URLSearchParams([...players.map((p) => ["player", p]), ...(game ? [["game", game]] : []), ...(outcome ? [["outcome", outcome]] : [])]);

function report(s: Standings, game: string, all: boolean) {
  const players = s.standings ?? [];
  const order = players.map((_, i) => i).sort((a, b) => s.ratings![b].elo - s.ratings![a].elo);
  const link = (n: number, game: string, who: string[], outcome = "") => h("td", null, n ? h("a", { href: to(game, who, outcome) }, n) : 0);
  const head = (titles: string[]) => h("thead", null, h("tr", null, titles.map((t) => h("th", null, t))));
  const against = (a: string, b: string) => {
    const p = (s.pairs ?? []).find((p) => p.player === a && p.opponent === b), q = (s.pairs ?? []).find((p) => p.player === b && p.opponent === a);
    return p ? cell(game, a, b, p, p.score, p.wins, p.losses) : q ? cell(game, a, b, q, 1 - q.score, q.losses, q.wins) : h("td", null);
  };
  return [
    s.planned !== undefined && h("p", { id: "progress" }, h("progress", { max: s.planned, value: s.matches }), ` ${s.matches} of ${s.planned} matches`, s.verdict && `; decided: the first player is ${s.verdict === "elo1" ? "stronger" : "not stronger"}`, " ",
      h("a", { href: "#/standings?all=1" }, "all records")),
    all && h("p", null, h("a", { href: "#/standings" }, "this tournament only")),
    s.live.length > 0 && h("p", { class: "lives" }, h("span", { class: "live" }, "live"), " ", s.live.slice(-8).map(live)),
    s.tuning && tuning(s.tuning),
    players.length === 0 ? h("p", { class: "quiet" }, "No match has ended yet.") : [
      h("div", { class: "matrix", tabindex: 0, role: "region", "aria-label": "Table of players" }, h("table", { class: "list standings" }, head(["Player", "Elo", "Matches", "Share", "Won", "Drawn", "Lost", "Errors"]),
        h("tbody", null, order.map((i) => [players[i], s.ratings![i]] as const).map(([p, r]) => h("tr", null, h("th", { scope: "row" }, p.player), h("td", null, `${r.elo.toFixed(0)} ± ${r.error.toFixed(0)}`),
          link(p.matches, game, [p.player]), h("td", null, p.matches ? (p.points / p.matches).toFixed(1) + " %" : ""),
          link(p.wins, game, [p.player], "won"), link(p.draws, game, [p.player], "drawn"), link(p.losses, game, [p.player], "lost"), link(p.errors, game, [p.player], "errors")))))),
      s.test && h("p", { class: "quiet", id: "test" }, test(s)), s.outcomes && outcomes(s.outcomes),
      players.length > 1 && [h("h2", null, "Head to head"),
        h("div", { class: "matrix", tabindex: 0, role: "region", "aria-label": "Table of players" }, h("table", { class: "cross" }, head(["Player"].concat(order.map((i) => players[i].player))),
          h("tbody", null, order.map((i) => h("tr", null, h("th", { scope: "row" }, players[i].player), order.map((j) => against(players[i].player, players[j].player)))))))],
      (s.games ?? []).length > 1 && [h("h2", null, "Elo by game"),
        h("div", { class: "matrix", tabindex: 0, role: "region", "aria-label": "Table of players" }, h("table", { class: "cross" }, head(["Game", "Matches"].concat(order.map((i) => players[i].player))),
          h("tbody", null, s.games!.map((g) => h("tr", null, h("th", { scope: "row" }, h("a", { href: "#/standings?game=" + encodeURIComponent(g.game) }, g.game)), link(g.matches, g.game, []),
            order.map((i) => g.ratings.find((r) => r.player === players[i].player)).map((r) => h("td", null, r && h("a", { href: to(g.game, [r.player]) }, `${r.elo.toFixed(0)} ± ${r.error.toFixed(0)}`))))))))],
    ],
  ];
}

const live = (m: Outline) => h("a", { class: "share", href: "#/watch/" + encodeURIComponent(m.match) }, `${m.game}: ${m.players.join(" – ")}`);

const cell = (game: string, a: string, b: string, p: Pair, score: number, won: number, lost: number) =>
  h("td", { title: `${won} won, ${p.draws} drawn, ${lost} lost; Elo ${(a === p.player ? p.elo : -p.elo).toFixed(0)} ± ${p.error.toFixed(0)}` },
    h("a", { href: to(game, [a, b]) }, `${+(score * p.matches).toFixed(2)} / ${p.matches}`));

// test returns the state of the test in words.
const test = ({ test: t, llr, outcomes }: Standings) =>
  `Sequential test: stronger by ${t!.elo1} Elo (above, risk ${t!.alpha}) or by ${t!.elo0} (below, risk ${t!.beta}); ` +
  `now ${(llr ?? 0).toFixed(2)} after ${(outcomes ?? []).reduce((n, o) => n + o.pairs, 0)} pairs.`;
