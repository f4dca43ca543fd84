// The editor of rules: findings of the validator during typing, the initial position, and the rules in words.
import { announce, button, failure, fill, get, h, kept, post, toGame } from "./dom.js";
import { shown } from "./board.js";
import { judgement, play } from "./games.js";
import { inWords } from "./rules.js";
import type { Finding, Game, Proof, Told } from "./types.js";

const template = `; Two players take turns to mark one of three cells; the middle one wins.
(role x)
(role o)

(index 1) (index 2) (index 3)
(base (control x)) (base (control o))
(<= (base (cell ?c b)) (index ?c))
(<= (base (cell ?c ?p)) (index ?c) (role ?p))
(<= (input ?p (mark ?c)) (role ?p) (index ?c))
(<= (input ?p noop) (role ?p))

(init (cell 1 b))
(init (cell 2 b))
(init (cell 3 b))
(init (control x))

(<= (legal ?p (mark ?c))
    (true (control ?p))
    (true (cell ?c b)))
(<= (legal x noop)
    (true (control o)))
(<= (legal o noop)
    (true (control x)))

(<= (next (cell ?c ?p))
    (does ?p (mark ?c)))
(<= (next (cell ?c ?v))
    (true (cell ?c ?v))
    (distinct ?v b))
(<= (next (cell ?c b))
    (true (cell ?c b))
    (does ?p (mark ?d))
    (distinct ?c ?d))
(<= (next (control o))
    (true (control x)))
(<= (next (control x))
    (true (control o)))

(<= (goal ?p 100)
    (true (cell 2 ?p))
    (role ?p))
(<= (goal ?p 0)
    (role ?p)
    (not (true (cell 2 ?p))))

(<= terminal
    (true (cell 2 ?p))
    (role ?p))
`;

const draft = "draft-of-rules";
// pause is the time without typing after which the rules are checked, in milliseconds.
const pause = 350;

