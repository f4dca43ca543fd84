// Levels: names for players of this program, by strength.
import { h } from "./dom.js";

const levels: [name: string, player: string][] = [
  ["Beginner", "random"], ["Novice", "greedy"], ["Intermediate", "mcts-plain"],
  ["Advanced", "mcts:threads=1"], ["Strong", "stackmate:threads=1"], ["Full", "stackmate"],
];

// levelOf returns the displayed name of a player: its level, or the player itself.
export const levelOf = (player: string): string => {
  const level = levels.find(([, p]) => p === player);
  return level ? `Stackmate, ${level[0]}` : player;
};

// options returns the offered levels, and all other players.
export function options(players: string[], chosen?: string): HTMLElement[] {
  const offered = levels.filter(([, p]) => players.includes(p.split(":")[0])), known = offered.map(([, p]) => p);
  const option = (value: string, text: string) => h("option", { value, selected: value === chosen }, text);
  const others = [...new Set([...players, ...(chosen ? [chosen] : [])])].filter((p) => !known.includes(p));
  return [...offered.map(([name, p]) => option(p, name)), ...others.map((p) => option(p, p))];
}
