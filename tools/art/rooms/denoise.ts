/**
 * Removes the noise of traced light: a wavelet filter that stops at edges (Dammertz and others, "Edge-avoiding À-Trous wavelet transform",
 * 2010), with weights from the variance of each pixel (Schied and others, "Spatiotemporal variance-guided filtering", 2017).
 */

/** Light of each pixel, three numbers, and the variance of its brightness, one number. */
export type Layer = { light: Float32Array; variance: Float32Array };
/** What the camera sees first in each pixel: normal and position, three numbers each, and the shine, one number. */
export type Guide = { readonly normal: Float32Array; readonly at: Float32Array; readonly shine: Float32Array };

const KERNEL = [1 / 16, 1 / 4, 3 / 8, 1 / 4, 1 / 16];
const PASSES = 5;

export const brightness = (light: Float32Array, at: number): number =>
  0.3 * (light[at * 3] ?? 0) + 0.5 * (light[at * 3 + 1] ?? 0) + 0.2 * (light[at * 3 + 2] ?? 0);

/** How alike two pixels are in shape, 0–1: distance from the plane of the first, direction of the normals, material. */
function alike(guide: Guide, a: number, b: number): number {
  const { normal, at, shine } = guide;
  let plane = 0;
  let turn = 0;
  for (let k = 0; k < 3; k += 1) {
    const n = normal[a * 3 + k] ?? 0;
    plane += n * ((at[b * 3 + k] ?? 0) - (at[a * 3 + k] ?? 0));
    turn += (n - (normal[b * 3 + k] ?? 0)) ** 2;
  }
  const other = Math.abs((shine[a] ?? 0) - (shine[b] ?? 0));
  return Math.exp(-Math.abs(plane) / 0.02 - turn / 0.08 - other / 0.04);
}

/**
 * Filters a layer. `strength` is the difference in brightness that counts as noise, in standard deviations of the pixel; without a guide
 * only the brightness stops the filter, as for haze, which has no surface.
 */
export function denoise(layer: Layer, width: number, strength: number, guide: Guide | null): Float32Array {
  const size = layer.variance.length;
  const height = size / width;
  let { light, variance } = layer;
  for (let pass = 0; pass < PASSES; pass += 1) {
    const step = 2 ** pass;
    const even = smoothed(variance, width, height);
    const nextLight = new Float32Array(light.length);
    const nextVariance = new Float32Array(size);
    for (let pixel = 0; pixel < size; pixel += 1) {
      const [x, y] = [pixel % width, Math.floor(pixel / width)];
      const own = brightness(light, pixel);
      const noise = strength * Math.sqrt(even[pixel] ?? 0) + 1e-5;
      let [sum, r, g, b, spread] = [0, 0, 0, 0, 0];
      for (let j = -2; j <= 2; j += 1) {
        const row = y + j * step;
        if (row < 0 || row >= height) continue;
        for (let i = -2; i <= 2; i += 1) {
          const column = x + i * step;
          if (column < 0 || column >= width) continue;
          const other = row * width + column;
          const far = Math.abs(brightness(light, other) - own) / noise;
          if (far > 8) continue;
          const shape = guide === null || other === pixel ? 1 : alike(guide, pixel, other);
          const weight = (KERNEL[i + 2] ?? 0) * (KERNEL[j + 2] ?? 0) * shape * Math.exp(-far);
          sum += weight;
          r += weight * (light[other * 3] ?? 0);
          g += weight * (light[other * 3 + 1] ?? 0);
          b += weight * (light[other * 3 + 2] ?? 0);
          spread += weight * weight * (variance[other] ?? 0);
        }
      }
      nextLight[pixel * 3] = r / sum;
      nextLight[pixel * 3 + 1] = g / sum;
      nextLight[pixel * 3 + 2] = b / sum;
      nextVariance[pixel] = spread / (sum * sum);
    }
    light = nextLight;
    variance = nextVariance;
  }
  return light;
}

/** The mean of each pixel's variance and its neighbours': a variance from few rays is itself noisy. */
function smoothed(variance: Float32Array, width: number, height: number): Float32Array {
  const out = new Float32Array(variance.length);
  for (let y = 0; y < height; y += 1)
    for (let x = 0; x < width; x += 1) {
      let [sum, count] = [0, 0];
      for (let j = Math.max(y - 1, 0); j <= Math.min(y + 1, height - 1); j += 1)
        for (let i = Math.max(x - 1, 0); i <= Math.min(x + 1, width - 1); i += 1) {
          sum += variance[j * width + i] ?? 0;
          count += 1;
        }
      out[y * width + x] = sum / count;
    }
  return out;
}
