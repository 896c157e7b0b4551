/**
 * The scene of the hero film in GLSL ES 3.00: a dark hall at 3 am, gates of light tubes, a booth under a ring-shaped clock,
 * a wet floor with reflections, and haze.
 *
 * Light is additive, so each gate and the ring is rendered once at full strength as a layer (\`LAYER\`). Each frame renders the
 * moving beams (\`BEAMS\`, at half size because they are soft) and sums all layers with their current strengths (\`FRAME\`).
 * All motion has whole cycles in the loop, so that the last frame leads into the first.
 *
 * Uniforms: \`size\` in pixels; \`phase\` 0 to 1, the position in the loop; \`shift\` moves the vanishing point and \`zoom\` is the
 * focal length, both in half heights; \`layer\` 0 to 4 for a gate, 5 for the ring.
 */
const ROOM = `#version 300 es
precision highp float;
uniform vec2 size;
uniform float phase;
uniform float layer;
uniform vec2 shift;
uniform float zoom;
out vec4 colour;

const float TAU = 6.2831853;
const vec3 SIGNAL = vec3(1.0, 0.105, 0.022);
const vec3 CHALK = vec3(1.0, 0.82, 0.66);
const float FLOOR = -1.25, ROOF = 2.3, SIDE = 3.7, BACK = 14.0;
const vec3 RING = vec3(0.0, 0.92, 13.75);
const float RADIUS = 1.3;
const vec3 EYE = vec3(0.0, 0.06, -1.0);

float hash(vec3 p) {
  p = fract(p * vec3(0.1031, 0.1030, 0.0973));
  p += dot(p, p.yxz + 33.33);
  return fract((p.x + p.y) * p.z);
}
float noise(vec3 p) {
  vec3 i = floor(p), f = fract(p);
  f = f * f * (3.0 - 2.0 * f);
  return mix(
    mix(mix(hash(i), hash(i + vec3(1, 0, 0)), f.x), mix(hash(i + vec3(0, 1, 0)), hash(i + vec3(1, 1, 0)), f.x), f.y),
    mix(mix(hash(i + vec3(0, 0, 1)), hash(i + vec3(1, 0, 1)), f.x),
        mix(hash(i + vec3(0, 1, 1)), hash(i + vec3(1, 1, 1)), f.x), f.y), f.z);
}

/** Shortest distance from a ray to a line segment; \`t\` is the position on the ray. */
float toTube(vec3 ro, vec3 rd, vec3 a, vec3 b, out float t) {
  vec3 ba = b - a, oa = ro - a;
  float along = dot(ba, rd), behind = dot(rd, oa);
  float s = clamp((dot(ba, oa) - along * behind) / max(dot(ba, ba) - along * along, 1e-4), 0.0, 1.0);
  vec3 q = a + s * ba;
  t = max(dot(q - ro, rd), 0.0);
  return length(ro + rd * t - q);
}

/** How bright gate number \`i\` is while layers are painted: one light at a time. */
float gateLight(float i) {
  return abs(i - layer) < 0.5 ? 1.0 : 0.0;
}
void gate(float i, out vec3 a, out vec3 b, out vec3 c, out vec3 d) {
  float z = 2.6 + i * 2.15;
  a = vec3(-3.25, FLOOR + 0.03, z);
  b = vec3(-2.55, ROOF - 0.14, z);
  c = vec3(2.55, ROOF - 0.14, z);
  d = vec3(3.25, FLOOR + 0.03, z);
}

/** Where a ray meets a box, or a large number; \`n\` is the face. */
float toBox(vec3 ro, vec3 rd, vec3 centre, vec3 half_, out vec3 n) {
  vec3 m = 1.0 / rd, k = abs(m) * half_, o = m * (ro - centre);
  vec3 t1 = -o - k, t2 = -o + k;
  float near = max(max(t1.x, t1.y), t1.z), far = min(min(t2.x, t2.y), t2.z);
  n = -sign(rd) * step(t1.yzx, t1.xyz) * step(t1.zxy, t1.xyz);
  return near > far || near < 0.0 ? 1e5 : near;
}

/** What is lit, on a surface: the tubes and the ring by the square of their distance. */
vec3 lit(vec3 p, vec3 n) {
  vec3 sum = vec3(0.0);
  for (int i = 0; i < 5; i++) {
    vec3 a, b, c, d;
    gate(float(i), a, b, c, d);
    float level = gateLight(float(i));
    for (int j = 0; j < 3; j++) {
      vec3 s = j == 0 ? a : j == 1 ? b : d, e = j == 0 ? b : j == 1 ? c : c;
      vec3 q = s + clamp(dot(p - s, e - s) / dot(e - s, e - s), 0.0, 1.0) * (e - s);
      vec3 l = q - p;
      float r = dot(l, l);
      sum += SIGNAL * level * (0.25 + max(dot(n, l * inversesqrt(r)), 0.0)) * 0.5 / (r + 0.35);
    }
  }
  vec3 l = RING - p;
  float r = dot(l, l);
  sum += layer > 4.5 ? SIGNAL * 2.2 * (0.2 + max(dot(n, l * inversesqrt(r)), 0.0)) / (r + 1.2) : vec3(0.0);
  return sum;
}

float line(vec2 p, vec2 a, vec2 b, float w) {
  vec2 pa = p - a, ba = b - a;
  return smoothstep(w, w * 0.55, length(pa - ba * clamp(dot(pa, ba) / dot(ba, ba), 0.0, 1.0)));
}

/** The clock on the wall shows three o'clock. */
vec3 clock(vec2 p, float soft) {
  float r = length(p), edge = abs(r - RADIUS);
  vec3 sum = SIGNAL * (0.055 / (edge * edge + 0.018 + soft) + 0.16 / (edge + 0.35));
  sum += mix(SIGNAL, CHALK, 0.72) * 3.4 * smoothstep(0.075 + soft, 0.03, edge);
  float a = atan(p.x, p.y) / TAU * 12.0, mark = abs(fract(a + 0.5) - 0.5) / 12.0 * TAU * r;
  float quarter = abs(fract(a / 3.0 + 0.5) - 0.5) < 0.1 ? 1.0 : 0.0;
  float inside = smoothstep(RADIUS * mix(0.84, 0.76, quarter), RADIUS * mix(0.86, 0.78, quarter), r)
    * smoothstep(RADIUS * 0.93, RADIUS * 0.91, r);
  sum += CHALK * inside * smoothstep(mix(0.018, 0.03, quarter) + soft * 0.1, 0.008, mark) * mix(0.35, 0.9, quarter);
  float hands = max(line(p, vec2(0.0, -0.14), vec2(0.0, RADIUS * 0.66), 0.05),
                    line(p, vec2(-0.14, 0.0), vec2(RADIUS * 0.5, 0.0), 0.068));
  return sum + CHALK * hands * 1.3 * (1.0 - soft);
}

/** Distance to the furniture: booth, decks, two stacks. \`n\` is the normal, \`kind\` the piece. */
float furniture(vec3 ro, vec3 rd, out vec3 n, out float kind) {
  float best = 1e5;
  vec3 m;
  kind = 0.0;
  vec3 at[7] = vec3[7](
    vec3(0.0, -0.78, 11.9), vec3(-0.78, -0.24, 11.75), vec3(0.78, -0.24, 11.75), vec3(0.0, -0.22, 11.8),
    vec3(-2.75, -0.2, 12.7), vec3(2.75, -0.2, 12.7), vec3(0.0, -1.2, 11.9));
  vec3 half_[7] = vec3[7](
    vec3(1.5, 0.47, 0.5), vec3(0.4, 0.07, 0.36), vec3(0.4, 0.07, 0.36), vec3(0.27, 0.10, 0.36),
    vec3(0.62, 1.05, 0.5), vec3(0.62, 1.05, 0.5), vec3(2.15, 0.07, 1.1));
  for (int i = 0; i < 7; i++) {
    float t = toBox(ro, rd, at[i], half_[i], m);
    if (t < best) { best = t; n = m; kind = float(i) + 1.0; }
  }
  return best;
}

/** Faces of the furniture that only take light: cones, edges. */
vec3 face(vec3 p, vec3 n, float kind) {
  vec3 base = lit(p, n) * 0.02;
  if (layer < 4.5) return base;
  if (kind > 4.5 && kind < 6.5 && n.z < -0.5) {
    vec2 c = vec2(abs(p.x) - 2.75, mod(p.y + 1.25, 0.7) - 0.35);
    float r = length(c);
    base += SIGNAL * (smoothstep(0.02, 0.004, abs(r - 0.27)) * 0.12 + smoothstep(0.02, 0.004, abs(r - 0.1)) * 0.07);
    base += SIGNAL * smoothstep(0.02, 0.0, abs(abs(p.x) - 2.15)) * 0.3;
  }
  if (kind > 6.5) base += SIGNAL * smoothstep(0.03, 0.0, abs(p.y + 1.14)) * 0.45;
  return base;
}

/** Faces that shine by themselves: slats with light running out from the middle, lamps on the decks. */
vec3 lamps(vec3 p, vec3 n, float kind) {
  if (n.z > -0.5) return vec3(0.0);
  if (kind < 1.5) {
    float slat = abs(fract(p.x * 6.0) - 0.5);
    float run = 0.5 + 0.5 * sin(TAU * (phase * 4.0 - abs(p.x) * 0.55));
    return SIGNAL * smoothstep(0.42, 0.5, slat) * (0.10 + 1.3 * run * run * run) * smoothstep(-1.24, -0.5, p.y)
      + CHALK * smoothstep(0.022, 0.008, abs(p.y + 0.335)) * 0.5;
  }
  if (kind > 4.5) return vec3(0.0);
  float cell = floor(p.x * 22.0);
  float on = step(0.6, fract(sin(cell * 12.9 + floor(p.y * 26.0) * 7.1) * 437.5 + floor(phase * 16.0) * 0.37));
  return mix(SIGNAL, CHALK, fract(cell * 0.37)) * on * smoothstep(0.3, 0.1, abs(fract(p.x * 22.0) - 0.5))
    * smoothstep(0.34, 0.1, abs(fract(p.y * 26.0) - 0.5)) * 0.8;
}

/** Light in the air along a ray up to \`reach\`: the tubes. \`soft\` widens all of it, as a rough mirror does. */
vec3 air(vec3 ro, vec3 rd, float reach, float soft) {
  vec3 sum = vec3(0.0);
  for (int i = 0; i < 5; i++) {
    vec3 a, b, c, d;
    gate(float(i), a, b, c, d);
    float level = gateLight(float(i));
    for (int j = 0; j < 3; j++) {
      float t, w = toTube(ro, rd, j == 0 ? a : j == 1 ? b : d, j == 0 ? b : c, t);
      float seen = smoothstep(reach + 0.45, reach + 0.1, t);
      float core = smoothstep(0.042 + soft, 0.014, w);
      sum += seen * (mix(SIGNAL, CHALK, 0.34) * core * level * 5.0 / (1.0 + soft * 9.0)
        + SIGNAL * level * (0.0085 / (w * w + 0.016 + soft * 0.22) + 0.007 / (w + 0.3)));
    }
  }
  return sum;
}

/** Four beams over the booth, drawn by the haze they cross. */
vec3 beams(vec3 ro, vec3 rd, float reach, float soft) {
  vec3 sum = vec3(0.0);
  for (int i = 0; i < 4; i++) {
    float k = float(i), side = k < 1.5 ? -1.0 : 1.0;
    float lean = 0.34 * sin(TAU * (phase + k * 0.25)) + side * (k == 0.0 || k == 3.0 ? 0.52 : 0.2);
    vec3 from = vec3(side * (k == 0.0 || k == 3.0 ? 2.3 : 0.85), ROOF - 0.15, 12.6);
    vec3 dir = normalize(vec3(lean, -0.82 + 0.16 * sin(TAU * (phase * 2.0 + k * 0.31)), -0.95));
    float t, w = toTube(ro, rd, from, from + dir * 9.0, t);
    vec3 q = ro + rd * t;
    float s = clamp(dot(q - from, dir), 0.0, 9.0);
    float wide = 0.035 + s * 0.075 + soft * 0.4;
    float shape = exp(-w * w / (wide * wide)) * smoothstep(reach + 0.2, reach - 0.3, t);
    if (shape < 0.002) continue;
    float haze = 0.3 + 1.2 * noise(q * vec3(1.3, 1.5, 1.1) + vec3(cos(TAU * phase), sin(TAU * phase), 0.0) * 0.7);
    float level = 0.62 + 0.38 * sin(TAU * (phase * 2.0 + k * 0.37));
    sum += mix(CHALK, SIGNAL, smoothstep(0.0, 2.6, s)) * level * haze * shape * exp(-s * 0.17)
      * 0.8 / (0.4 + s * 0.36) * (1.0 - soft * 0.5);
    float lamp = length(cross(rd, from - ro));
    sum += CHALK * level * smoothstep(0.08 + soft, 0.02, lamp) * 1.6;
  }
  return sum;
}

/** The room without its air: walls, roof, back wall with the clock, furniture. */
vec3 surface(vec3 ro, vec3 rd, float soft, out float reach, out vec3 p, out vec3 n) {
  float kind;
  vec3 m;
  reach = furniture(ro, rd, m, kind);
  float tx = (SIDE * sign(rd.x) - ro.x) / rd.x, ty = ((rd.y > 0.0 ? ROOF : FLOOR) - ro.y) / rd.y, tz = (BACK - ro.z) / rd.z;
  tx = tx > 0.0 ? tx : 1e5; ty = ty > 0.0 ? ty : 1e5; tz = tz > 0.0 ? tz : 1e5;
  float wall = min(tx, min(ty, tz));
  if (reach < wall) { p = ro + rd * reach; n = m; return face(p, m, kind); }
  reach = wall;
  p = ro + rd * wall;
  n = wall == tx ? vec3(-sign(rd.x), 0, 0) : wall == ty ? vec3(0, -sign(rd.y), 0) : vec3(0, 0, -1);
  vec2 tile = wall == tx ? p.zy : wall == ty ? p.xz : p.xy;
  float seam = smoothstep(0.0, 0.03, abs(fract(tile.x * 0.47) - 0.5)) * smoothstep(0.0, 0.03, abs(fract(tile.y * 0.58 + 0.21) - 0.5));
  float grit = 0.55 + 0.45 * noise(p * vec3(3.1, 2.3, 3.1)) * noise(p * 11.0);
  vec3 sum = lit(p, n) * 0.034 * grit * mix(0.45, 1.0, seam);
  if (wall == tz && layer > 4.5) sum += clock(p.xy - RING.xy, soft);
  return sum;
}

vec3 looking() {
  return normalize(vec3((gl_FragCoord.xy * 2.0 - size) / size.y - shift, zoom));
}

/** Reflects a ray on the wet floor, with strength and blur. False when it hit something else first. */
bool mirror(vec3 rd, float reach, out vec3 p, out vec3 on, out float share, out float rough) {
  p = EYE + rd * reach;
  if (p.y > FLOOR + 0.01 || rd.y > 0.0) return false;
  float wet = noise(vec3(p.xz * vec2(0.8, 0.5), 2.0)) * 0.6 + noise(vec3(p.xz * 2.7, 5.0)) * 0.4;
  vec3 q = p * vec3(2.6, 1.0, 1.3);
  on = reflect(rd, normalize(vec3((noise(q) - 0.5) * 0.022, 1.0, (noise(q + 9.0) - 0.5) * 0.022)));
  rough = 0.05 + 0.16 * wet;
  share = (0.10 + 0.7 * pow(1.0 - abs(rd.y), 4.0)) * mix(0.95, 0.4, wet);
  return true;
}
`;

