// Tournaments: their controls, and the standings of the players, updated live.
import { draw, failure, fill, h, listen } from "./dom.js";
import { controls, outcomes, runs, tuning } from "./tournaments.js";
import type { Outline, Pair, Rating, Standings } from "./types.js";

export function standings(main: HTMLElement, query: URLSearchParams): () => void {
  const asked = new URLSearchParams([...query].filter(([k]) => k === "game" || k === "all" || k === "tournament"));
  const run = query.get("tournament") ?? "";
  const body = h("div", null), steer = h("div", { id: "steer" }), list = h("div", null);
  const select = h("select", { "aria-label": "Game", onchange: () => { location.hash = "#/standings?" + new URLSearchParams([...(select.value ? [["game", select.value]] : []), ...(run ? [["tournament", run]] : [])]); } });
  fill(main, h("div", { class: "bar" }, h("h1", null, "Tournaments"), select), steer, body, list);
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
      h("div", { class: "matrix", tabindex: 0, role: "region", "aria-label": "Table of players" }, h("table", { class: "list standings" }, head(["Player", "Elo", "± error", "Matches", "Share", "Won", "Drawn", "Lost", "Errors"]),
        h("tbody", null, order.map((i) => [players[i], s.ratings![i]] as const).map(([p, r]) => h("tr", null, h("th", { scope: "row" }, p.player), h("td", null, `${r.elo.toFixed(0)} ± ${r.error.toFixed(0)}`), h("td", null, bar(r, s.ratings!)),
          link(p.matches, game, [p.player]), h("td", null, p.matches ? (p.points / p.matches).toFixed(1) + " %" : ""),
          link(p.wins, game, [p.player], "won"), link(p.draws, game, [p.player], "drawn"), link(p.losses, game, [p.player], "lost"), link(p.errors, game, [p.player], "errors")))))),
      s.test && course(s), s.outcomes && outcomes(s.outcomes),
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

// bar draws a rating with its error, on the scale of all ratings.
function bar(r: Rating, all: Rating[]): Element {
  const low = Math.min(...all.map((r) => r.elo - r.error)), high = Math.max(...all.map((r) => r.elo + r.error));
  const x = (v: number) => 4 + (92 * (v - low)) / Math.max(high - low, 1);
  return draw("svg", { viewBox: "0 0 100 12", class: "bar-svg elo", role: "img" }, draw("title", {}, `${(r.elo - r.error).toFixed(0)} to ${(r.elo + r.error).toFixed(0)}`),
    draw("line", { x1: x(0), x2: x(0), y1: 0, y2: 12, class: "grid" }), draw("line", { x1: x(r.elo - r.error), x2: x(r.elo + r.error), y1: 6, y2: 6, class: "error" }),
    draw("circle", { cx: x(r.elo), cy: 6, r: 3, class: "proved" }));
}

// course draws the likelihood ratio of the test between its bounds.
function course(s: Standings): Element {
  const llrs = [0].concat(s.llrs ?? []), [low, high] = s.bounds!, t = s.test!;
  const top = Math.max(high, ...llrs) + 0.3, bottom = Math.min(low, ...llrs) - 0.3, width = 560, height = 150;
  const x = (i: number) => 34 + ((width - 44) * i) / Math.max(1, llrs.length - 1), y = (v: number) => 6 + ((top - v) / (top - bottom)) * (height - 12);
  const picture = draw("svg", { viewBox: `0 0 ${width} ${height}`, class: "graph course", role: "img" }, draw("title", {}, "Log-likelihood ratio after each group of matches"));
  for (const [v, text] of [[high, high.toFixed(1)], [0, "0"], [low, low.toFixed(1)]] as const) {
    picture.append(draw("line", { x1: 34, x2: width - 10, y1: y(v), y2: y(v), class: v ? "now" : "grid" }), draw("text", { x: 17, y: y(v), class: "label" }, text));
  }
  picture.append(draw("polyline", { points: llrs.map((v, i) => `${x(i)},${y(v)}`).join(" "), class: "curve curve-0" }));
  return h("figure", null, picture, h("figcaption", { class: "quiet" }, `Sequential test: stronger by ${t.elo1} Elo (above, risk ${t.alpha}) or by ${t.elo0} (below, risk ${t.beta}); now ${llrs[llrs.length - 1].toFixed(2)} after ${llrs.length - 1} groups.`));
}