export async function edit(main: HTMLElement, name?: string): Promise<() => void> {
  const text = h("textarea", { id: "rules", spellcheck: "false", autocapitalize: "off", autocomplete: "off", wrap: "off", "aria-label": "Rules in GDL", "aria-describedby": "verdict", rows: 30 });
  const marks = h("div", { class: "marks", "aria-hidden": "true" }), gutter = h("div", { class: "gutter", "aria-hidden": "true" });
  const verdict = h("p", { id: "verdict", class: "quiet" }), list = h("ul", { class: "findings" }), side = h("section", { "aria-label": "The game of these rules" }), proofs = h("div", { id: "proofs" });
  const act = (f: () => Promise<void>) => () => void f().catch((e) => fill(proofs, failure(e)));
  const kept_ = async () => (await post<Game>("api/rules", text.value)).game;
  const begin = button("Play this", act(async () => {
    const g = await post<Game>("api/rules", text.value);
    await play(g.game, (g.roles ?? []).filter((r) => r !== g.chance).map((_, i) => (i === 0 ? "person" : "stackmate")));
  }), { class: "primary", id: "play-this" });
  const analyse = button("Analyse", act(async () => { location.hash = toGame("analyse", await kept_()); }), { id: "analyse-this" });
  const prove = button("Check properties", act(async () => {
    fill(proofs, h("p", { class: "quiet" }, "searching for proofs, at most ten seconds…"));
    const found = await get<Proof[]>("api/proofs", { game: await kept_() });
    fill(proofs, h("h2", null, "Properties of all positions"), h("table", { class: "list" }, h("tbody", null, (found ?? []).map((p) => h("tr", { class: p.verdict },
      h("th", { scope: "row" }, p.verdict), h("td", null, p.property, p.detail && h("span", { class: "quiet" }, " " + p.detail), (p.line ?? []).length > 0 && h("div", { class: "quiet" }, "after " + p.line!.map((j) => j.join(" ")).join(", ")))))))); 
    announce((found ?? []).map((p) => `${p.property}: ${p.verdict}`).join("; "));
  }), { id: "prove" });
  const save = h("a", { class: "button", download: "rules.kif" }, "Save as file");
  const open = h("input", { type: "file", class: "hidden", "aria-label": "Open a file", onchange: async () => { if (open.files?.[0]) { text.value = await open.files[0].text(); void check(); } } });
  fill(main, h("div", { class: "bar" }, h("h1", null, "Rules"), begin, analyse, prove, save, button("Open a file", () => open.click()), open, button("Reset", () => { text.value = template; void check(); })),
    h("div", { class: "columns editor-columns" }, h("section", { "aria-label": "Editor" }, verdict, h("div", { class: "editor" }, gutter, h("div", { class: "sheet" }, marks, text)), list), side));
  text.value = name ? (await get<Game>("api/game", { game: name, rules: "" })).rules : kept.get(draft) || template;

  const jump = (f: Finding) => {
    const lines = text.value.split("\n"), at = lines.slice(0, f.line - 1).reduce((n, l) => n + l.length + 1, 0) + Math.max(0, f.column - 1);
    text.focus();
    text.setSelectionRange(at, at);
    text.scrollTop = (f.line - 4) * lineHeight();
  };
  const lineHeight = () => parseFloat(getComputedStyle(text).lineHeight);
  const follow = () => { marks.style.transform = `translate(${-text.scrollLeft}px, ${-text.scrollTop}px)`; gutter.style.setProperty("--scroll", `${-text.scrollTop}px`); };
  text.addEventListener("scroll", follow);

  // mark underlines the places of findings: it draws the text of the lines below the editor's text.
  function mark(findings: Finding[]) {
    const lines = text.value.split("\n"), by = new Map<number, Finding[]>();
    for (const f of findings) by.set(f.line, [...(by.get(f.line) ?? []), f]);
    fill(marks, lines.map((l, i) => {
      const here = by.get(i + 1);
      if (!here) return l + "\n";
      const from = Math.max(0, here[0].column - 1), to = Math.max(from + 1, from + (l.slice(from).match(/^(\(?[^\s()]*)/)?.[0].length ?? 1));
      return [l.slice(0, from), h("mark", { class: here.some((f) => f.grave) ? "grave" : "" }, l.slice(from, to) || " "), l.slice(to) + "\n"];
    }));
    fill(gutter, h("div", { class: "numbers" }, lines.map((_, i) => h("div", { class: by.has(i + 1) ? (by.get(i + 1)!.some((f) => f.grave) ? "grave" : "remark") : "", title: by.get(i + 1)?.map((f) => f.text).join("; ") }, i + 1))));
    follow();
  }

  let checks = 0;
  async function check() {
    const mine = ++checks, rules = text.value;
    kept.set(draft, rules);
    save.setAttribute("href", "data:text/plain;charset=utf-8," + encodeURIComponent(rules));
    try {
      const g = await post<Game & Told>("api/check", rules);
      if (mine !== checks) return;
      const grave = g.findings.some((f) => f.grave);
      verdict.textContent = judgement(g);
      verdict.className = grave ? "grave" : "good";
      announce(verdict.textContent + (g.valid ? "" : ". " + (g.findings.find((f) => f.grave)?.text ?? "")));
      mark(g.findings);
      fill(list, g.findings.slice(0, 50).map((f) => h("li", { class: f.grave ? "grave" : "" }, h("button", { type: "button", class: "link", onclick: () => jump(f) }, f.line > 0 ? `${f.code}, line ${f.line}` : f.code), " " + f.text, f.hint && h("p", { class: "quiet" }, f.hint))));
      for (const b of [begin, analyse, prove]) b.disabled = !g.valid;
      if (!g.valid) return side.classList.add("stale");
      side.classList.remove("stale");
      const legal = g.position?.legal;
      fill(side, h("h2", null, "Initial position"), g.position ? shown(g.position) : h("p", { class: "quiet" }, "Computing the first position timed out."),
        legal && h("p", null, (g.roles ?? []).map((role, r) => h("span", null, h("b", null, role + ": "), legal[r].slice(0, 12).map((m) => m.text).join(", ") || "no legal move", legal[r].length > 12 ? ` and ${legal[r].length - 12} more` : "", h("br", null)))),
        proofs, inWords(g.clauses ?? ""));
    } catch (e) { if (mine === checks) { verdict.textContent = e instanceof Error ? e.message : String(e); verdict.className = "grave"; } }
  }
  let timer: ReturnType<typeof setTimeout> | undefined;
  text.addEventListener("input", () => { mark([]); clearTimeout(timer); timer = setTimeout(() => void check(), pause); });
  await check();
  return () => { checks++; clearTimeout(timer); };
}
