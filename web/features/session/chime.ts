import { useRef, useState } from 'react';
import type { EndWarning } from '#rules/business/session.ts';

/** Two notes, quiet enough for headphones. They rise by a fifth for “soon”, and are repeated louder when the room has to be empty in time. */
const NOTES_HZ = [523, 784];
const NOTE_SECONDS = 0.5;
const VOLUME = { quiet: 0.06, loud: 0.3 } as const;
const REPEATS = { quiet: 1, loud: 3 } as const;
const VIBRATION = { quiet: [200], loud: [500, 200, 500, 200, 500] } as const;

/** Plays a sound at the end of a session. Browsers play no sound before a tap, so there is none until the customer has requested it. */
export function useChime(): {
  readonly allowed: boolean;
  /** Enables the sound. Must be called from a tap. */
  allow(): void;
  /** Plays the sound if it is enabled, and vibrates the phone if it can. */
  play(tone: EndWarning['tone']): void;
} {
  const audio = useRef<AudioContext | null>(null);
  const [allowed, setAllowed] = useState(false);
  return {
    allowed,
    allow() {
      if (!('AudioContext' in globalThis)) return;
      audio.current ??= new AudioContext();
      void audio.current.resume();
      setAllowed(true);
      playNotes(audio.current, 'quiet');
    },
    play(tone) {
      if ('vibrate' in navigator) navigator.vibrate([...VIBRATION[tone]]);
      if (audio.current !== null) playNotes(audio.current, tone);
    },
  };
}

function playNotes(audio: AudioContext, tone: EndWarning['tone']): void {
  const notes = Array.from({ length: REPEATS[tone] }, () => NOTES_HZ).flat();
  for (const [index, hertz] of notes.entries()) {
    const begin = audio.currentTime + index * NOTE_SECONDS;
    const gain = new GainNode(audio, { gain: 0 });
    gain.gain.linearRampToValueAtTime(0, begin);
    gain.gain.linearRampToValueAtTime(VOLUME[tone], begin + 0.05);
    gain.gain.linearRampToValueAtTime(0, begin + NOTE_SECONDS);
    const note = new OscillatorNode(audio, { type: 'sine', frequency: hertz });
    note.connect(gain).connect(audio.destination);
    note.start(begin);
    note.stop(begin + NOTE_SECONDS);
  }
}
