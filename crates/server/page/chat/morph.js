// Turns nodes into others by changing as little as possible, so that what a person has selected,
// scrolled or focused stays.

/** Makes the nodes `old` at the end of `parent` like `fresh`; gives the nodes that are there now. */
export function morph(parent, old, fresh) {
  const now = fresh.map((node, index) => {
    const was = old[index];
    if (was) return alike(was, node);
    parent.append(node);
    return node;
  });
  for (const node of old.slice(fresh.length)) node.remove();
  return now;
}

/** Puts what a finished entry says into the element in which it was being written. */
export function settle(was, entry) {
  const [from, to] = [was, entry].map((node) => node.querySelector(":scope > .text"));
  if (!from || !to) return entry;
  attributes(from, to);
  morph(from, [...from.childNodes], [...to.childNodes]);
  attributes(was, entry);
  was.querySelector(":scope > .acts")?.replaceWith(entry.querySelector(":scope > .acts") ?? "");
  return was;
}

function alike(was, node) {
  if (was.nodeName !== node.nodeName) {
    was.replaceWith(node);
    return node;
  }
  if (was.nodeType === Node.ELEMENT_NODE) {
    attributes(was, node);
    morph(was, [...was.childNodes], [...node.childNodes]);
  } else if (node.data.startsWith(was.data)) {
    if (node.data !== was.data) was.appendData(node.data.slice(was.data.length));
  } else {
    was.data = node.data;
  }
  return was;
}

function attributes(was, node) {
  for (const name of was.getAttributeNames()) if (!node.hasAttribute(name)) was.removeAttribute(name);
  for (const name of node.getAttributeNames())
    if (was.getAttribute(name) !== node.getAttribute(name)) was.setAttribute(name, node.getAttribute(name));
}
