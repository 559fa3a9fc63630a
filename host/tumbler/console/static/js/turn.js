// Rotations as quaternions [w, x, y, z], and the few poses that a page needs without a twin. No drawing.
const R = Math.SQRT1_2;

// Which turn brings a face up; normals as in the twin: 1 +z, 2 +x, 3 +y, 4 -y, 5 -x, 6 -z.
export const FACE_UP = {
  1: [1, 0, 0, 0],
  2: [R, 0, -R, 0],
  3: [R, R, 0, 0],
  4: [R, -R, 0, 0],
  5: [R, 0, R, 0],
  6: [0, 1, 0, 0],
};

export function times([a, b, c, d], [e, f, g, h]) {
  return [a * e - b * f - c * g - d * h, a * f + b * e + c * h - d * g, a * g - b * h + c * e + d * f, a * h + b * g - c * f + d * e];
}

export const about = ([x, y, z], angle) => {
  const s = Math.sin(angle / 2) / Math.hypot(x, y, z);
  return [Math.cos(angle / 2), x * s, y * s, z * s];
};

export function rotate([w, x, y, z], [a, b, c]) {
  const tx = 2 * (y * c - z * b);
  const ty = 2 * (z * a - x * c);
  const tz = 2 * (x * b - y * a);
  return [a + w * tx + y * tz - z * ty, b + w * ty + z * tx - x * tz, c + w * tz + x * ty - y * tx];
}

// Between two poses, the short way round.
export function between(p, q, part) {
  const same = p[0] * q[0] + p[1] * q[1] + p[2] * q[2] + p[3] * q[3] < 0 ? -1 : 1;
  const mixed = p.map((value, i) => value + (same * q[i] - value) * part);
  const length = Math.hypot(...mixed) || 1;
  return mixed.map((value) => value / length);
}
