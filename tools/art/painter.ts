/** Renders the film inside a page: WebGL 2, with the layers as half-float textures. */

type Shot = { width: number; height: number; shift: [number, number]; zoom: number };
type Texture = { readonly texture: WebGLTexture; readonly frame: WebGLFramebuffer };
type Uniforms = Readonly<Record<string, number | readonly number[]>>;

const LAYERS = 6;
const CORNERS = new Float32Array([-1, -1, 3, -1, -1, 3]);
const FLAT = '#version 300 es\nin vec2 corner;\nvoid main() { gl_Position = vec4(corner, 0.0, 1.0); }';

function context(): WebGL2RenderingContext {
  const gl = document.createElement('canvas').getContext('webgl2', { preserveDrawingBuffer: true });
  if (!gl?.getExtension('EXT_color_buffer_float')) throw new Error('this browser cannot paint into float textures');
  return gl;
}

function compile(gl: WebGL2RenderingContext, fragment: string): WebGLProgram {
  const program = gl.createProgram();
  for (const [type, text] of [
    [gl.VERTEX_SHADER, FLAT],
    [gl.FRAGMENT_SHADER, fragment],
  ] as const) {
    const shader = gl.createShader(type);
    if (!shader) throw new Error('no shader');
    gl.shaderSource(shader, text);
    gl.compileShader(shader);
    if (!gl.getShaderParameter(shader, gl.COMPILE_STATUS)) throw new Error(gl.getShaderInfoLog(shader) ?? 'refused');
    gl.attachShader(program, shader);
  }
  gl.bindAttribLocation(program, 0, 'corner');
  gl.linkProgram(program);
  return program;
}

function target(gl: WebGL2RenderingContext, width: number, height: number): Texture {
  const texture = gl.createTexture();
  gl.bindTexture(gl.TEXTURE_2D, texture);
  gl.texStorage2D(gl.TEXTURE_2D, 1, gl.RGBA16F, width, height);
  for (const side of [gl.TEXTURE_WRAP_S, gl.TEXTURE_WRAP_T]) gl.texParameteri(gl.TEXTURE_2D, side, gl.CLAMP_TO_EDGE);
  for (const way of [gl.TEXTURE_MIN_FILTER, gl.TEXTURE_MAG_FILTER]) gl.texParameteri(gl.TEXTURE_2D, way, gl.LINEAR);
  const frame = gl.createFramebuffer();
  gl.bindFramebuffer(gl.FRAMEBUFFER, frame);
  gl.framebufferTexture2D(gl.FRAMEBUFFER, gl.COLOR_ATTACHMENT0, gl.TEXTURE_2D, texture, 0);
  return { texture, frame };
}

function draw(
  gl: WebGL2RenderingContext,
  program: WebGLProgram,
  size: readonly [number, number],
  uniforms: Uniforms,
  onto: Texture | null,
): void {
  gl.bindFramebuffer(gl.FRAMEBUFFER, onto?.frame ?? null);
  gl.viewport(0, 0, ...size);
  gl.useProgram(program);
  gl.uniform2f(gl.getUniformLocation(program, 'size'), ...size);
  for (const [name, value] of Object.entries(uniforms)) {
    const place = gl.getUniformLocation(program, name);
    if (typeof value === 'number') gl.uniform1f(place, value);
    else if (name === 'shift') gl.uniform2f(place, value[0] ?? 0, value[1] ?? 0);
    else gl.uniform1fv(place, value);
  }
  gl.drawArrays(gl.TRIANGLES, 0, 3);
  gl.finish();
}

/** Renders the layers and returns a function that renders one frame: base64 of RGBA, bottom row first. */
function open(shot: Shot, shaders: { layer: string; beams: string; frame: string }) {
  const gl = context();
  const full = [shot.width, shot.height] as const;
  const half = [shot.width / 2, shot.height / 2] as const;
  Object.assign(gl.canvas, { width: shot.width, height: shot.height });
  gl.bindBuffer(gl.ARRAY_BUFFER, gl.createBuffer());
  gl.bufferData(gl.ARRAY_BUFFER, CORNERS, gl.STATIC_DRAW);
  gl.enableVertexAttribArray(0);
  gl.vertexAttribPointer(0, 2, gl.FLOAT, false, 0, 0);
  const camera = { shift: shot.shift, zoom: shot.zoom };
  const layerProgram = compile(gl, shaders.layer);
  const layers = Array.from({ length: LAYERS }, (_, layer) => {
    const made = target(gl, ...full);
    draw(gl, layerProgram, full, { ...camera, layer, phase: 0 }, made);
    return made;
  });
  const rays = target(gl, ...half);
  const beams = compile(gl, shaders.beams);
  const frame = compile(gl, shaders.frame);
  gl.useProgram(frame);
  const names = ['gates[0]', 'gates[1]', 'gates[2]', 'gates[3]', 'gates[4]', 'ring', 'rays'];
  [...layers, rays].forEach(({ texture }, unit) => {
    gl.activeTexture(gl.TEXTURE0 + unit);
    gl.bindTexture(gl.TEXTURE_2D, texture);
    gl.uniform1i(gl.getUniformLocation(frame, names[unit] ?? ''), unit);
  });
  const pixels = new Uint8Array(shot.width * shot.height * 4);
  return async (phase: number, levels: readonly number[], breath: number): Promise<string> => {
    draw(gl, beams, half, { ...camera, layer: -1, phase }, rays);
    draw(gl, frame, full, { ...camera, layer: -1, phase, levels, breath }, null);
    gl.readPixels(0, 0, ...full, gl.RGBA, gl.UNSIGNED_BYTE, pixels);
    // ES2026: in Chromium since 140, not yet in TypeScript's library.
    return (pixels as Uint8Array & { toBase64: () => string }).toBase64();
  };
}

Object.assign(globalThis, { openStage: open });
