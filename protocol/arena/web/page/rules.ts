// Rules in words, as far as their form shows: roles, turns, legal moves, end and goals.
import { h } from "./dom.js";

type Term = string | Term[];

// read reads clauses in prefix syntax.
export function read(text: string): Term[] {
  const tokens = text.match(/[()]|[^\s()]+/g) ?? [], stack: Term[][] = [[]];
  for (const t of tokens) {
    if (t === "(") stack.push([]);
    else if (t === ")") { if (stack.length > 1) { const inner = stack.pop()!; stack[stack.length - 1].push(inner); } }
    else stack[stack.length - 1].push(t);
  }
  return stack[0];
}

interface Rule { head: Term; body: Term[] }
const name = (t: Term) => (typeof t === "string" ? t : String(t[0]));
const isVariable = (t: Term) => typeof t === "string" && t.startsWith("?");

// plain returns a term in words: (line ?x) is "line X".
function plain(t: Term): string {
  if (typeof t === "string") return t.startsWith("?") ? t.slice(1).toUpperCase() : t;
  return t.map((p, i) => (i > 0 && Array.isArray(p) ? "(" + plain(p) + ")" : plain(p))).join(" ");
}

// condition returns a condition in words.
function condition(t: Term): string {
  if (typeof t === "string") return plain(t);
  const [op, ...args] = t;
  switch (op) {
    case "true": return `“${plain(args[0])}”`;
    case "does": return `${plain(args[0])} plays “${plain(args[1])}”`;
    case "legal": return `${plain(args[0])} may play “${plain(args[1])}”`;
    case "role": return `${plain(args[0])} is a role`;
    case "distinct": return `${plain(args[0])} is not ${plain(args[1])}`;
    case "not": return `not ${condition(args[0])}`;
    case "or": return "either " + args.map(condition).join(" or ");
    case "and": return args.map(condition).join(" and ");
    case "goal": return `${plain(args[0])} gets ${plain(args[1])}`;
    default: return plain(t);
  }
}
const all = (body: Term[]) => body.map(condition).join(", and ");

// inWords returns rules in words.
export function inWords(text: string): HTMLElement {
  const rules: Rule[] = read(text).map((c) => (Array.isArray(c) && c[0] === "<=" ? { head: c[1], body: c.slice(2) } : { head: c, body: [] }));
  const of = (head: string) => rules.filter((r) => name(r.head) === head);
  const args = (r: Rule) => (r.head as Term[]).slice(1);
  const roles = of("role").map((r) => plain(args(r)[0]));
  const people = roles.filter((r) => r !== "random");
  const several = (n: number, one: string, many: string) => `${n} ${n === 1 ? one : many}`;
  const when = turns(rules, people);
  const moves = of("legal").filter((r) => !isVariable(args(r)[1]));
  const kinds = [...new Set(moves.map((r) => name(args(r)[1])))];
  const ends = of("terminal"), goals = of("goal");
  const values = [...new Set(goals.map((r) => plain(args(r)[1])))];
  const used = new Set<string>();
  const mention = (t: Term) => { if (Array.isArray(t)) t.forEach(mention); else used.add(t); };
  for (const r of [...ends, ...goals, ...moves]) r.body.forEach(mention);
  const named = [...new Set(rules.map((r) => name(r.head)))].filter((n) => used.has(n) && !known.has(n) && rules.some((r) => name(r.head) === n && r.body.length > 0));
  const list = (title: string, items: (string | Node)[]) => items.length > 0 && h("details", { open: items.length <= 8 }, h("summary", null, title), h("ul", null, items.map((i) => h("li", null, i))));
  return h("section", { class: "words-of-rules" }, h("h2", null, "The rules in words"),
    h("p", null, `${several(people.length, "role", "roles")}: ${people.join(", ")}${roles.length > people.length ? "; “random” stands for chance" : ""}. `, when, " ",
      kinds.length > 0 && `Moves are ${kinds.join(", ")}. `, values.every((v) => /^\d+$/.test(v)) && values.length > 0 && `Goals are ${values.sort((a, b) => +b - +a).join(", ")} points.`),
    list("Legal moves", moves.map((r) => `${plain(args(r)[0])} may play “${plain(args(r)[1])}”${r.body.length ? " if " + all(r.body) : " at any time"}`)),
    list("The game ends", ends.map((r) => (r.body.length ? "when " + all(r.body) : "at once"))),
    list("Goals", goals.map((r) => `${plain(args(r)[0])} gets ${plain(args(r)[1])}${r.body.length ? " if " + all(r.body) : ""}`)),
    list("Definitions", named.flatMap((n) => rules.filter((r) => name(r.head) === n && r.body.length > 0).map((r) => `${plain(r.head)} if ${all(r.body)}`))));
}

const known = new Set(["role", "init", "true", "does", "next", "legal", "goal", "terminal", "base", "input", "distinct", "not", "or", "and"]);

// turns names the first role if roles take turns: the legal moves, except a waiting move, depend on a fluent that names the
// role. It returns "" if the form of the rules does not show it; the class of the game, which the server computes, does.
function turns(rules: Rule[], people: string[]): string {
  if (people.length < 2) return "There is one player.";
  const inits = rules.filter((r) => name(r.head) === "init").map((r) => (r.head as Term[])[1]);
  const controls = inits.filter((f) => Array.isArray(f) && f.length === 2 && people.includes(plain(f[1])));
  for (const f of controls) {
    const fluent = name(f);
    if (inits.filter((o) => name(o) === fluent).length !== 1) continue;
    const legal = rules.filter((r) => name(r.head) === "legal");
    const asks = (r: Rule) => r.body.some((b) => Array.isArray(b) && b[0] === "true" && name(b[1]) === fluent);
    if (legal.some(asks) && legal.filter((r) => !asks(r)).every((r) => isVariable((r.head as Term[])[2]) || typeof (r.head as Term[])[2] === "string"))
      return `Roles take turns; ${plain((f as Term[])[1])} begins (“${fluent}” says whose turn it is).`;
  }
  return "";
}
