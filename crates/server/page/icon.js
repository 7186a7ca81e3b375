// Icons by name: the page's own are in one file, any other Lucide icon is fetched when first shown.

const ICONS = new URL("icons", import.meta.url).pathname;

const OWN = new Set(
  (
    "alert archive book branch camera chart check chevron clip clock copy dice down download edit file folder ghost inbox info key " +
    "keyboard menu message mic moon more pin play plus refresh search settings share sparkles stop sun swords tag temporary tool " +
    "trash up upload user x zap layers"
  ).split(" "),
);

export function icon(name) {
  const id = String(name || "tool");
  if (OWN.has(id.toLowerCase())) return drawn(`${ICONS}.svg#${id.toLowerCase()}`);
  if (/^[a-z][a-z0-9-]{0,63}$/i.test(id)) return drawn(`${ICONS}/${id}.svg#icon`);
  const letter = document.createElement("span");
  letter.className = "icon letter";
  letter.setAttribute("aria-hidden", "true");
  letter.textContent = [...id][0].toUpperCase();
  return letter;
}

function drawn(href) {
  const space = "http://www.w3.org/2000/svg";
  const svg = document.createElementNS(space, "svg");
  const use = document.createElementNS(space, "use");
  svg.setAttribute("class", "icon");
  svg.setAttribute("aria-hidden", "true");
  use.setAttribute("href", href);
  svg.append(use);
  return svg;
}
