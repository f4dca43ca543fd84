// The worker of all windows of a browser, or of one window: one connection carries their streams.
// It notifies the windows when the server is away and when it is back.

export {};

type Port = Pick<MessagePort, "onmessage" | "postMessage">;

interface Follower { port: Port; key: number; path: string }
type Request = { key: number; path: string } | { key: number; end: true } | { window: string };

const followers = new Map<number, Follower>(); // by the number of the channel
let next = 1;
let connection = ""; // name of the connection, "" without one
let connecting = false;
let away = false;
const ports = new Set<Port>();

const tell = (f: Follower, kind: string, data: string) => f.port.postMessage({ key: f.key, kind, data });
const say = (isAway: boolean) => {
  if (away !== isAway) { away = isAway; for (const port of ports) port.postMessage({ away }); }
};
const post = (channel: number, path: string) =>
  fetch("api/connection/" + connection, { method: "POST", body: JSON.stringify({ channel, path }) });

// refusal returns the error of a response, for the followers.
const refusal = async (response: Response, usual: string) =>
  JSON.stringify((await response.json().catch(() => ({}))).error ?? usual);

async function follow(channel: number) {
  const f = followers.get(channel)!;
  if (!connection) return void connect();
  const response = await post(channel, f.path).catch(() => null);
  if (!response || response.ok || response.status === 404) return;
  tell(f, "failed", await refusal(response, response.statusText));
}

function leave(channel: number) {
  if (followers.delete(channel) && connection) void post(channel, "").catch(() => {});
}

// connect reads events until the connection breaks, and then connects anew.
async function connect() {
  if (connecting) return;
  connecting = true;
  for (;;) {
    try {
      const response = await fetch("api/connection");
      if (response.ok) { await read(response.body!.getReader()); say(true); }
      else {
        const why = await refusal(response, "the connection was refused");
        for (const f of followers.values()) tell(f, "failed", why);
      }
    } catch { say(true); }
    connection = "";
    await new Promise((done) => setTimeout(done, 1000));
  }
}

async function read(reader: ReadableStreamDefaultReader<Uint8Array>) {
  const text = new TextDecoder();
  for (let rest = ""; ; ) {
    const { value, done } = await reader.read();
    if (done) return;
    rest += text.decode(value, { stream: true });
    const events = rest.split("\n\n");
    rest = events.pop()!;
    for (const e of events) take(e);
  }
}

// take passes an event on to the follower of its channel.
function take(event: string) {
  const [, kind, data] = event.match(/^event: (.*)\ndata: (.*)$/s) ?? [];
  if (kind === "connection") {
    connection = JSON.parse(data);
    say(false);
    for (const channel of followers.keys()) void follow(channel);
  } else if (kind) {
    const space = kind.indexOf(" "), f = followers.get(Number(kind.slice(0, space)));
    if (f) tell(f, kind.slice(space + 1), data);
  }
}

// serve follows streams for a window.
function serve(port: Port) {
  ports.add(port);
  if (away) port.postMessage({ away });
  const mine = () => [...followers].filter(([, f]) => f.port === port);
  const gone = () => { ports.delete(port); for (const [channel] of mine()) leave(channel); };
  port.onmessage = (m: MessageEvent<Request>) => {
    const r = m.data;
    // A window holds a lock while it is open: once the lock is free, the window is closed.
    if ("window" in r) return void navigator.locks?.request(r.window, gone);
    if ("path" in r) { followers.set(next, { port, key: r.key, path: r.path }); return void follow(next++); }
    for (const [channel, f] of mine()) if (f.key === r.key) leave(channel);
  };
}

const scope = globalThis as unknown as Port & { onconnect?: (e: MessageEvent) => void };
if ("onconnect" in scope) scope.onconnect = (e) => serve(e.ports[0]);
else serve(scope);
