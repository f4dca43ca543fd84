// Elements and the requests of the page. Texts of rules are only ever set as text.

type Child = Node | string | number | null | undefined | false | Child[];
type Props = Record<string, unknown>;

// h makes an element: properties that begin with "on" are listeners, other properties are attributes.
export function h<K extends keyof HTMLElementTagNameMap>(
  tag: K, props: Props | null, ...children: Child[]
): HTMLElementTagNameMap[K] {
  const e = document.createElement(tag);
  for (const [key, value] of Object.entries(props ?? {})) {
    if (key.startsWith("on")) e.addEventListener(key.slice(2), value as EventListener);
    else if (value === true) e.setAttribute(key, "");
    else if (value !== false && value !== null && value !== undefined) e.setAttribute(key, String(value));
  }
  append(e, children);
  return e;
}

function append(e: Element, children: Child[]) {
  for (const c of children) {
    if (Array.isArray(c)) append(e, c);
    else if (c instanceof Node) e.append(c);
    else if (c !== null && c !== undefined && c !== false) e.append(String(c));
  }
}

// fill replaces the content of an element.
export function fill(e: Element, ...children: Child[]) {
  e.replaceChildren();
  append(e, children);
}

// svg parses a drawing of the server.
export function svg(text: string): Node {
  if (!text) return document.createTextNode("");
  return document.importNode(new DOMParser().parseFromString(text, "image/svg+xml").documentElement, true);
}

// draw makes an SVG element.
export function draw(
  tag: string, attributes: Record<string, string | number>, ...children: (Node | string)[]
): SVGElement {
  const e = document.createElementNS("http://www.w3.org/2000/svg", tag);
  for (const [k, v] of Object.entries(attributes)) e.setAttribute(k, String(v));
  e.append(...children);
  return e;
}

async function answered<T>(response: Response): Promise<T> {
  const body = await response.json().catch(() => ({ error: response.statusText }));
  if (!response.ok) throw new Error(body.error ?? response.statusText);
  return body as T;
}

// Away is the error of a request that did not reach the server. A banner says so, too.
export class Away extends Error {}

// ask sends a request. If the server is away, the error says that nothing was sent.
async function ask<T>(path: string, init?: RequestInit): Promise<T> {
  const response = await fetch(path, init).catch(() => {
    throw new Away("The arena does not answer" + (init ? ": nothing was sent. Try again when it is back." : "."));
  });
  return answered<T>(response);
}

export const get = <T>(path: string, query: Record<string, string> = {}): Promise<T> =>
  ask<T>(path + (Object.keys(query).length ? "?" + new URLSearchParams(query) : ""));

export const post = <T>(path: string, body: unknown): Promise<T> =>
  ask<T>(path, { method: "POST", body: typeof body === "string" ? body : JSON.stringify(body) });

type Kinds = Record<string, ((value: any) => void) | undefined>;

// back waits until the server answers again, and a banner says so. It asks by a request, since browsers delay
// WebSockets after failures.
let away: Promise<void> | null = null;
const back = () => away ??= (async () => {
  const banner = document.getElementById("away")!;
  banner.hidden = false;
  do await new Promise((done) => setTimeout(done, 1000));
  while (!await fetch("icon.svg", { cache: "no-store" }).catch(() => null));
  banner.hidden = true;
  away = null;
})();

// listen calls functions with the events of a stream, by kind, until an end. If the connection breaks, it reads the
// stream anew as soon as the server is back. It returns a function that ends it.
export function listen(path: string, kinds: Kinds): () => void {
  const address = new URL(path, location.href);
  address.protocol = address.protocol.replace("http", "ws");
  let socket: WebSocket, over = false;
  const end = () => { over = true; socket.close(); };
  const open = () => {
    if (over) return;
    socket = new WebSocket(address);
    socket.onmessage = (e: MessageEvent<string>) => {
      const [kind, value] = JSON.parse(e.data);
      if (over) return;
      if (kind === "end" || kind === "failed") end();
      kinds[kind]?.(value);
    };
    socket.onclose = () => { if (!over) void back().then(open); };
  };
  open();
  return end;
}

// announce passes a text to screen readers.
export function announce(text: string) {
  const at = document.getElementById("said")!;
  if (at.textContent !== text) at.textContent = text;
}

// wide holds a table that may be wider than a narrow screen.
export const wide = (label: string, table: Element) =>
  h("div", { class: "wide", tabindex: 0, role: "region", "aria-label": label }, table);

// failure shows an error.
export const failure = (e: unknown) =>
  h("p", { class: "failure", role: "alert" }, e instanceof Error ? e.message : String(e));

// button makes a button that does not submit a form.
export const button = (text: string, onclick: () => void, props: Record<string, unknown> = {}) =>
  h("button", { type: "button", onclick, ...props }, text);

// copy copies a text, or shows it if the browser does not let pages copy.
export function copy(text: string) {
  if (!navigator.clipboard) return void prompt("Copy this:", text);
  void navigator.clipboard.writeText(text).then(() => announce("Copied."), () => prompt("Copy this:", text));
}

// kept is the storage of this browser, if the page may use it.
export const kept = {
  get: (name: string): string | null => { try { return localStorage.getItem(name); } catch { return null; } },
  set: (name: string, value: string) => { try { localStorage.setItem(name, value); } catch { /* a private window */ } },
};

// toGame returns the address of a section for a game, at a position.
export const toGame = (section: string, game: string, moves?: string[][]) =>
  `#/${section}/${encodeURIComponent(game)}` +
  (moves && moves.length ? "?moves=" + encodeURIComponent(JSON.stringify(moves)) : "");

export const percent = (p: number) => (100 * p).toFixed(p > 0.0995 ? 0 : 1) + " %";
export const points = (v: number) => String(+v.toFixed(2));
