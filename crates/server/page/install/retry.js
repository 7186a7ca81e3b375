// On the page that is shown without a server: reloads it, with its address, once the server answers.

const EVERY = 3000;

async function retry() {
  try {
    await fetch("/assets/ghost.svg", { cache: "no-store" });
    location.reload();
  } catch {
    setTimeout(retry, EVERY);
  }
}

document.getElementById("again").addEventListener("click", (event) => {
  event.preventDefault();
  location.reload();
});
addEventListener("online", () => location.reload());
setTimeout(retry, EVERY);
