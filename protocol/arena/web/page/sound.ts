// Sounds of matches: off until somebody switches them on, made by the browser itself.
import { kept } from "./dom.js";

let context: AudioContext | null = null;

export const isOn = () => kept.get("sound") === "on";
export const switchTo = (on: boolean) => kept.set("sound", on ? "on" : "off");

// play sounds notes, each with its frequency in Hz, one after the other.
export function sound(...notes: number[]) {
  if (!isOn()) return;
  context ??= new AudioContext();
  notes.forEach((frequency, i) => {
    const at = context!.currentTime + i * 0.12, tone = context!.createOscillator(), volume = context!.createGain();
    tone.frequency.value = frequency;
    volume.gain.setValueAtTime(0.12, at);
    volume.gain.exponentialRampToValueAtTime(0.001, at + 0.11);
    tone.connect(volume).connect(context!.destination);
    tone.start(at);
    tone.stop(at + 0.12);
  });
}
