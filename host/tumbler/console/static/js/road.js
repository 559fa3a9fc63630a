// The last games, newest first: what fell, what it was called, and every spin that did not count with its reason.
import { $, el, fillIfChanged, clock, plain, setText } from "./dom.js";
import { flatDie } from "./dice.js";
import { call } from "./round.js";

export function drawRoad(table, words) {
  const games = [...table.games].reverse();
  const results = games.filter((game) => game.kind === "result");
  setText($("road-note"), summary(table, results, games.length));
  fillIfChanged($("road"), games.map((game) => [game.result_id, game.void]), () => games.map((game) => card(table, game, words)));
}

function summary(table, results, games) {
  if (!results.length) return "";
  const count = (area) => results.filter((game) => game.winning_areas.includes(area)).length;
  const spoiled = games - results.length;
  const rest = spoiled ? ` · ${spoiled} no spin` : "";
  if (table.game === "craps") return `${results.filter((game) => game.total === 7).length} sevens in ${results.length}${rest}`;
  const triples = results.filter((game) => new Set(game.faces).size === 1).length;
  return `big ${count("big")} · small ${count("small")} · triple ${triples}${rest}`;
}

function tone(table, game) {
  if (game.void) return "void";
  if (game.kind !== "result") return "spoiled";
  if (table.game === "craps") return game.total === 7 ? "seven" : game.state_before && !game.state_after ? "made" : "plain";
  if (new Set(game.faces).size === 1) return "triple";
  return game.winning_areas.includes("big") ? "big" : "small";
}

function card(table, game, words) {
  const head = el("span", { class: "spin" }, `#${game.spin}`);
  const time = el("time", { datetime: game.at }, clock(game.at));
  if (game.kind !== "result") {
    const why = game.kind === "no_spin" ? (words.cause?.[game.cause] ?? plain(game.cause)) : game.text;
    const name = game.kind === "no_spin" ? "NO SPIN" : "REFUSED";
    return el("li", { class: "game spoiled", title: `${why} · ${game.rule}`, "data-result": game.result_id }, head, el("b", { class: "no" }, name), el("span", { class: "why" }, plain(game.cause ?? game.code)), time);
  }
  return el(
    "li",
    { class: `game ${tone(table, game)}`, "data-result": game.result_id },
    head,
    el("span", { class: "faces" }, game.faces.map((face) => flatDie(face, table.faces))),
    el("b", { class: "total" }, String(game.total)),
    el("span", { class: "why" }, game.void ? "void" : call(table, game)),
    time,
  );
}
