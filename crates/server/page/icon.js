// Our own few icons by name; a Lucide name that is not among them shows its first letter.

const SPRITE = new URL("icons.svg", import.meta.url).pathname;

const OWN = new Set(
  (
    "alert archive book branch chart check chevron compass copy down edit fist ghost heart key menu " +
    "message moon more play plus refresh search settings smile sparkles stop sun tool trash up user " +
    "wallet x zap dice clock download upload"
  ).split(" "),
);

/** Lucide spells some of these in another way. */
const ALIAS = {
  "trash-2": "trash",
  "user-round": "user",
  users: "user",
  wrench: "tool",
  hammer: "tool",
  "dollar-sign": "wallet",
  coins: "wallet",
  banknote: "wallet",
  "book-open": "book",
  notebook: "book",
  library: "book",
  pencil: "edit",
  "pen-line": "edit",
  "message-circle": "message",
  "message-square": "message",
  mail: "message",
  swords: "zap",
  sword: "zap",
  "dice-5": "dice",
  dices: "dice",
  timer: "clock",
  "alarm-clock": "clock",
  "refresh-cw": "refresh",
  "heart-pulse": "heart",
  "alert-triangle": "alert",
  "triangle-alert": "alert",
  "git-branch": "branch",
  cog: "settings",
  "hand-fist": "fist",
  "notebook-pen": "book",
  "bar-chart": "chart",
  laugh: "smile",
  meh: "smile",
  wand: "sparkles",
  "wand-sparkles": "sparkles",
};

export function icon(name) {
  const kebab = String(name || "tool")
    .replace(/([a-z])([A-Z0-9])/g, "$1-$2")
    .toLowerCase();
  const id = ALIAS[kebab] ?? kebab;
  if (OWN.has(id)) return sprite(id);
  const letter = document.createElement("span");
  letter.className = "icon letter";
  letter.setAttribute("aria-hidden", "true");
  letter.textContent = [...String(name)][0].toUpperCase();
  return letter;
}

function sprite(id) {
  const space = "http://www.w3.org/2000/svg";
  const svg = document.createElementNS(space, "svg");
  const use = document.createElementNS(space, "use");
  svg.setAttribute("class", "icon");
  svg.setAttribute("aria-hidden", "true");
  use.setAttribute("href", `${SPRITE}#${id}`);
  svg.append(use);
  return svg;
}
