// Joins the parts of the page: what the daemon says goes into one picture, each part draws its piece of it.
import { connect } from "./socket.js";
import { Dome } from "./dome.js";
import { Felt } from "./felt.js";
import { drawRound } from "./round.js";
import { drawRoad } from "./road.js";
import { drawHealth, drawAuthority, drawEvents, drawChips } from "./health.js";
import { $, el, fill } from "./dom.js";

const GAMES = 48;
const EVENTS = 40;
const GAME_LEAVES = { result: "result", "event/no_spin": "no_spin", "event/refused": "refused" };

const picture = { site: "", version: "", words: {}, tables: new Map(), shown: null };
const dome = new Dome($("dome"));
const felt = new Felt($("felt"));
let drawing = 0;

function hello(message) {
  picture.site = message.site;
  picture.version = message.version;
  picture.words = message.words;
  picture.tables = new Map(message.tables.map((table) => [table.id, table]));
  const wanted = decodeURIComponent(location.hash.slice(1));
  show(picture.tables.has(wanted) ? wanted : message.tables[0]?.id);
}

function say({ table: id, leaf, payload }) {
  const table = picture.tables.get(id);
  if (!table) return;
  if (leaf in GAME_LEAVES && payload.result_id) keep(table.games, { kind: GAME_LEAVES[leaf], ...payload }, GAMES);
  if (leaf === "event/void") {
    const game = table.games.find((one) => one.result_id === payload.result_id);
    if (game) game.void = payload.cause;
  }
  if (leaf.startsWith("event/")) keep(table.events, { kind: leaf.slice(6), ...payload }, EVENTS);
  else if (leaf !== "result") table.standing[leaf] = payload;
  if (id === picture.shown) drawSoon();
}

function keep(list, entry, most) {
  list.push(entry);
  if (list.length > most) list.shift();
}

function show(id) {
  picture.shown = id;
  const table = picture.tables.get(id);
  drawTabs();
  if (!table) return;
  felt.lay(table);
  dome.set(table);
  drawSoon();
}

// Many messages of one moment are one drawing; a hidden page draws when it is looked at again.
function drawSoon() {
  if (!drawing) drawing = requestAnimationFrame(draw);
}

function draw() {
  drawing = 0;
  const table = picture.tables.get(picture.shown);
  if (!table) return;
  $("where").textContent = `${picture.site} · table ${table.id} · ${picture.version}`;
  $("felt-title").textContent = table.title;
  $("felt-note").textContent = table.house;
  drawRound(table, picture.words);
  felt.light(table);
  dome.play(table);
  drawRoad(table, picture.words);
  drawHealth(table);
  drawAuthority(table, picture.words);
  drawEvents(table);
  drawChips(table);
}

function drawTabs() {
  const tabs = [...picture.tables.values()].map((table) => {
    const tab = el("button", { type: "button", role: "tab", "aria-selected": table.id === picture.shown }, table.id);
    tab.addEventListener("click", () => {
      location.hash = encodeURIComponent(table.id);
    });
    return tab;
  });
  fill($("tabs"), tabs.length > 1 ? tabs : []);
}

function connection(state, text) {
  document.body.dataset.connection = state;
  $("alarm").hidden = state === "open";
  $("alarm").textContent = text;
}

window.addEventListener("hashchange", () => {
  const wanted = decodeURIComponent(location.hash.slice(1));
  if (picture.tables.has(wanted)) show(wanted);
});

function tick() {
  $("clock").textContent = new Date().toLocaleTimeString([], { hour12: false });
  setTimeout(tick, 1000 - (Date.now() % 1000));
}

tick();
connect({
  onState: connection,
  onMessage: {
    hello,
    say,
    poses: (message) => message.table === picture.shown && dome.pose(message),
  },
});
