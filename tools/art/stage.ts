import { readFileSync } from 'node:fs';
import { stripTypeScriptTypes } from 'node:module';
import { join } from 'node:path';
import type { Page } from '@playwright/test';

/** A camera position. `shift` moves the vanishing point, `zoom` is the focal length, both in half heights; `bits`: rates for VP9 and H.264. */
export type Shot = {
  readonly name: string;
  readonly width: number;
  readonly height: number;
  readonly shift: readonly [number, number];
  readonly zoom: number;
  readonly bits: readonly [string, string];
};
export type Shaders = { readonly layer: string; readonly beams: string; readonly frame: string };

/** Strength of each layer at a position in the loop: four waves for each loop, never more than two a second (WCAG 2.3.1). */
function levelsAt(phase: number): { gates: number[]; breath: number } {
  const turn = Math.PI * 2;
  const gates = [0, 1, 2, 3, 4].map((i) => {
    const at = (((phase * 4 - (4 - i) * 0.13) % 1) + 1) % 1;
    const wave = Math.min(1, at / 0.09) * Math.exp(-at * 3.8);
    const slow = 0.5 + 0.5 * Math.sin(turn * (phase * 2 - i * 0.19));
    return 0.018 + 0.55 * wave + 0.03 * slow;
  });
  return { gates, breath: 0.62 + 0.13 * Math.sin(turn * phase * 4 - 0.6) };
}

/** Renders the layers in a page's WebGL and returns a function that renders one frame: RGBA, bottom row first. */
export async function openStage(page: Page, shot: Shot, shaders: Shaders): Promise<(phase: number) => Promise<Buffer>> {
  const painter = stripTypeScriptTypes(readFileSync(join(import.meta.dirname, 'painter.ts'), 'utf8'));
  await page.evaluate(painter);
  await page.evaluate(`globalThis.paint = openStage(${JSON.stringify(shot)}, ${JSON.stringify(shaders)}), null`);
  return async (phase) => {
    const { gates, breath } = levelsAt(phase);
    const text = await page.evaluate(`paint(${phase}, ${JSON.stringify(gates)}, ${breath})`);
    return Buffer.from(String(text), 'base64');
  };
}
