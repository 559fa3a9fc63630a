// The line to the daemon: opened, and opened again for ever, with a wait that grows. Whoever listens gets whole messages.
const FIRST_MS = 250;
const LONGEST_MS = 5000;

export function connect({ onState, onMessage }) {
  let wait = FIRST_MS;

  function open() {
    const ws = new WebSocket(`${location.protocol === "https:" ? "wss" : "ws"}://${location.host}/ws`);
    ws.addEventListener("message", (event) => {
      const message = JSON.parse(event.data);
      if (message.kind === "hello") {
        wait = FIRST_MS;
        onState("open", "");
      }
      onMessage[message.kind]?.(message);
    });
    ws.addEventListener("close", () => {
      onState("lost", "No connection to the daemon: what is shown is old. Trying again.");
      setTimeout(open, wait);
      wait = Math.min(2 * wait, LONGEST_MS);
    });
  }

  open();
}
