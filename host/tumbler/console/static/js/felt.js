// The layout: every area of the book in its place, lit while its lamps are lit. Says it in words too, not by colour alone.
import { el, fill, svg } from "./dom.js";
import { flatDie, symbol } from "./dice.js";
import { layoutOf } from "./layouts.js";

const LIT = new Set(["result", "paid"]); // phases in which the lamps show a result
const WORDS = {
  big: ["BIG", "11 to 17"], small: ["SMALL", "4 to 10"], odd: ["ODD", ""], even: ["EVEN", ""], any_triple: ["ANY TRIPLE", ""],
  any_symbol_triple: ["ANY SYMBOL", "triple"], any_colour_triple: ["ANY COLOUR", "triple"],
};
const COUNT = { specific_triple: 3, specific_double: 2, single: 1, specific_symbol_triple: 3, single_symbol: 1 };

export class Felt {
  constructor(parent) {
    this.parent = parent;
    this.areas = new Map();
  }

  lay(table) {
    this.table = table;
    this.known = new Map(table.areas.map((area) => [area.id, area]));
    this.areas.clear();
    this.pucks = new Map();
    this.parent.className = `felt ${table.game} ${table.faces.length ? "symbols" : "numbers"}`;
    fill(this.parent, [...layoutOf(table).map((band) => this.band(band)), this.bonus(table)]);
  }

  band(band) {
    const inside = band.groups
      ? band.groups.map((group) => el("div", { class: `group ${group.kind}` }, this.cells(group.ids)))
      : band.columns
        ? band.columns.map((column) => this.column(column))
        : this.cells(band.ids);
    return el("div", { class: `band ${band.kind}`, role: "group", "aria-label": band.title }, inside);
  }

  column({ number, ids }) {
    const puck = el("span", { class: "puck", hidden: "" }, "ON");
    this.pucks.set(number, puck);
    return el("div", { class: "column" }, el("div", { class: "number" }, el("b", {}, String(number)), puck), this.cells(ids));
  }

  cells(ids) {
    return ids.filter((id) => this.known.has(id)).map((id) => this.cell(this.known.get(id)));
  }

  cell(area) {
    const label = [area.name, area.on].filter(Boolean).join(" ");
    const cell = el(
      "div",
      { class: `area ${area.wager}`, "data-area": area.id, role: "img", "aria-label": `${label}, pays ${area.odds}`, title: `${label} · ${area.odds} · rule ${area.rule}` },
      el("span", { class: "lamp", "aria-hidden": "true" }),
      this.face(area),
      el("span", { class: "odds" }, area.odds),
    );
    this.areas.set(area.id, { cell, label: `${label}, pays ${area.odds}` });
    return cell;
  }

  // What is printed on the area.
  face(area) {
    const { wager, on } = area;
    const faces = this.table.faces;
    const dice = (list) => el("span", { class: "dice" }, list.map((face) => flatDie(face, faces)));
    if (WORDS[wager]) return el("span", { class: "name" }, el("b", {}, WORDS[wager][0]), el("small", {}, WORDS[wager][1]));
    if (wager === "total") return el("span", { class: "total" }, on);
    if (wager === "pair") return dice(on.split("&").map(Number));
    if (wager === "three_of_four") return dice([...on].map(Number));
    if (faces.length && COUNT[wager]) {
      const face = faces.findIndex((one) => one.symbol === on) + 1;
      return el("span", { class: "name" }, dice(Array(COUNT[wager]).fill(face)), el("small", {}, on));
    }
    if (COUNT[wager]) return dice(Array(COUNT[wager]).fill(Number(on)));
    if (faces.length && on) {
      const swatch = svg("svg", { class: `swatch ${on}`, viewBox: "-1 -1 2 2", "aria-hidden": "true" }, svg("g", {}, symbol("Coin")));
      return el("span", { class: "name" }, swatch, el("small", {}, `${area.name.replace("Specific ", "")} ${on}`));
    }
    if (wager === "hardway") return el("span", { class: "name" }, dice([on / 2, on / 2]), el("small", {}, area.name));
    return el("span", { class: "name" }, el("b", {}, area.name), !on || this.table.points.includes(Number(on)) ? null : el("small", {}, on));
  }

  bonus(table) {
    this.lamps = [];
    if (!table.bonus.length) return null;
    const rows = table.bonus.map((bet) =>
      el("div", { class: "bonus" }, el("b", {}, bet.name), bet.numbers.map((number) => {
        const lamp = el("span", { class: "collected" }, String(number));
        this.lamps.push(lamp);
        return lamp;
      })),
    );
    return el("div", { class: "band bonus-band", role: "group", "aria-label": "Bonus bets: numbers collected" }, rows);
  }

  light(table) {
    const { round, "result/last": last } = table.standing;
    const won = new Set(last?.winning_areas ?? []);
    const lit = Boolean(last) && LIT.has(round?.round) && round.spin === last.spin;
    for (const [id, { cell, label }] of this.areas) {
      const wins = won.has(id);
      cell.classList.toggle("lit", wins && lit);
      cell.classList.toggle("won", wins && !lit);
      cell.setAttribute("aria-label", wins ? `${label}: ${lit ? "wins" : "won last"}` : label);
    }
    const puck = round?.puck ?? 0;
    for (const [number, mark] of this.pucks) mark.hidden = number !== puck;
    this.parent.dataset.puck = puck;
    this.parent.dataset.lit = lit;
    const collected = round?.collected ?? 0;
    this.lamps.forEach((lamp, bit) => lamp.classList.toggle("lit", Boolean((collected >> bit) & 1)));
  }
}
