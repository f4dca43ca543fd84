// Answers of the server; see the structures of the same names in Go.

export interface Spot { board: number; column: number; row: number }
export interface Move { move: string; text: string; spots?: Spot[]; line?: boolean; aimed?: boolean }
export interface Position {
  roles: string[]; turn: number; svg: string; lines?: Record<string, string>;
  counters?: {
    name: string; holder?: string; value: string; color?: string; turn?: boolean; clock?: boolean; lead?: boolean;
  }[];
  hands?: { name: string; holder: string; items: string[] }[];
  facts?: string[]; legal?: Move[][]; goals?: number[];
}
export interface Parameter { name: string; about: string; min: number; max: number; default: number; list?: boolean }
export interface Source {
  name: string; title?: string; summary?: string; pattern?: string; parameters?: Parameter[]; from: string;
  group: string; first?: boolean;
}
export interface Bound { least: number; most: number; usual: number }
export interface Choices { games: Source[]; players: string[]; clocks: Record<string, Bound> }
export interface Told { clauses?: string; turned?: boolean[]; colors?: string[]; title?: string; summary?: string }
export interface Proof { property: string; verdict: string; detail?: string; line?: string[][] }
export interface Finding { line: number; column: number; code: string; grave: boolean; text: string; hint?: string }
export interface Game {
  game: string; rules: string; findings: Finding[]; valid: boolean; roles?: string[]; chance?: string;
  position?: Position; board: boolean; title?: string; about?: string; author?: string;
}
export interface Class {
  class: string; engine: string; fluents: number; moves: number[]; gates: number; seconds: number;
}
export interface Explanation {
  move: string; by: string; why: string; nodes?: number; seconds: number;
  values?: { role: string; lower: number; upper: number; estimate: number; kind: string }[];
  strategy?: { move: string; probability: number; value?: number }[];
  line?: string[][];
}
export interface Seats {
  table: string; turn: number; seats: string[]; chosen: boolean[]; choices?: number[]; goals?: number[];
  over?: boolean; note?: string;
  clocks?: ({ left?: number; due?: string } | null)[]; score?: number[]; asked?: Record<string, string[]>;
  resigned?: string; next?: string;
}
export interface Cell { lower: number; upper: number; kind: string }
export interface Matrix {
  row_role: string; column_role: string; rows: string[]; columns: string[]; cells: Cell[][];
  value?: number; row_strategy?: number[]; column_strategy?: number[]; row_loss?: number[]; column_loss?: number[];
}
export interface Analysis {
  method: string; roles: string[]; lower: number[] | null; upper: number[] | null; estimates?: number[];
  proved: boolean; solved: boolean;
  strategies?: ({ move: string; probability: number }[] | null)[]; line?: string[][];
  moves?: ({ move: string; lower: number; upper: number; estimate: number; plies?: number }[] | null)[];
  nodes: number; playouts?: number; seconds: number; matrix?: Matrix; note?: string; done: boolean;
}
export interface Outline {
  match: string; game: string; players: string[]; goals?: number[]; turns: number; start: string; live: boolean;
  reason?: string; errors?: number[];
}
export interface Part {
  match?: string; game?: string; rules?: string; roles?: string[]; players?: string[]; play_clock?: number;
  opening?: string[][];
  moves?: string[][]; errors?: string[][]; reply_times?: number[][]; explanations?: ((Explanation | null)[] | null)[];
  goals?: number[]; completed?: boolean; aborted?: boolean; forfeit?: boolean; reason?: string;
  position?: Position;
}
export interface Rating { player: string; elo: number; error: number }
export interface Pair {
  player: string; opponent: string; matches: number; wins: number; draws: number; losses: number; score: number;
  elo: number; error: number;
}
export interface Tuning {
  parameters: { name: string; about: string; unit: string; low: number; high: number; start: number }[];
  course: number[][] | null; scores: number[] | null; iterations: number; pairs: number; player: string;
}
export interface Standings {
  standings: {
    player: string; matches: number; points: number; wins: number; draws: number; losses: number; errors: number;
  }[] | null;
  ratings: Rating[] | null; pairs: Pair[] | null; games: { game: string; matches: number; ratings: Rating[] }[] | null;
  matches: number; live: Outline[]; planned?: number;
  test?: { elo0: number; elo1: number; alpha: number; beta: number }; llr?: number; verdict?: string;
  run?: string; kind?: string; state?: string; reason?: string; outcomes?: { score: number; pairs: number }[];
  tuning?: Tuning;
}
export interface Run {
  run: string; kind: string; state: string; begun: string; games: string[]; players: string[]; rounds: number;
  gauntlet: boolean;
  openings: number; start_clock: number; play_clock: number; matches: number; planned: number; reason?: string;
}
export interface Runs {
  tournaments: Run[] | null;
  parameters: { name: string; about: string; unit: string; start: number; low: number; high: number }[] | null;
  tunable: string[] | null;
}
