// Making elements. Text only ever goes in as text: nothing that the daemon says can become markup.
const SVG = "http://www.w3.org/2000/svg";

export const $ = (id) => document.getElementById(id);

export function el(name, attributes = {}, ...children) {
  return made(document.createElement(name), attributes, children);
}

export function svg(name, attributes = {}, ...children) {
  return made(document.createElementNS(SVG, name), attributes, children);
}

function made(element, attributes, children) {
  for (const [name, value] of Object.entries(attributes)) {
    if (value !== null && value !== undefined) element.setAttribute(name, value);
  }
  element.append(...children.flat().filter((child) => child !== null && child !== undefined));
  return element;
}

export function fill(parent, children) {
  parent.replaceChildren(...children.flat().filter((child) => child !== null && child !== undefined));
}

// Write only what changed: a live region that is written again is read aloud again.
export function setText(element, text) {
  if (element.textContent !== text) element.textContent = text;
}

// A part of the page is made anew only when what it shows has changed.
const shown = new WeakMap();
export function fillIfChanged(parent, key, children) {
  const text = JSON.stringify(key);
  if (shown.get(parent) === text) return;
  shown.set(parent, text);
  fill(parent, children());
}

export const plain = (name) => String(name ?? "").replaceAll("_", " ");

export function clock(iso) {
  const at = new Date(iso);
  return Number.isNaN(at.getTime()) ? "" : at.toLocaleTimeString([], { hour12: false });
}
