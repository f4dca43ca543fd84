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
export interface Choices { games: Source[]; players: string[] }
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
  moves: string[][]; why: ((Explanation | null)[] | null)[]; note?: string;
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
  match?: string; game?: string; roles?: string[]; players?: string[]; play_clock?: number; opening?: string[][];
  moves?: string[][]; errors?: string[][]; reply_times?: number[][]; explanations?: ((Explanation | null)[] | null)[];
  goals?: number[]; completed?: boolean; aborted?: boolean; reason?: string;
}
