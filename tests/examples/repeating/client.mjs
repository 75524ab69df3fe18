// Prints for each fault what fetch makes of it: an error, or how much of the body it returns.
const {BASE, ORDER} = process.env;
for (const fault of process.argv.slice(2)) {
  const headers = {"api-key": `snd_node_${fault}`, "content-type": "application/json", "x-idempotency-key": "order-1"};
  try {
    await (await fetch(`${BASE}/refunds/list`, {headers})).text();
    const text = await (await fetch(`${BASE}/payments`, {method: "POST", headers, body: ORDER})).text();
    console.log(fault, text.endsWith("}") ? "whole" : "half");
  } catch {
    console.log(fault, "error");
  }
}
