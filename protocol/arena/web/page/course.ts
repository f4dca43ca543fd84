// The moves of a match, with a cursor to step through, and notes on turns.
import { button, h } from "./dom.js";
import type { Words } from "./words.js";

// Note is a remark about a turn, such as a mistake.
export interface Note { sign: string; text: string }

export class Course {
  private readonly list = h("ol", { class: "course-list", "aria-label": "Moves" });
  private readonly where = h("span", { class: "turn" });
  readonly controls = h("div", { class: "line controls", role: "toolbar", "aria-label": "Turns" },
    this.step("«", () => 0, "First position", "Home", "first"),
    this.step("‹", () => this.turn - 1, "Back", "←", "back"),
    this.where, this.step("›", () => this.turn + 1, "Forward", "→", "forward"),
    this.step("»", () => Infinity, "Last position", "End", "last"));
  readonly element = h("div", { class: "course-of-match" }, this.controls, this.list);
  private joints: string[][] = [];
  private turn = 0;

  constructor(private readonly words: Words, private readonly go: (turn: number) => void) {}

  // step returns a button that goes to a turn, with its name and its key.
  private step(sign: string, to: () => number, name: string, key: string, focus: string) {
    return button(sign, () => this.go(to()), { title: `${name} (${key})`, "aria-label": name, "data-focus": focus });
  }

  // show lists moves, with the cursor after the given number of moves.
  show(joints: string[][], turn: number, notes: Map<number, Note> = new Map(), live = "") {
    const numbers = this.words.numbers(joints);
    const entry = (joint: string[], i: number) => {
      const note = notes.get(i);
      return h("li", null, h("button", { type: "button", "data-turn": i + 1, "data-focus": "turn " + (i + 1),
        title: joint.join("  ") + (note ? " – " + note.text : ""), onclick: () => this.go(i + 1) },
        `${numbers[i]} ${this.words.text(joint)}`,
        note && h("b", { class: "grave", "aria-label": note.text }, " " + note.sign)));
    };
    this.list.replaceChildren(...joints.map(entry));
    this.joints = joints;
    this.turn = turn;
    this.where.textContent = `${turn} / ${joints.length}${live}`;
    this.list.querySelector(`[data-turn="${turn}"]`)?.setAttribute("aria-current", "step");
    const at = this.list.querySelector<HTMLElement>("[aria-current]");
    if (at) this.list.scrollTop = at.offsetTop - this.list.clientHeight / 2;
    if (joints.length > 0 && turn === 0) this.list.scrollTop = 0;
    void this.words.ask(joints.flat()).then((news) => {
      if (news && this.joints === joints) this.show(joints, this.turn, notes, live);
    });
  }

  // keys steps by keys. It returns a function that ends that.
  keys(): () => void {
    const listener = (e: KeyboardEvent) => {
      const at = e.target as HTMLElement;
      if (e.ctrlKey || e.altKey || e.metaKey || at.matches("input, textarea, select, [data-spot]")) return;
      const to = { ArrowLeft: this.turn - 1, ArrowRight: this.turn + 1, Home: 0, End: Infinity }[e.key];
      if (to !== undefined) { e.preventDefault(); this.go(to); }
    };
    document.addEventListener("keydown", listener);
    return () => document.removeEventListener("keydown", listener);
  }
}
