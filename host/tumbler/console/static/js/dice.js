// What a die's faces look like: pips in the Asian manner (one and four are red), or the six symbols of option B.
// Every face is drawn in a square from -1 to 1, y down; who shows it turns and scales it.
import { svg } from "./dom.js";

const SPOTS = {
  1: [[0, 0]],
  2: [[-1, -1], [1, 1]],
  3: [[-1, -1], [0, 0], [1, 1]],
  4: [[-1, -1], [1, -1], [-1, 1], [1, 1]],
  5: [[-1, -1], [1, -1], [0, 0], [-1, 1], [1, 1]],
  6: [[-1, -1], [1, -1], [-1, 0], [1, 0], [-1, 1], [1, 1]],
};
const STEP = 0.5;
const RED = new Set([1, 4]);

// name -> shapes: [element, attributes]; filled with the symbol's colour, "cut" with the die's
const SYMBOLS = {
  Fish: [
    ["path", { d: "M-.62 0C-.4-.42.2-.42.42 0 .2.42-.4.42-.62 0Z" }],
    ["path", { d: "M.3 0 .72-.34V.34Z" }],
    ["circle", { cx: -0.34, cy: -0.07, r: 0.075, class: "cut" }],
  ],
  Prawn: [
    ["path", { d: "M-.5-.42C.1-.62.62-.3.56.16.5.5.2.62-.06.58L0 .36C.16.36.28.28.28.1.28-.16-.06-.26-.5-.18Z" }],
    ["path", { d: "M-.06.46-.4.36-.3.58-.42.76-.04.66Z" }],
    ["path", { d: "M-.46-.36-.78-.62M-.46-.3-.8-.36", fill: "none", stroke: "currentColor", "stroke-width": 0.06 }],
    ["circle", { cx: -0.3, cy: -0.32, r: 0.06, class: "cut" }],
  ],
  Gourd: [
    ["circle", { cx: 0, cy: 0.3, r: 0.4 }],
    ["circle", { cx: 0, cy: -0.22, r: 0.27 }],
    ["path", { d: "M0-.44C0-.62.1-.7.24-.72", fill: "none", stroke: "currentColor", "stroke-width": 0.1 }],
    ["path", { d: "M-.24.02H.24", stroke: "currentColor", "stroke-width": 0.12 }],
  ],
  Coin: [
    ["circle", { cx: 0, cy: 0, r: 0.62 }],
    ["circle", { cx: 0, cy: 0, r: 0.5, class: "cut", "fill-opacity": 0.25 }],
    ["rect", { x: -0.18, y: -0.18, width: 0.36, height: 0.36, class: "cut" }],
  ],
  Crab: [
    ["ellipse", { cx: 0, cy: 0.14, rx: 0.46, ry: 0.32 }],
    ["path", { d: "M-.4-.02-.62-.3M.4-.02.62-.3M-.42.24-.72.34M.42.24.72.34M-.34.36-.58.6M.34.36.58.6", stroke: "currentColor", "stroke-width": 0.09, fill: "none" }],
    ["path", { d: "M-.5-.28A.2.2 0 1 1-.78-.54L-.64-.42Z" }],
    ["path", { d: "M.5-.28A.2.2 0 1 0 .78-.54L.64-.42Z" }],
    ["circle", { cx: -0.14, cy: 0, r: 0.06, class: "cut" }],
    ["circle", { cx: 0.14, cy: 0, r: 0.06, class: "cut" }],
  ],
  Chicken: [
    ["path", { d: "M-.34-.2C-.34-.56.06-.6.1-.26.2 0 .5-.06.66-.36.72.2.46.52.06.52-.3.52-.44.24-.34-.2Z" }],
    ["path", { d: "M-.3-.42-.34-.68-.2-.56-.1-.74-.02-.54.1-.6.04-.4Z" }],
    ["path", { d: "M-.36-.24-.6-.14-.36-.1Z" }],
    ["path", { d: "M-.04.5V.76M.16.5V.76", stroke: "currentColor", "stroke-width": 0.09 }],
    ["circle", { cx: -0.16, cy: -0.3, r: 0.06, class: "cut" }],
  ],
};

export function symbol(name) {
  return (SYMBOLS[name] ?? []).map(([shape, attributes]) => svg(shape, attributes));
}

// What is on a face, without the die's own square.
export function marks(face, faces = []) {
  const drawn = faces[face - 1];
  if (drawn) return svg("g", { class: `symbol ${drawn.colour}` }, symbol(drawn.symbol));
  const r = face === 1 ? 0.3 : 0.19;
  const colour = RED.has(face) ? "pip red" : "pip";
  return svg("g", { class: colour }, SPOTS[face].map(([x, y]) => svg("circle", { cx: x * STEP, cy: y * STEP, r })));
}

// A flat die as seen from above, for the layout and the lists.
export function flatDie(face, faces = []) {
  const title = faces[face - 1]?.symbol ?? String(face);
  return svg(
    "svg",
    { class: "die", viewBox: "-1.08 -1.08 2.16 2.16", role: "img", "aria-label": title },
    svg("rect", { class: "body", x: -1, y: -1, width: 2, height: 2, rx: 0.34 }),
    marks(face, faces),
  );
}
