// Exact analysis of each turn of a match, from the end backwards, since late positions are small.
import { listen } from "./dom.js";
import type { Note } from "./course.js";
import type { Analysis } from "./types.js";

// review searches each position for the given time and passes each result to found. It returns a function that ends it.
export function review(game: string, joints: string[][], from: number, seconds: number, found: (turn: number, a: Analysis) => void, done: (failed?: string) => void): () => void {
  let stop = () => {}, over = false;
  const at = (turn: number) => {
    if (over) return;
    if (turn < from) return done();
    let last: Analysis | null = null, ended = false;
    const next = () => {
      if (ended) return;
      ended = true;
      stop();
      if (last) found(turn, last);
      setTimeout(() => at(turn - 1), 0);
    };
    stop = listen("api/analyse?" + new URLSearchParams({ game, moves: JSON.stringify(joints.slice(0, turn)), seconds: String(seconds) }), {
      analysis: (a: Analysis) => { last = a; if (a.done || (a.solved && !a.matrix)) next(); },
      failed: (text: string) => { over = true; done(text); },
      end: next,
    });
  };
  at(joints.length - 1);
  return () => { over = true; stop(); };
}

// mistakes compares the values of positions before and after the moves. Only proved values count.
export function mistakes(joints: string[][], known: Map<number, Analysis>, words: (move: string) => string, goals?: number[]): Map<number, Note> {
  const notes = new Map<number, Note>();
  for (const [turn, a] of known) {
    const joint = joints[turn], texts: string[] = [];
    let worst = 0;
    const say = (role: string, move: string, cost: number, best: string) => {
      if (cost < 0.5) return;
      worst = Math.max(worst, cost);
      texts.push(`${role}: ${words(move)} gives away ${+cost.toFixed(1)} points${best ? `; ${words(best)} was better` : ""}`);
    };
    const m = a.matrix;
    if (m?.row_loss && m.column_loss) {
      const best = (moves: string[], losses: number[]) => moves[losses.indexOf(Math.min(...losses))];
      const row = m.rows.indexOf(joint[a.roles.indexOf(m.row_role)]), column = m.columns.indexOf(joint[a.roles.indexOf(m.column_role)]);
      if (row >= 0) say(m.row_role, m.rows[row], m.row_loss[row], best(m.rows, m.row_loss));
      if (column >= 0) say(m.column_role, m.columns[column], m.column_loss[column], best(m.columns, m.column_loss));
    } else if (!m) {
      // One role chooses: compare its guaranteed value before the move with its upper bound after it. If chance also
      // chooses, the next position does not bound the value of the move.
      const choosers = a.roles.map((_, r) => r).filter((r) => (a.moves?.[r]?.length ?? 0) > 1), r = choosers[0], after = known.get(turn + 1);
      if (choosers.length === 1) {
        const moves = a.moves![r]!, best = moves.reduce((b, k) => (k.lower > b.lower ? k : b));
        const sure = Math.max(best.lower, a.proved && a.lower ? a.lower[r] : 0);
        const left = Math.min(moves.find((k) => k.move === joint[r])?.upper ?? 100, after?.proved && after.upper && !a.roles.includes("random") ? after.upper[r] : 100, goals && turn === joints.length - 1 ? goals[r] : 100);
        if (best.move !== joint[r]) say(a.roles[r], joint[r], sure - left, best.lower > left ? best.move : "");
      }
    }
    if (texts.length) notes.set(turn, { sign: worst >= 40 ? "??" : "?", text: texts.join("; ") });
  }
  return notes;
}
