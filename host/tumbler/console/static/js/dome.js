// The dice under the dome, in three dimensions: as a twin says that they lie, or, at a table without one, as the last
// result says. Parallel projection, so that each face of a die is one affine picture that the browser turns by itself.
import { svg } from "./dom.js";
import { marks } from "./dice.js";
import { FACE_UP, about, between, rotate, times } from "./turn.js";

const SCALE = 3300; // pixels a metre
const TILT = (50 * Math.PI) / 180; // how far the eye is above the plate
const SIN = Math.sin(TILT);
const COS = Math.cos(TILT);
const EYE = [0, -COS, SIN];
const LIGHT = [-0.32, -0.42, 0.85];
const HALF = 0.008; // of a die's edge
const PLATE = 0.042;
const LATE_MS = 1500; // poses older than this are not a picture of now

// face -> [normal, right, up] in the die's own frame, right-handed
export const FACES = {
  1: [[0, 0, 1], [1, 0, 0], [0, 1, 0]],
  2: [[1, 0, 0], [0, 1, 0], [0, 0, 1]],
  3: [[0, 1, 0], [0, 0, 1], [1, 0, 0]],
  4: [[0, -1, 0], [1, 0, 0], [0, 0, 1]],
  5: [[-1, 0, 0], [0, 0, 1], [0, 1, 0]],
  6: [[0, 0, -1], [0, 1, 0], [1, 0, 0]],
};
const SEATS = {
  2: [[-0.014, -0.004, 0.5], [0.015, 0.005, -0.35]],
  3: [[-0.018, -0.009, 0.35], [0.018, -0.006, -0.5], [0.001, 0.017, 0.1]],
};
const SPINNING = new Set(["spinning"]);
const still = matchMedia("(prefers-reduced-motion: reduce)");

const dot = (a, b) => a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
const flat = ([x, y, z]) => [SCALE * x, -SCALE * (y * SIN + z * COS)];
const rim = (r, z) => ({ cx: 0, cy: flat([0, 0, z])[1], rx: SCALE * r, ry: SCALE * r * SIN });

class Die {
  constructor(faces) {
    this.shadow = svg("ellipse", { class: "shadow" });
    this.group = svg("g", { class: "cube" });
    this.sides = Object.keys(FACES).map((face) => {
      const side = svg(
        "g",
        {},
        svg("rect", { class: "edge", x: -1, y: -1, width: 2, height: 2, rx: 0.12 }),
        svg("rect", { class: "body", x: -0.96, y: -0.96, width: 1.92, height: 1.92, rx: 0.3 }),
        marks(Number(face), faces),
        svg("rect", { class: "shade", x: -1, y: -1, width: 2, height: 2, rx: 0.12 }),
      );
      this.group.append(side);
      return [FACES[face], side];
    });
  }

  place({ p, q }) {
    for (const [[normal, right, up], side] of this.sides) {
      const n = rotate(q, normal);
      const seen = dot(n, EYE);
      side.setAttribute("display", seen > 0.001 ? "inline" : "none");
      if (seen <= 0.001) continue;
      const a = flat(rotate(q, right)).map((v) => v * HALF);
      const b = flat(rotate(q, up)).map((v) => -v * HALF);
      const c = flat([p[0] + n[0] * HALF, p[1] + n[1] * HALF, p[2] + n[2] * HALF]);
      side.setAttribute("transform", `matrix(${[...a, ...b, ...c].map((v) => v.toFixed(3)).join(" ")})`);
      side.lastChild.setAttribute("opacity", Math.max(0, 0.6 * (0.94 - Math.max(0, dot(n, LIGHT)))).toFixed(3));
    }
    const height = Math.max(0, p[2] - HALF);
    const [x, y] = flat([p[0] + 0.15 * height, p[1] + 0.1 * height, 0]);
    const r = SCALE * (HALF * 1.32 + height * 0.12);
    for (const [name, value] of Object.entries({ cx: x, cy: y, rx: r, ry: r * SIN })) this.shadow.setAttribute(name, value.toFixed(2));
    this.shadow.setAttribute("opacity", Math.max(0.12, 0.5 - height * 9).toFixed(3));
    this.depth = dot(p, EYE);
  }
}

export class Dome {
  constructor(parent) {
    this.shadows = svg("g", { filter: "url(#soft)" });
    this.cubes = svg("g");
    this.cover = svg(
      "g",
      { class: "cover" },
      svg("path", { class: "lid", d: this.outline(0.045, 0.062) }),
      svg("path", { class: "lid-shine", d: "M-118 -90C-112 -190 -60 -232 10 -240C-50 -220 -88 -176 -96 -84Z" }),
      svg("text", { class: "lid-text", x: 0, y: -86, "text-anchor": "middle" }, "COVERED"),
    );
    this.svg = svg(
      "svg",
      { viewBox: "-190 -282 380 424", role: "img", "aria-label": "The dice in the dome" },
      svg(
        "defs",
        {},
        svg("filter", { id: "soft", x: "-50%", y: "-50%", width: "200%", height: "200%" }, svg("feGaussianBlur", { stdDeviation: 5 })),
        svg("radialGradient", { id: "plate", cy: "40%" }, ...stops("plate", 3)),
        svg("linearGradient", { id: "brass", x2: "0", y2: "1" }, ...stops("brass", 4)),
        svg("linearGradient", { id: "lid", x2: "1", y2: "0.2" }, ...stops("lid", 4)),
      ),
      svg("ellipse", { class: "base-shadow", cx: 0, cy: 26, rx: 176, ry: 108, filter: "url(#soft)" }),
      svg("ellipse", { class: "base", ...rim(0.0505, -0.006) }),
      svg("ellipse", { class: "ring", ...rim(0.0485, 0) }),
      svg("ellipse", { class: "plate", ...rim(PLATE, 0) }),
      svg("ellipse", { class: "plate-line", ...rim(PLATE * 0.72, 0) }),
      this.shadows,
      this.cubes,
      svg("path", { class: "glass", d: this.outline(PLATE, 0.055) }),
      svg("path", { class: "glint", d: "M-112 -60C-106 -128 -74 -176 -26 -190C-62 -170 -88 -124 -92 -52Z" }),
      this.cover,
    );
    parent.append(this.svg);
    this.dice = [];
    this.frames = [];
    this.running = false;
  }

