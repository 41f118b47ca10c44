/** Two short tones, made by the browser. */
const TONES = [
  { hertz: 660, at: 0 },
  { hertz: 880, at: 0.12 },
];
const TONE_SECONDS = 0.18;
const VOLUME = 0.08;

let context: AudioContext | undefined;

export function playSound(): void {
  context ??= new AudioContext();
  for (const { hertz, at } of TONES) {
    const tone = new OscillatorNode(context, { frequency: hertz });
    const volume = new GainNode(context, { gain: VOLUME });
    const start = context.currentTime + at;
    volume.gain.exponentialRampToValueAtTime(0.001, start + TONE_SECONDS);
    tone.connect(volume).connect(context.destination);
    tone.start(start);
    tone.stop(start + TONE_SECONDS);
  }
}
