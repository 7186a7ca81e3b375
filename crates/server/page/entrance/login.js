// Trades the token of the printed link for a cookie. It stands behind the `#`, which is sent
// nowhere, and leaves the address and the history before anything else happens.

const token = location.pathname === "/login" ? location.hash.slice(1) : "";
if (token) {
  history.replaceState(null, "", "/login");
  const told = await fetch("/login", { method: "POST", body: new URLSearchParams({ token }) });
  if (told.ok) location.replace("/");
} else {
  // A link on another site leads here without the cookie that this browser has.
  const told = await fetch("/login", { headers: { Accept: "application/json" } });
  if ((await told.json()).known) location.replace(location.pathname === "/login" ? "/" : `/?${location.hash}`);
}
