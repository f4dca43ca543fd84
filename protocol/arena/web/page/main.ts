// The page: the view that the address after # names.
import { announce, failure, fill } from "./dom.js";
import { analyse, chooseGame } from "./analyse.js";
import { edit } from "./edit.js";
import { game, games } from "./games.js";
import { play, tables } from "./play.js";
import { standings } from "./standings.js";
import { matches, watch } from "./watch.js";

type View = void | Promise<void | (() => void)> | (() => void);
let leave: () => void = () => {};

function view(main: HTMLElement): View {
  const [path, search] = location.hash.slice(2).split("?", 2);
  const [section, ...rest] = path.split("/").map(decodeURIComponent);
  const query = new URLSearchParams(search ?? "");
  document.title = "Stackmate arena";
  for (const a of document.querySelectorAll("nav a")) {
    const name = a.getAttribute("href")!.slice(2);
    const here = name === section || (name === "games" && (section === "game" || !section)) || (name === "tables" && section === "play");
    if (here) a.setAttribute("aria-current", "page"); else a.removeAttribute("aria-current");
  }
  switch (section) {
    case "game": return game(main, rest.join("/"));
    case "tables": return tables(main);
    case "play": return play(main, rest[0], query);
    case "edit": return edit(main, rest.length ? rest.join("/") : undefined);
    case "watch": return rest[0] ? watch(main, rest[0], rest[1] === undefined ? undefined : Number(rest[1])) : matches(main, query);
    case "analyse": return rest[0] ? analyse(main, rest.join("/"), query) : chooseGame(main);
    case "standings": return standings(main, query);
    default: return games(main);
  }
}

function show() {
  leave();
  leave = () => {};
  const old = document.getElementById("main")!;
  const main = old.cloneNode(false) as HTMLElement; // pending requests of the last view fill the old element
  old.replaceWith(main);
  try {
    const v = view(main);
    if (typeof v === "function") leave = v;
    else if (v instanceof Promise) {
      let left = false;
      leave = () => { left = true; };
      v.then((end) => { if (typeof end === "function") { if (left) end(); else leave = end; } }, (e) => fill(main, failure(e)));
    }
  } catch (e) { fill(main, failure(e)); }
  window.scrollTo(0, 0);
  if (begun) {
    main.focus({ preventScroll: true }); // a screen reader reads the new page, not a removed link
    announce("");
  }
  begun = true;
}

let begun = false;
document.getElementById("skip")!.addEventListener("click", (e) => { e.preventDefault(); document.getElementById("main")!.focus(); });

// Errors are shown, not swallowed.
const fail = (text: string) => document.getElementById("main")!.prepend(failure("This page has failed: " + text));
window.addEventListener("error", (e) => fail(e.message));
window.addEventListener("unhandledrejection", (e) => fail(String(e.reason)));
document.addEventListener("securitypolicyviolation", (e) => fail("it may not load " + e.blockedURI + " for " + e.violatedDirective));
window.addEventListener("hashchange", show);
show();
