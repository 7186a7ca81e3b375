// Installs the service worker that answers while the server cannot be reached.

/** Browsers without service workers, or that refuse them, show their own page then. */
export function keepOfflinePage() {
  navigator.serviceWorker?.register(new URL("offline.js", import.meta.url), { scope: "/" }).catch(() => {});
}
