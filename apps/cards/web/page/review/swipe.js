// Swipes on a card: it follows the finger and, let go far enough, goes left or right.

/** From here on a movement is a swipe, and from there on it counts. */
const BEGINS = 12;
const COUNTS = 90;

/** Calls `done("left")` or `done("right")`; `label` says what that would mean, or null for nothing. */
export function swipe(face, label, done) {
  let from = null;
  let away = 0;

  const reset = () => {
    from = null;
    away = 0;
    face.style.removeProperty("translate");
    face.style.removeProperty("rotate");
    delete face.dataset.swipe;
    face.classList.remove("swiping");
  };

  face.addEventListener("pointerdown", (event) => {
    if (event.isPrimary && event.button === 0 && !event.target.closest("button, a")) from = { x: event.clientX, y: event.clientY, id: event.pointerId };
  });

  face.addEventListener("pointermove", (event) => {
    if (event.pointerId !== from?.id) return;
    away = event.clientX - from.x;
    const side = away < 0 ? "left" : "right";
    if (!face.classList.contains("swiping")) {
      if (Math.abs(away) < BEGINS || Math.abs(event.clientY - from.y) > Math.abs(away) || label(side) === null) return;
      face.classList.add("swiping");
      face.setPointerCapture(from.id);
    }
    face.style.setProperty("translate", `${away}px 0`);
    face.style.setProperty("rotate", `${away / 40}deg`);
    face.dataset.side = side;
    face.dataset.swipe = Math.abs(away) >= COUNTS ? label(side) : "";
  });

  face.addEventListener("pointerup", (event) => {
    if (event.pointerId !== from?.id) return;
    const [side, counts] = [away < 0 ? "left" : "right", face.classList.contains("swiping") && Math.abs(away) >= COUNTS];
    const moved = face.classList.contains("swiping");
    reset();
    if (moved) face.addEventListener("click", (click) => click.stopImmediatePropagation(), { capture: true, once: true });
    if (counts) done(side);
  });
  face.addEventListener("pointercancel", reset);
}
