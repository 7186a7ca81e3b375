// A service worker: keeps the files of the page, so that reviews open without a connection.
//
// Its own address has the version of the files that it keeps. A new version is a new worker, which
// forgets the old files. The page itself comes from the server whenever that answers, with the
// login that it asks for; so old code runs only where there is no connection.

const PAGE = "/cards";
/** `/assets/VERSION`; the worker is in the folder `cards` below it. */
const FILES = location.pathname.slice(0, location.pathname.indexOf("/cards/"));
const KEPT = `cards-${FILES.split("/").pop()}`;

addEventListener("install", (event) => event.waitUntil(keep().then(() => skipWaiting())));
addEventListener("activate", (event) => event.waitUntil(forget().then(() => clients.claim())));

addEventListener("fetch", (event) => {
  const { request } = event;
  const { origin, pathname } = new URL(request.url);
  if (request.method !== "GET" || origin !== location.origin) return;
  if (request.mode === "navigate" && pathname === PAGE) event.respondWith(page(request));
  else if (pathname.startsWith(`${FILES}/`)) event.respondWith(file(request, pathname));
});

async function page(request) {
  try {
    return await fetch(request);
  } catch (fault) {
    const kept = await caches.match(PAGE, { cacheName: KEPT });
    if (kept) return kept;
    throw fault;
  }
}

/** Files with a version never change. */
const file = async (request, pathname) => (await caches.match(pathname, { cacheName: KEPT })) ?? fetch(request);

/** Keeps the page and every file that it leads to, or nothing. */
async function keep() {
  const paths = [PAGE, `${FILES}/icons.svg`];
  const answers = [];
  for (const path of paths) {
    const answer = await fetch(path);
    if (!answer.ok) throw new Error(`${path}: ${answer.status}`);
    answers.push([path, answer.clone()]);
    const text = await answer.text();
    if (path === PAGE && !text.includes(`"${FILES}/cards/app.js"`)) throw new Error("the page has another version");
    for (const next of named(text, path)) if (!paths.includes(next)) paths.push(next);
  }
  const place = await caches.open(KEPT);
  for (const [path, answer] of answers) await place.put(path, answer);
}

/**
 * The files of this version that a page or a module names. What a module loads later counts only in
 * the modules of this page: the shared ones load parts of other pages.
 */
function named(text, path) {
  const isOurs = path === PAGE || path.startsWith(`${FILES}/cards/`);
  const names = [...text.matchAll(/(?:href|src)="([^"#]+)|(?:from|import) ?(\(?)"([^"]+\.js)"/g)];
  const wanted = names.filter(([, , isLater]) => isOurs || !isLater);
  const found = wanted.map(([, link, , module]) => new URL(link ?? module, new URL(path, location.origin)).pathname);
  return found.filter((name) => name.startsWith(`${FILES}/`));
}

/** Drops the files of other versions. */
async function forget() {
  const names = await caches.keys();
  await Promise.all(names.filter((name) => name.startsWith("cards-") && name !== KEPT).map((name) => caches.delete(name)));
}