export const LAYER = `${ROOM}
void main() {
  vec3 rd = looking(), p, n, q, m, on;
  float reach, far, share, rough;
  vec3 sum = surface(EYE, rd, 0.0, reach, p, n) + air(EYE, rd, reach, 0.0);
  if (mirror(rd, reach, p, on, share, rough))
    sum += share * (surface(p + on * 0.02, on, rough, far, q, m) + air(p, on, far, rough));
  colour = vec4(sum, 1.0);
}
`;

export const BEAMS = `${ROOM}
/** Where a ray ends, without looking at what is there. */
float depth(vec3 ro, vec3 rd) {
  float kind;
  vec3 n;
  float ty = ((rd.y > 0.0 ? ROOF : FLOOR) - ro.y) / rd.y, tx = (SIDE * sign(rd.x) - ro.x) / rd.x;
  float wall = min(min(ty > 0.0 ? ty : 1e5, tx > 0.0 ? tx : 1e5), (BACK - ro.z) / max(rd.z, 1e-4));
  return min(wall, furniture(ro, rd, n, kind));
}
void main() {
  vec3 rd = looking(), p, on;
  float reach = depth(EYE, rd), share, rough;
  vec3 sum = beams(EYE, rd, reach, 0.0);
  if (mirror(rd, reach, p, on, share, rough)) sum += share * beams(p, on, depth(p, on), rough);
  colour = vec4(sum, 1.0);
}
`;

