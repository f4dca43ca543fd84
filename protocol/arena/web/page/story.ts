// A match from its stream: the parts of its record, and the picture of the latest position.
import type { Part, Position } from "./types.js";

export class Story {
  head: Part = {};
  turns: Part[] = []; // each with one joint move
  end: Part | null = null;
  position: Position | null = null; // the latest picture of the stream
  private lines: string[] = []; // of its drawing

  // add appends a part. A part that names the match begins the record anew.
  add(p: Part) {
    if (p.match) { this.head = p; this.turns = []; this.end = this.position = null; }
    (p.moves ?? []).forEach((m, i) => this.turns.push({
      moves: [m], errors: p.errors && [p.errors[i]], reply_times: p.reply_times && [p.reply_times[i]],
      explanations: p.explanations && [p.explanations[i]],
    }));
    if (p.completed || p.aborted) this.end = p;
    if (!p.position) return;
    if (p.position.lines) for (const [i, line] of Object.entries(p.position.lines)) this.lines[+i] = line;
    else this.lines = p.position.svg.split("\n");
    this.position = { ...p.position, roles: this.roles, svg: this.lines.join("\n") };
  }

  get roles(): string[] { return this.head.roles ?? []; }
  get opening(): string[][] { return this.head.opening ?? []; }

  // joints returns the joint moves from the first position of the record on.
  joints(): string[][] { return this.turns.map((t) => t.moves![0]); }
}
