// Where the round of play stands, and the result when there is one.
import { $, el, fillIfChanged, plain, setText } from "./dom.js";
import { flatDie } from "./dice.js";

// phase -> [what is shown large, what it means]; the steps of a round in their order come first
const STEPS = [
  ["betting_open", "Place your bets", "Bets"],
  ["spinning", "Spinning", "Spin"],
  ["no_more_bets", "No more bets", "No more"],
  ["reading", "Reading the dice", "Read"],
  ["result", "Result", "Result"],
  ["paid", "Paid", "Paid"],
];
const OTHERS = {
  boot: "Starting", self_test: "Self-test", no_spin: "No spin", locked: "Locked", closing: "Closing", service: "Service",
};
const TITLES = { ...Object.fromEntries(STEPS.map(([phase, title]) => [phase, title])), ...OTHERS };

export function drawRound(table, words) {
  const round = table.standing.round;
  const link = table.standing.link;
  const phase = round && link?.state === "up" ? round.round : "absent";
  document.body.dataset.phase = phase;
  const title = phase === "absent" ? "No controller" : TITLES[phase] ?? plain(phase);
  setText($("phase"), title);
  document.title = `${title} · ${table.id} · Tumbler`;
  setText($("phase-note"), note(table, phase, words));
  const at = STEPS.findIndex(([name]) => name === phase);
  fillIfChanged($("steps"), [phase], () =>
    STEPS.map(([name, , short], i) =>
      el("li", { class: i < at ? "past" : i === at ? "now" : "", "aria-current": i === at ? "step" : null, "data-phase": name }, short),
    ),
  );
  drawResult(table);
}

function note(table, phase, words) {
  const { round, link } = table.standing;
  if (phase === "absent") return link?.reason ?? "waiting for the controller";
  const last = table.games.at(-1);
  if (phase === "no_spin" && last?.kind === "no_spin") return `${last.text ?? plain(last.cause)} (${last.rule}). Wagers stand.`;
  if (phase === "locked") return words.lock?.[round.lock] ?? plain(round.lock);
  if (round.hold && round.hold !== "none") return `Held: ${words.hold?.[round.hold] ?? plain(round.hold)}`;
  const spin = round.spin ? `spin ${round.spin}` : "no spin yet";
  if (table.game !== "craps") return spin;
  return round.puck ? `${spin} · point ${round.puck}` : `${spin} · come-out`;
}

function drawResult(table) {
  const last = table.standing["result/last"];
  const game = table.games.find((one) => one.result_id === last?.result_id);
  fillIfChanged($("result"), [last?.result_id, game?.void, table.faces.length], () => {
    if (!last) return [el("p", { class: "none" }, "No result yet")];
    return [
      el("div", { class: "faces" }, last.faces.map((face) => flatDie(face, table.faces))),
      el("div", { class: "sum" }, el("b", {}, String(last.total)), el("span", {}, game?.void ? `void: ${game.void}` : call(table, last))),
      el("p", { class: "id" }, `spin ${last.spin} · ${last.result_id}`),
    ];
  });
}

// What a dealer would call.
export function call(table, result) {
  const won = new Set(result.winning_areas);
  if (table.game === "craps") {
    if (result.state_before === 0) return result.state_after ? `point is ${result.puck}` : won.has("pass") ? "line wins" : "craps";
    if (result.total === 7) return "seven out";
    return result.state_after === 0 ? "point made" : "no decision";
  }
  const [a, b, c] = result.faces;
  if (a === b && b === c) return table.faces.length ? `triple ${table.faces[a - 1].symbol}` : `triple ${a}`;
  const calls = [won.has("big") && "big", won.has("small") && "small", won.has("odd") && "odd", won.has("even") && "even"];
  return calls.filter(Boolean).join(", ");
}
