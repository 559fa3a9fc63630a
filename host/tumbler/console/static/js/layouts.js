// Where each area lies on the felt, by game. Tables of area ids; what a book hasn't is left out, and what no table here
// names still gets a place at the end, so that no lamp of the table is ever missing on the page.
const range = (first, last) => Array.from({ length: last - first + 1 }, (_, i) => first + i);
const each = (wager, ons) => ons.map((on) => `${wager}:${on}`);
const PAIRS = range(1, 5).flatMap((a) => range(a + 1, 6).map((b) => `${a}&${b}`));
const SYMBOLS = ["Fish", "Prawn", "Gourd", "Coin", "Crab", "Chicken"];
const COLOURS = ["red", "green", "blue"];
const FOURS = ["6543", "6532", "5432", "4321"];

const SICBO_A = [
  { kind: "sicbo-top", title: "Big and small, doubles and triples", groups: [
    { kind: "tall", ids: ["small"] },
    { kind: "tall narrow", ids: ["odd"] },
    { kind: "doubles", ids: each("specific_double", [1, 2, 3]) },
    { kind: "triples", ids: [...each("specific_triple", [1, 2, 3]), "any_triple", ...each("specific_triple", [4, 5, 6])] },
    { kind: "doubles", ids: each("specific_double", [4, 5, 6]) },
    { kind: "tall narrow", ids: ["even"] },
    { kind: "tall", ids: ["big"] },
  ] },
  { kind: "totals", title: "Totals", ids: each("total", range(4, 17)) },
  { kind: "pairs", title: "Two dice", ids: each("pair", PAIRS) },
  { kind: "fours", title: "Three of four", ids: each("three_of_four", FOURS) },
  { kind: "singles", title: "Single", ids: each("single", range(1, 6)) },
];

const SICBO_B = [
  { kind: "sicbo-top-b", title: "Big and small, triples", groups: [
    { kind: "tall", ids: ["small"] },
    { kind: "symbols", ids: each("specific_symbol_triple", SYMBOLS) },
    { kind: "anys", ids: ["any_symbol_triple", "any_colour_triple"] },
    { kind: "colours", ids: each("specific_colour_triple", COLOURS) },
    { kind: "tall", ids: ["big"] },
  ] },
  { kind: "totals", title: "Totals", ids: each("total", range(4, 17)) },
  { kind: "colour-row", title: "Colours", ids: [...each("specific_colour_double", COLOURS), ...each("single_colour", COLOURS)] },
  { kind: "singles", title: "Single", ids: each("single_symbol", SYMBOLS) },
];

const NUMBER_ROWS = ["dont_come", "dont_come_odds", "lay", "place_lose", "buy", "come", "come_odds", "place_win"];

const craps = (points) => [
  { kind: "numbers", title: "Numbers", columns: points.map((n) => ({ number: n, ids: NUMBER_ROWS.map((wager) => `${wager}:${n}`) })) },
  { kind: "lines", title: "Lines", ids: ["come", "dont_come", "field", "big6", "big8", "pass", "pass_odds", "dont_pass", "dont_pass_odds"] },
  { kind: "props", title: "Hardways and one roll", ids: [
    ...each("hardway", [4, 6, 8, 10]), "any_hard", "any_seven", "any_craps", "craps_two", "craps_three", "craps_twelve", "eleven",
    "horn", ...each("horn_high", [2, 3, 11, 12]), "c_and_e", "world",
  ] },
];

const ids = (band) => [...(band.ids ?? []), ...(band.groups ?? band.columns ?? []).flatMap((group) => group.ids)];

export function layoutOf(table) {
  const bands = table.game === "craps" ? craps(table.points) : table.faces.length ? SICBO_B : SICBO_A;
  const placed = new Set(bands.flatMap(ids));
  const others = table.areas.map((area) => area.id).filter((id) => !placed.has(id));
  return others.length ? [...bands, { kind: "others", title: "Others", ids: others }] : bands;
}