export const FRAME = `${ROOM}
uniform sampler2D gates[5];
uniform sampler2D ring;
uniform sampler2D rays;
uniform float levels[5];
uniform float breath;

vec3 shining(vec3 ro, vec3 rd) {
  vec3 n;
  float kind, reach = furniture(ro, rd, n, kind);
  return reach > 1e4 ? vec3(0.0) : lamps(ro + rd * reach, n, kind);
}
void main() {
  vec2 at = gl_FragCoord.xy / size;
  vec3 sum = texture(ring, at).rgb * breath + texture(rays, at).rgb;
  sum += texture(gates[0], at).rgb * levels[0] + texture(gates[1], at).rgb * levels[1]
    + texture(gates[2], at).rgb * levels[2] + texture(gates[3], at).rgb * levels[3] + texture(gates[4], at).rgb * levels[4];
  vec3 rd = looking(), p, on;
  if (abs(rd.x / rd.z) < 0.2) {
    float share, rough, reach = rd.y < 0.0 ? (FLOOR - EYE.y) / rd.y : 1e5;
    vec3 front = shining(EYE, rd), n;
    float kind, met = furniture(EYE, rd, n, kind);
    sum += front;
    if (reach < met && mirror(rd, reach, p, on, share, rough)) sum += share * shining(p, on);
  }
  vec2 corner = at - 0.5;
  sum *= (1.0 - dot(corner, corner) * 0.8) * 0.92;
  sum = sum * (2.51 * sum + 0.03) / (sum * (2.43 * sum + 0.59) + 0.14);
  sum = pow(clamp(sum, 0.0, 1.0), vec3(1.0 / 2.2));
  // The page's background (#0b0b0c) is the darkest colour; half a step of grain prevents banding.
  sum = max(sum, vec3(0.043, 0.043, 0.047));
  colour = vec4(sum + (hash(vec3(gl_FragCoord.xy, 1.0)) - 0.5) * 2.0 / 255.0, 1.0);
}
`;
