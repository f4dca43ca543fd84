// Levels: players of this program by strength, in words for people.
import { h } from "./dom.js";

const levels: [name: string, player: string][] = [
  ["Beginner", "random"], ["Novice", "greedy"], ["Intermediate", "mcts-plain"], ["Advanced", "mcts:threads=1"], ["Strong", "stackmate:threads=1"], ["Full", "stackmate"],
];

// levelOf returns the name of a player for people: its level, or the player itself.
export const levelOf = (player: string): string => {
  const level = levels.find(([, p]) => p === player);
  return level ? `Stackmate, ${level[0]}` : player;
};

// options lists the levels that are offered, and all other players.
export function options(players: string[], chosen?: string): HTMLElement[] {
  const offered = levels.filter(([, p]) => players.includes(p.split(":")[0])), known = offered.map(([, p]) => p);
  const option = (value: string, text: string) => h("option", { value, selected: value === chosen }, text);
  const others = [...new Set([...players, ...(chosen ? [chosen] : [])])].filter((p) => !known.includes(p));
  return [...offered.map(([name, p]) => option(p, name)), ...others.map((p) => option(p, p))];
}