  // The silhouette of the dome: straight walls and a round top.
  outline(radius, height) {
    const r = SCALE * radius;
    const top = -SCALE * height * COS - r * SIN * 0.62;
    const foot = r * SIN;
    return `M${-r} 0C${-r} ${top * 0.86} ${-r * 0.62} ${top} 0 ${top}S${r} ${top * 0.86} ${r} 0A${r} ${foot} 0 0 1 ${-r} 0Z`;
  }

  set(table) {
    this.table = table;
    this.frames = [];
    this.dice = Array.from({ length: table.dice }, () => new Die(table.faces));
    this.shadows.replaceChildren(...this.dice.map((die) => die.shadow));
    this.cubes.replaceChildren(...this.dice.map((die) => die.group));
    this.svg.classList.toggle("twin", table.twin);
    this.svg.removeAttribute("data-faces");
    this.tumbling = false;
    this.rest([1, 2, 3].slice(0, table.dice));
  }

  // A picture of the twin at this moment; null when there is no twin any more.
  pose({ dice, cover }) {
    if (!dice) {
      this.frames = [];
      if (this.table) this.play(this.table);
      return;
    }
    this.covered(Boolean(cover));
    this.frames = [...this.frames.slice(-1), { at: performance.now(), dice }];
    this.svg.dataset.source = "twin";
    this.run();
  }

  // What the round says, where no twin says more.
  play(table) {
    const round = table.standing.round;
    const last = table.standing["result/last"];
    if (last) {
      this.svg.dataset.faces = last.faces.join(" ");
      this.svg.setAttribute("aria-label", `Last result: ${last.faces.join(", ")}`);
    }
    if (this.live()) return;
    this.svg.dataset.source = "results";
    this.covered(Boolean(round?.inputs?.includes("cover_closed")));
    this.tumbling = SPINNING.has(round?.round) && !still.matches;
    if (this.tumbling) this.run();
    else if (last) this.rest(last.faces);
  }

  live() {
    return this.frames.length > 0 && performance.now() - this.frames.at(-1).at < LATE_MS;
  }

  covered(closed) {
    this.cover.classList.toggle("closed", closed);
  }

  rest(faces) {
    const seats = SEATS[this.dice.length] ?? SEATS[3];
    this.draw(
      faces.slice(0, this.dice.length).map((face, i) => {
        const [x, y, turn] = seats[i];
        return { p: [x, y, HALF], q: times(about([0, 0, 1], turn), FACE_UP[face]) };
      }),
    );
  }

  draw(poses) {
    poses.forEach((pose, i) => this.dice[i]?.place(pose));
    const order = [...this.dice].sort((a, b) => (a.depth ?? 0) - (b.depth ?? 0));
    if (order.some((die, i) => this.cubes.children[i] !== die.group)) this.cubes.append(...order.map((die) => die.group));
  }

  run() {
    if (this.running) return;
    this.running = true;
    const step = (now) => {
      this.running = this.frame(now);
      if (this.running) requestAnimationFrame(step);
    };
    requestAnimationFrame(step);
  }

  // One picture; false when nothing moves and the page may rest.
  frame(now) {
    if (this.frames.length) {
      const [from, to = from] = this.frames;
      const span = Math.max(1, to.at - from.at);
      const part = Math.min(1, (now - to.at) / span);
      if (to.dice.length !== this.dice.length) return false;
      this.draw(
        to.dice.map((die, i) => ({
          p: die.p.map((v, k) => from.dice[i].p[k] + (v - from.dice[i].p[k]) * Math.max(0, part)),
          q: between(from.dice[i].q, die.q, Math.max(0, part)),
        })),
      );
      return part < 1 || this.live();
    }
    if (this.tumbling) this.draw(this.dice.map((_, i) => this.tossed(i, now / 1000)));
    return this.tumbling;
  }

  // A made-up tumble: only to say "they are being shaken", never taken for a result.
  tossed(i, t) {
    const phase = i * 2.1;
    const angle = phase + t * 2.3;
    const hop = Math.abs(Math.sin(t * 7.5 + phase));
    const p = [0.017 * Math.cos(angle), 0.017 * Math.sin(angle * 1.1), HALF * 1.25 + 0.022 * hop];
    const q = times(about([1, 0.4 + 0.3 * i, 0.2], t * (8 + i)), about([0.2, 1, 0.5], t * 5.3 + phase));
    return { p, q };
  }
}

function stops(name, count) {
  return Array.from({ length: count }, (_, i) => svg("stop", { offset: count > 1 ? i / (count - 1) : 0, class: `${name}-${i}` }));
}
