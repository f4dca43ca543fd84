// Tournaments: what the records show of the players.
import { fill, get, h } from "./dom.js";

interface Standings {
  standings: { player: string; matches: number; points: number; wins: number; draws: number; losses: number; errors: number }[] | null;
  ratings: { player: string; elo: number; error: number }[] | null;
  cross: { score: number; matches: number }[][] | null;
  games: string[];
}

export async function standings(main: HTMLElement, query: URLSearchParams) {
  const game = query.get("game") ?? "";
  const s = await get<Standings>("api/standings", game ? { game } : {});
  const rows = (s.standings ?? []).map((p, i) => ({ ...p, i, rating: s.ratings?.[i] })).sort((a, b) => (b.rating?.elo ?? 0) - (a.rating?.elo ?? 0));
  const select = h("select", { "aria-label": "Game", onchange: () => { location.hash = "#/standings" + (select.value ? "?game=" + encodeURIComponent(select.value) : ""); } },
    h("option", { value: "" }, "all games"), (game && !s.games.includes(game) ? [game] : []).concat(s.games).map((g) => h("option", { value: g, selected: g === game }, g)));
  const link = (a: string, b: string) => `#/watch?${new URLSearchParams([["player", a], ["player", b], ...(game ? [["game", game]] : [])])}`;
  fill(main, h("div", { class: "bar" }, h("h1", null, "Tournaments"), select),
    rows.length === 0 ? h("p", { class: "quiet" }, "No match of these records has ended yet.") : [
      h("table", { class: "list standings" }, h("thead", null, h("tr", null, ["Player", "Elo", "± 95 %", "Matches", "Share", "Won", "Drawn", "Lost", "Errors"].map((t) => h("th", null, t)))),
        h("tbody", null, rows.map((p) => h("tr", null, h("td", null, p.player), h("td", null, p.rating?.elo.toFixed(0)), h("td", null, p.rating?.error.toFixed(0)), h("td", null, p.matches),
          h("td", null, p.matches ? (p.points / p.matches).toFixed(1) + " %" : ""), h("td", null, p.wins), h("td", null, p.draws), h("td", null, p.losses), h("td", null, p.errors))))),
      h("h2", null, "Who scored how much against whom"),
      h("div", { class: "matrix" }, h("table", { class: "cross" }, h("thead", null, h("tr", null, h("th", null), rows.map((p) => h("th", null, p.player)))),
        h("tbody", null, rows.map((p) => h("tr", null, h("th", null, p.player), rows.map((q) => {
          const c = s.cross![p.i][q.i];
          return h("td", null, c.matches ? h("a", { href: link(p.player, q.player) }, `${c.score} / ${c.matches}`) : "");
        })))))),
    ]);
}
