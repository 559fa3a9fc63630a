// How the parts are: chips for a glance, cards for the technician, the lock and who may lift it, the last events.
import { $, el, fillIfChanged, clock, plain } from "./dom.js";

const GOOD = "good";
const WARN = "warn";
const BAD = "bad";
const NOT_THERE = "–";

const number = (value, unit = "", digits = 0) => (typeof value === "number" ? `${value.toFixed(digits)}${unit}` : NOT_THERE);
const hash = (text) => (text ? text.slice(0, 12) : NOT_THERE);

// name -> (standing) -> [state, one line]
const PARTS = {
  Controller: ({ link }) => [link?.state === "up" ? GOOD : BAD, link?.state === "up" ? "connected" : (link?.reason ?? "unknown")],
  Broker: ({ broker }) => [broker?.connected ? GOOD : BAD, broker?.connected ? broker.detail : (broker?.detail || broker?.state || "unknown")],
  Journal: ({ health }) => {
    if (!health) return [WARN, "not looked at yet"];
    if (health.holds?.includes("journal_failed")) return [BAD, "cannot be written"];
    return [health.journal.failures ? WARN : GOOD, `${health.journal.seq} records`];
  },
  Table: ({ round }) => {
    if (!round) return [WARN, "unknown"];
    if (round.lock !== "none") return [BAD, `locked: ${plain(round.lock)}`];
    if (round.hold !== "none") return [WARN, `held: ${plain(round.hold)}`];
    return round.faults.length ? [WARN, plain(round.faults[0])] : [GOOD, "in order"];
  },
};

export function drawChips(table) {
  const chips = Object.entries(PARTS).map(([name, look]) => [name, ...look(table.standing)]);
  fillIfChanged($("chips"), chips, () =>
    chips.map(([name, state, text]) =>
      el("li", { class: `chip ${state}`, "data-part": name, title: `${name}: ${text}` }, el("i", { "aria-hidden": "true" }), el("span", {}, name), el("span", { class: "state" }, state === GOOD ? "ok" : text)),
    ),
  );
}

function facts(parent, rows) {
  fillIfChanged(parent, rows, () =>
    rows.flatMap(([name, text, state = ""]) => [el("dt", {}, name), el("dd", { class: state }, text)]),
  );
}

export function drawHealth(table) {
  const { link, health, info, broker } = table.standing;
  const rows = Object.entries(PARTS).slice(0, 2).map(([name, look]) => {
    const [state, text] = look(table.standing);
    return [name, text, state];
  });
  const controller = info?.controller;
  rows.push(["Port", link?.port ?? NOT_THERE], ["Firmware", controller ? `${controller.firmware} on ${controller.board}` : NOT_THERE]);
  rows.push(["Game table", info ? `${info.game_table}, ${hash(info.game_hash)}` : NOT_THERE]);
  if (health) {
    const { link: wire, journal, outbox, daemon } = health;
    rows.push(["Round trip", number(wire.rtt_ms, " ms", 0)], ["Link errors", `${number(wire.error_rate * 100, " %", 2)}, ${wire.retransmits} sent again`, wire.error_rate > 0.01 ? WARN : ""]);
    rows.push(["Journal", `${journal.seq} records, ${hash(journal.hash)}`, journal.failures ? WARN : ""]);
    rows.push(["Disk sync", `${number(journal.last_ms, " ms", 1)}, slowest ${number(journal.slowest_ms, " ms", 1)}`, journal.slowest_ms > 500 ? WARN : ""]);
    rows.push(["Free disk", number(journal.free_mb / 1000, " GB", 1), journal.free_mb < journal.low_mb ? BAD : ""]);
    rows.push(["Outbox", `${outbox.depth ?? "unknown"} waiting${outbox.depth ? `, ${number(outbox.age_s, " s", 0)}` : ""}`, outbox.age_s > 60 ? WARN : ""]);
    rows.push(["Broker answers", broker?.connected ? number(health.broker.ack_ms, " ms", 1) : NOT_THERE]);
    rows.push(["Daemon", `${number(daemon.rss_mb, " MB", 0)}, ${number((100 * daemon.cpu_s) / Math.max(1, daemon.uptime_s), " % of a core", 1)}`]);
    const { drift, drift_by: by } = health.controller ?? {};
    if (drift && drift !== "none") rows.push(["Camera drift", `${drift} ${by > 0 ? "+" : ""}${number(by / 10, " %", 0)} since calibration`, WARN]);
    if (health.warnings.length) rows.push(["Warnings", health.warnings.map(plain).join(", "), WARN]);
  }
  facts($("health"), rows);
}

export function drawAuthority(table, words) {
  const { round, health } = table.standing;
  const has = (input) => round?.inputs?.includes(input);
  const locked = round && round.lock !== "none";
  const rows = [
    ["Lock", !round ? NOT_THERE : locked ? (words.lock?.[round.lock] ?? plain(round.lock)) : "open for play", locked ? BAD : GOOD],
    ["Held by", [round?.hold !== "none" && round?.hold, ...(health?.holds ?? [])].filter((hold, i, all) => hold && all.indexOf(hold) === i).map(plain).join(", ") || "nobody"],
    ["Faults", round?.faults?.length ? round.faults.map((fault) => words.fault?.[fault] ?? plain(fault)).join(", ") : "none", round?.faults?.length ? WARN : ""],
    ["Supervisor key", round ? (has("supervisor") ? "turned" : "off") : NOT_THERE, has("supervisor") ? WARN : ""],
    ["Service door", round ? (has("door_closed") ? "closed" : "open") : NOT_THERE, round && !has("door_closed") ? WARN : ""],
    ["Cover", round ? (has("cover_closed") ? "closed" : "open") : NOT_THERE],
    ["Not committed", round ? `${round.pending} kept by the controller` : NOT_THERE],
    ...table.duties.map(({ duty, role, rule }) => [`To ${duty}`, `${role} or above${rule ? ` (${rule})` : ""}`, "duty"]),
  ];
  facts($("authority"), rows);
}

export function drawEvents(table) {
  const events = [...table.events].reverse().slice(0, 20);
  fillIfChanged($("events"), events.map((event) => [event.at, event.seq, event.code]), () =>
    events.length
      ? events.map((event) =>
          el("li", { class: event.severity ?? "info" }, el("time", { datetime: event.at }, clock(event.at)), el("b", {}, plain(event.kind)), el("span", {}, event.text ?? plain(event.code ?? event.cause))),
        )
      : [el("li", { class: "none" }, "nothing since the daemon started")],
  );
}
