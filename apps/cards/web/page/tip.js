// The one tooltip of the page. It waits a moment before it comes, and never leaves the window.

const WAIT_MS = 150;
const GAP = 8;

const tip = () => document.getElementById("tip");

let timer = 0;
let shownFor = null;

export function hideTip() {
  clearTimeout(timer);
  tip().hidden = true;
  shownFor?.removeAttribute("aria-describedby");
  shownFor = null;
}

/** Shows what `fill` gives, beside the element. */
export function showTip(element, fill) {
  clearTimeout(timer);
  if (shownFor === element) return;
  hideTip();
  shownFor = element;
  element.setAttribute("aria-describedby", "tip");
  const box = tip();
  box.replaceChildren(...fill());
  box.hidden = false;
  place(box, element.getClientRects()[0] ?? element.getBoundingClientRect());
}

/** The same after a moment, if nothing else is pointed at by then. */
export function showTipSoon(element, fill) {
  clearTimeout(timer);
  timer = setTimeout(() => showTip(element, fill), WAIT_MS);
}

export function hideTipSoon() {
  clearTimeout(timer);
  timer = setTimeout(hideTip, WAIT_MS);
}

function place(box, { left, top, bottom, width }) {
  const room = document.documentElement;
  const x = left + width / 2 - box.offsetWidth / 2;
  const above = top - box.offsetHeight - GAP;
  box.style.setProperty("left", `${Math.max(GAP, Math.min(x, room.clientWidth - box.offsetWidth - GAP))}px`);
  box.style.setProperty("top", `${above > GAP ? above : Math.min(bottom + GAP, room.clientHeight - box.offsetHeight - GAP)}px`);
}
