// Play: a table, where people and players take the roles.
import { failure, fill, get, h, listen, post } from "./dom.js";
import { Chooser, keepingFocus, shown } from "./board.js";
import { explanation, verdict } from "./explain.js";
import type { Analysis, Table } from "./types.js";

export async function tables(main: HTMLElement) {
  const list = await get<{ table: string; game: string; seats: string[]; turn: number; over: boolean }[]>("api/tables");
  fill(main, h("div", { class: "bar" }, h("h1", null, "Play"), h("a", { class: "button primary", href: "#/games" }, "Choose a game")),
    list.length === 0 ? h("p", { class: "quiet" }, "No table is open.") : h("table", { class: "list" },
      h("thead", null, h("tr", null, ["Game", "Who plays", "Turn", ""].map((t) => h("th", null, t)))),
      h("tbody", null, list.map((t) => h("tr", null, h("td", null, h("a", { href: "#/play/" + t.table }, t.game)),
        h("td", null, t.seats.filter((s) => s !== "chance").join(" – ")), h("td", null, t.turn),
        h("td", null, t.over ? "over" : t.seats.includes("open") ? "a seat is free" : ""))))));
}

export function play(main: HTMLElement, id: string): () => void {
  const keys = (): Record<string, string> => JSON.parse(sessionStorage.getItem("keys-" + id) ?? "{}");
  const failed = h("div", null);
  const hint = h("div", { class: "hint" });
  let mine: Record<string, string> = {}; // what was chosen here, by role
  let turn = -1;
  let last: Table | null = null;
  let stopHint = () => {};
  let ahead = 0; // of the server's clock
  const clock = h("span", { class: "clock", role: "timer" });
  const tick = () => {
    const left = last?.due ? Math.max(0, (Date.parse(last.due) - Date.now() - ahead) / 1000) : null;
    clock.textContent = left === null ? "" : left < 10 ? left.toFixed(1) + " s" : Math.floor(left / 60) + ":" + String(Math.floor(left % 60)).padStart(2, "0");
    clock.classList.toggle("grave", left !== null && left < 5);
  };
  const ticking = setInterval(tick, 100);

  const act = async (what: string, role: string, move = "") => {
    fill(failed);
    try {
      const answer = await post<{ keys?: Record<string, string> }>(`api/tables/${id}/${what}`, { role, key: keys()[role], turn, move });
      if (answer.keys) sessionStorage.setItem("keys-" + id, JSON.stringify({ ...keys(), ...answer.keys }));
      if (answer.keys && last) render(last);
    } catch (e) { fill(failed, failure(e)); }
  };
  const ask = (t: Table, role: string) => {
    stopHint();
    fill(hint, h("p", { class: "quiet" }, "thinking…"));
    const at = t.position.roles.indexOf(role);
    const query = new URLSearchParams({ game: t.game, moves: JSON.stringify(t.moves), seconds: "4" });
    stopHint = listen("api/analyse?" + query, {
      analysis: (a: Analysis) => {
        const strategy = a.strategies?.[at] ?? [];
        fill(hint, h("p", null, verdict(a, at)), strategy.map((s) => h("span", { class: "share" }, h("b", null, s.move), " " + (100 * s.probability).toFixed(0) + " %")));
      },
      failed: (text: string) => fill(hint, failure(text)),
    });
  };

  const render = (t: Table) => {
    last = t;
    tick();
    if (t.moves.length !== turn) { turn = t.moves.length; mine = {}; fill(hint); stopHint(); }
    const p = t.position;
    const board = shown(p);
    const panel: (HTMLElement | false | null)[] = [];
    p.roles.forEach((role, r) => {
      const seat = t.seats[r];
      const me = keys()[role] !== undefined;
      const state = p.goals ? p.goals[r] + " points" : t.chosen[r] ? "has chosen" : (p.legal?.[r].length ?? 0) > 1 ? (me ? "your move" : "thinking…") : "";
      panel.push(h("div", { class: "seat" + (me ? " me" : "") }, h("b", { class: "role" }, role), " " + (me ? "you" : seat), h("span", { class: "state" }, state),
        seat === "open" && h("button", { type: "button", class: "sit", onclick: () => void act("sit", role) }, "Sit down")));
      if (me && p.legal && p.legal[r].length > 1) {
        const chooser = new Chooser(board, p.legal[r], (move) => { mine[role] = move; void act("move", role, move); }, t.chosen[r] ? mine[role] : undefined);
        panel.push(chooser.list);
        if (t.chosen[r]) panel.push(h("p", { class: "quiet" }, `${mine[role] ?? "A move"} is chosen; it stays secret until all have chosen.`));
        panel.push(h("div", { class: "line" },
          h("button", { type: "button", class: "ask", onclick: () => ask(t, role) }, "Hint"),
          h("button", { type: "button", class: "undo", disabled: t.moves.length === 0 && !t.chosen[r], onclick: () => void act("undo", role) }, "Undo")));
      } else if (me && p.goals) {
        panel.push(h("div", { class: "line" }, h("button", { type: "button", class: "undo", onclick: () => void act("undo", role) }, "Undo")));
      }
    });
    const recent = t.moves.length - 1;
    const why = t.why.map((turnWhy, i) => ({ i, said: (turnWhy ?? []).filter((x) => x !== null) })).filter((w) => w.said.length > 0).pop();
    fill(main, h("div", { class: "bar" }, h("h1", null, h("a", { href: "#/game/" + encodeURIComponent(t.game) }, t.game)),
      h("a", { class: "button", href: `#/analyse/${encodeURIComponent(t.game)}?moves=${encodeURIComponent(JSON.stringify(t.moves))}` }, "Analyse"),
      clock, h("span", { class: "quiet" }, p.goals ? "The game is over." : "Turn " + (t.moves.length + 1))),
      h("div", { class: "columns" }, h("section", null, board),
        h("section", null, panel, failed, hint, t.note && h("p", { class: "quiet" }, t.note),
          recent >= 0 && h("p", { class: "last" }, "Last: ", t.moves[recent].map((m, r) => h("span", { class: "share" }, h("b", null, p.roles[r]), " " + m))),
          why && h("details", { open: true }, h("summary", null, "Why, turn " + (why.i + 1)), why.said.map((x) => explanation(x!))))));
    document.title = t.game + " – Stackmate";
  };
  const stop = listen("api/tables/" + id, {
    table: (t: Table) => keepingFocus(() => render(t)),
    now: (at: string) => { ahead = Date.parse(at) - Date.now(); },
    failed: () => fill(main, failure("This table is not open any longer.")),
  });
  return () => { stop(); stopHint(); clearInterval(ticking); };
}
