// Runs an agent over AG-UI with the protocol's own client, which checks every event it gets.
// In: the address, then what the user says. Out: one line of JSON with what the client made
// of it. A run that ends with interrupts is resumed once, with a yes to each.

import { HttpAgent } from "@ag-ui/client";

const [url, text] = process.argv.slice(2);
const agent = new HttpAgent({
  url,
  threadId: "a thread of the client",
  initialMessages: [{ id: "m1", role: "user", content: text }],
});

const runs = [];
async function run(parameters) {
  const events = [];
  await agent.runAgent(parameters, {
    onEvent: ({ event }) => {
      events.push(event.type);
    },
  });
  runs.push(events);
}

await run({ runId: "r1" });
if (agent.pendingInterrupts.length) {
  const resume = agent.pendingInterrupts.map(({ id }) => ({
    interruptId: id,
    status: "resolved",
    payload: { approved: true },
  }));
  await run({ runId: "r2", resume });
}
console.log(JSON.stringify({ runs, messages: agent.messages, state: agent.state }));
