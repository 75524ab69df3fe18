// node --test: the sandbox is at PAYMENT_SANDBOX_URL; each test has its own workspace.
import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { test } from "node:test";
import { Checkout } from "./checkout.mjs";

const url = process.env.PAYMENT_SANDBOX_URL ?? "http://127.0.0.1:12190";
const card = (number) => ({ card_number: number, card_exp_month: "12", card_exp_year: "2035", card_cvc: "123" });
const GOOD = card("4242424242424242");
const POOR = card("4000000000009995");
const ASKED = card("4000000000003220");

async function workspace() {
  const apiKey = `snd_${randomUUID()}`;
  const control = async (method, path, body) => {
    const headers = { "api-key": apiKey, "Content-Type": "application/json" };
    const answer = await fetch(`${url}/_sandbox${path}`, { method, headers, body: body && JSON.stringify(body) });
    assert.equal(answer.status, 200, await answer.clone().text());
    return answer.json();
  };
  const { secret } = await control("GET", "/webhooks/target");
  const open = () => new Checkout({ url, apiKey, webhookSecret: secret, pause: async () => {} });
  return { shop: open(), open, control };
}

test("a lost answer is asked for again, and charged once", async () => {
  const { shop, control } = await workspace();
  await control("POST", "/scenarios/lost_response/activate");
  assert.equal((await shop.pay("order-1", 1990, GOOD)).state, "paid");
  assert.equal((await control("POST", "/scenarios/lost_response/check")).holds, true);
});

test("a decline is an answer, and another card another payment", async () => {
  const { shop } = await workspace();
  const declined = { ...(await shop.pay("order-1", 1990, POOR)) };
  assert.equal(declined.state, "declined");
  assert.equal(declined.message, "Payment declined: insufficient funds");
  assert.equal((await shop.pay("order-1", 1990, GOOD)).state, "paid");
});

test("after 3-D Secure the API is believed, not the address", async () => {
  const { shop, control } = await workspace();
  const order = await shop.pay("order-1", 1990, ASKED);
  assert.equal(order.state, "waiting");
  assert.match(order.goTo, /\/payments\/redirect\//);
  await control("POST", `/payments/${order.paymentId}/authenticate`, { result: "declined" });
  assert.equal((await shop.comeBack("order-1")).state, "declined");
});

test("only signed events are heard", async (t) => {
  const { shop, control } = await workspace();
  const server = shop.server().listen(0, "127.0.0.1");
  t.after(() => server.close() && server.closeAllConnections());
  await once(server, "listening");
  const home = `http://127.0.0.1:${server.address().port}`;
  await control("PUT", "/webhooks/target", { url: `${home}/webhooks` });
  const { paymentId } = await shop.pay("order-1", 1990, ASKED);
  await control("POST", `/payments/${paymentId}/authenticate`, { result: "approved" });
  const { data } = await control("GET", "/webhooks?type=payment_succeeded&delivered=true&wait=5s");
  assert.equal(data.length, 1);
  assert.equal(shop.orders.get("order-1").state, "paid");
  for (const headers of [{}, { "X-Webhook-Signature-512": "0".repeat(128) }]) {
    const forged = await fetch(`${home}/webhooks`, { method: "POST", headers, body: data[0].payload });
    assert.equal(forged.status, 401);
  }
  assert.equal((await fetch(`${home}/orders/unknown/return`)).status, 500);
});

test("a late event of an earlier attempt, and one of no known order, change nothing", async () => {
  const { shop, open, control } = await workspace();
  await shop.pay("order-1", 1990, POOR);
  await shop.pay("order-1", 1990, GOOD);
  const { data } = await control("GET", "/webhooks?type=payment_failed&wait=5s");
  const signature = Object.fromEntries(data[0].headers)["X-Webhook-Signature-512"];
  assert.equal(await shop.hear(data[0].payload, signature), 200);
  assert.equal(shop.orders.get("order-1").state, "paid");
  assert.equal(await open().hear(data[0].payload, signature), 200);
});

test("an attempt whose answers are all lost is repeated, and what is paid stays paid", async () => {
  const { shop, control } = await workspace();
  await shop.pay("order-1", 1990, POOR);
  const lost = { fault: "connection_reset", effect: "kept" };
  await control("POST", "/next", { on: "payments.create", then: lost, times: 50 });
  await assert.rejects(shop.pay("order-1", 1990, GOOD), /not answered/);
  assert.equal((await shop.comeBack("order-1")).state, "waiting");
  await control("DELETE", "/next");
  assert.equal((await shop.pay("order-1", 1990, GOOD)).state, "paid");
  await control("POST", "/clock/advance", { by: "25h" }); // longer than a key is known
  assert.equal((await shop.pay("order-1", 1990, GOOD)).state, "paid");
  assert.equal((await control("GET", "/webhooks?type=payment_succeeded")).total_count, 1);
});
