// What the scripts of these tests share.

/** The first visible element that fits "css" or "css >> words in it or its name". */
const find = (what) => {
  const seen = (element) => element.checkVisibility({ visibilityProperty: true });
  const [css, words] = what.split(" >> ");
  const fits = (element) =>
    !words || [element.getAttribute("aria-label"), element.textContent].some((text) => text?.includes(words));
  return [...document.querySelectorAll(css)].find((element) => seen(element) && fits(element));
};

/**
 * Waits until `look` gives something; looks at each change of the page and at each frame.
 * `what` is waited for, in words or as what gives them at the end.
 */
const until = (look, what) =>
  new Promise((done, fail) => {
    const end = (how, value) => (observer.disconnect(), clearTimeout(timer), (over = true), how(value));
    const check = () => {
      const found = look();
      if (found && !over) end(done, found === true ? true : found);
    };
    const frame = () => over || (check(), requestAnimationFrame(frame));
    let over = false;
    const observer = new MutationObserver(check);
    observer.observe(document, { subtree: true, childList: true, attributes: true, characterData: true });
    const seen = () => document.body.innerText.slice(0, 3000);
    const timer = setTimeout(() => end(fail, new Error(`never came: ${typeof what === "function" ? what() : what}\n--- the page:\n${seen()}`)), 25000);
    frame();
  });

/** The middle of an element that can be clicked there: shown, not covered, not shut. */
const middle = (what) =>
  until(() => {
    const element = find(what);
    if (!element || element.disabled) return null;
    element.scrollIntoView({ block: "nearest", inline: "nearest", behavior: "instant" });
    const { x, y, width, height } = element.getBoundingClientRect();
    const at = [x + width / 2, y + height / 2];
    const top = document.elementFromPoint(...at);
    if (!element.contains(top)) return null;
    window.clicked = false;
    const heard = ({ target }) => (window.clicked = Boolean(find(what)?.contains(target)));
    document.addEventListener("click", heard, { once: true, capture: true });
    return at;
  }, what);
