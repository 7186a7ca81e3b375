// A service worker: if the server cannot be reached, it shows a page that says so. Everything else goes
// to the server as if there was no worker, the other pages of the server too.
//
// Its own address has the version of its files. A new version is a new worker, which forgets the old files.

/** `/assets/VERSION`; the worker is in the folder `install` below it. */
const FILES = location.pathname.slice(0, location.pathname.indexOf("/install/"));
/** The language is a part of the address too: another one is another worker. */
const LANGUAGE = new URLSearchParams(location.search).get("language") ?? "en";
const PAGE = `${FILES}/install/offline.${LANGUAGE}.html`;
const KEPT = `offline-${FILES.split("/").pop()}-${LANGUAGE}`;
const NEEDED = [`${FILES}/app.css`, `${FILES}/ghost.svg`, `${FILES}/install/retry.js`];

addEventListener("install", (event) => event.waitUntil(keep().then(() => skipWaiting())));
addEventListener("activate", (event) => event.waitUntil(forget()));

addEventListener("fetch", (event) => {
  const { request } = event;
  const { origin, pathname } = new URL(request.url);
  if (request.method !== "GET" || origin !== location.origin) return;
  if (request.mode === "navigate" && pathname === "/") event.respondWith(fetched(request, PAGE));
  else if (NEEDED.includes(pathname)) event.respondWith(fetched(request, pathname));
});

/** From the server, or else what is kept. */
async function fetched(request, path) {
  try {
    return await fetch(request);
  } catch (fault) {
    const kept = await caches.match(path, { cacheName: KEPT });
    if (kept) return kept;
    throw fault;
  }
}

async function keep() {
  const place = await caches.open(KEPT);
  await place.addAll(NEEDED);
  const answer = await fetch(PAGE);
  if (!answer.ok) throw new Error(`${PAGE}: ${answer.status}`);
  const text = (await answer.text()).replaceAll('"/assets/', `"${FILES}/`);
  const headers = ["content-type", "content-security-policy"].map((name) => [name, answer.headers.get(name)]);
  await place.put(PAGE, new Response(text, { headers: headers.filter(([, value]) => value) }));
}

/** Drops the files of other versions. */
async function forget() {
  const names = await caches.keys();
  await Promise.all(names.filter((name) => name.startsWith("offline-") && name !== KEPT).map((name) => caches.delete(name)));
}
