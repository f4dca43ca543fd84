// What the server answers; see the structures of the same names in Go.

export interface Spot { board: number; column: number; row: number }
export interface Move { move: string; spots?: Spot[]; line?: boolean }
export interface Position {
  roles: string[]; turn: number; svg: string;
  counters?: { name: string; holder?: string; value: string }[];
  hands?: { name: string; holder: string; items: string[] }[];
  facts?: string[]; legal?: Move[][]; goals?: number[];
}
export interface Source { name: string; summary?: string; pattern?: string; from: string }
export interface Choices { games: Source[]; first: string[]; players: string[] }
export interface Finding { line: number; column: number; code: string; grave: boolean; text: string; hint?: string }
export interface Game {
  game: string; rules: string; findings: Finding[]; valid: boolean; roles?: string[]; chance?: string;
  position?: Position; board: boolean;
}
export interface Class { class: string; engine: string; fluents: number; moves: number[]; gates: number; seconds: number }
export interface Explanation {
  move: string; by: string; why: string; nodes?: number; seconds: number;
  values?: { role: string; lower: number; upper: number; estimate: number; kind: string }[];
  strategy?: { move: string; probability: number; value?: number }[];
  line?: string[][];
}
export interface Table {
  table: string; game: string; seats: string[]; chosen: boolean[]; position: Position;
  moves: string[][]; why: ((Explanation | null)[] | null)[]; note?: string; due?: string;
}
export interface Cell { lower: number; upper: number; kind: string }
export interface Matrix {
  row_role: string; column_role: string; rows: string[]; columns: string[]; cells: Cell[][];
  value?: number; row_strategy?: number[]; column_strategy?: number[]; row_loss?: number[]; column_loss?: number[];
}
export interface Analysis {
  method: string; roles: string[]; lower: number[] | null; upper: number[] | null; estimates?: number[]; proved: boolean; solved: boolean;
  strategies?: ({ move: string; probability: number }[] | null)[]; line?: string[][];
  nodes: number; playouts?: number; seconds: number; matrix?: Matrix; note?: string; done: boolean;
}
export interface Outline {
  match: string; game: string; players: string[]; goals?: number[]; turns: number; start: string; live: boolean; reason?: string; errors?: number[];
}
export interface Part {
  match?: string; game?: string; rules?: string; roles?: string[]; players?: string[]; play_clock?: number; opening?: string[][];
  moves?: string[][]; errors?: string[][]; reply_times?: number[][]; explanations?: ((Explanation | null)[] | null)[];
  goals?: number[]; completed?: boolean; aborted?: boolean; reason?: string; position?: Position;
}
export interface Rating { player: string; elo: number; error: number }
export interface Pair { player: string; opponent: string; matches: number; wins: number; draws: number; losses: number; score: number; elo: number; error: number }
export interface Standings {
  standings: { player: string; matches: number; points: number; wins: number; draws: number; losses: number; errors: number }[] | null;
  ratings: Rating[] | null; pairs: Pair[] | null; games: { game: string; matches: number; ratings: Rating[] }[] | null;
  matches: number; live: Outline[]; planned?: number;
  test?: { Elo0: number; Elo1: number; Alpha: number; Beta: number }; bounds?: number[]; llrs?: number[]; verdict?: string;
}
