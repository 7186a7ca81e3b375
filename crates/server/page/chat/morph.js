// Turns DOM nodes into others with as few changes as possible, so that selection, scroll position and
// focus survive. Text that grows is appended to, which keeps a selection inside it (decision 0015).

/** Makes the nodes `old` at the end of `parent` like `fresh`; returns the nodes that are there now. */
export function morphNodes(parent, old, fresh) {
  const now = fresh.map((node, index) => {
    const was = old[index];
    if (was) return morphNode(was, node);
    parent.append(node);
    return node;
  });
  for (const node of old.slice(fresh.length)) node.remove();
  return now;
}

/** Puts a finished entry's text into the element in which it was being written; returns the element to show. */
export function morphEntry(was, entry) {
  const [from, to] = [was, entry].map((node) => node.querySelector(":scope > .text"));
  if (!from || !to) return entry;
  copyAttributes(from, to);
  morphNodes(from, [...from.childNodes], [...to.childNodes]);
  copyAttributes(was, entry);
  was.querySelector(":scope > .under")?.replaceWith(entry.querySelector(":scope > .under") ?? "");
  return was;
}

function morphNode(was, node) {
  if (was.nodeName !== node.nodeName) {
    was.replaceWith(node);
    return node;
  }
  // What a script has drawn there stays as long as it was drawn from the same.
  if (was.dataset?.kept && was.dataset.kept === node.dataset.kept) return was;
  if (was.nodeType === Node.ELEMENT_NODE) {
    copyAttributes(was, node);
    morphNodes(was, [...was.childNodes], [...node.childNodes]);
  } else if (node.data.startsWith(was.data)) {
    if (node.data !== was.data) was.appendData(node.data.slice(was.data.length));
  } else {
    was.data = node.data;
  }
  return was;
}

function copyAttributes(was, node) {
  // Whether a part is open is the person's choice.
  const names = (one) => one.getAttributeNames().filter((name) => name !== "open" || one.nodeName !== "DETAILS");
  for (const name of names(was)) if (!node.hasAttribute(name)) was.removeAttribute(name);
  for (const name of names(node))
    if (was.getAttribute(name) !== node.getAttribute(name)) was.setAttribute(name, node.getAttribute(name));
}
