// The whole life of payments by the ecosystem's own library, unchanged: only its name is led to the sandbox.
const assert = require("node:assert");
const client = require("@juspay-tech/hyperswitch-node")(process.env.API_KEY);

const card = (number) => ({
  payment_method: "card",
  payment_method_data: {
    card: { card_number: number, card_exp_month: "03", card_exp_year: "35", card_holder_name: "Jo", card_cvc: "737" },
  },
});
const order = { amount: 6540, currency: "USD", ...JSON.parse(process.env.ORDER || "{}") };

async function main() {
  const customer = await client.customers.create({ email: "jo@shop.example", name: "Jo" });
  assert.strictEqual((await client.customers.retrieve(customer.customer_id)).email, "jo@shop.example");

  const made = await client.paymentIntents.create({ ...order, customer_id: customer.customer_id });
  assert.strictEqual(made.status, "requires_payment_method");
  await client.paymentIntents.update(made.payment_id, { description: "Order 1001" });
  const paid = await client.paymentIntents.confirm(made.payment_id, card("4242424242424242"));
  assert.strictEqual(paid.status, "succeeded");
  assert.strictEqual((await client.paymentIntents.retrieve(made.payment_id)).description, "Order 1001");

  const held = await client.paymentIntents.create({
    ...order, ...card("4242424242424242"), confirm: true, capture_method: "manual",
  });
  assert.strictEqual(held.status, "requires_capture");
  const part = await client.paymentIntents.capture(held.payment_id, { amount_to_capture: 5000 });
  assert.strictEqual(part.status, "partially_captured");

  const refund = await client.refunds.create({ payment_id: made.payment_id, amount: 1000, reason: "returned" });
  assert.strictEqual((await client.refunds.retrieve(refund.refund_id)).status, "succeeded");

  const open = await client.paymentIntents.create(order);
  const gone = await client.paymentIntents.cancel(open.payment_id, { cancellation_reason: "abandoned" });
  assert.strictEqual(gone.status, "cancelled");

  const asked = await client.paymentIntents.create({
    ...order, ...card("4000003800000446"), confirm: true, authentication_type: "three_ds",
    return_url: "https://shop.example/done",
  });
  assert.strictEqual(asked.status, "requires_customer_action");
  assert.match(asked.next_action.redirect_to_url, /^https:\/\/sandbox\.hyperswitch\.io/);

  const declined = await client.paymentIntents.create({ ...order, ...card("4000000000009995"), confirm: true });
  assert.strictEqual(declined.status, "failed");
  await assert.rejects(client.paymentIntents.retrieve("pay_nobody"), (error) => error.statusCode === 404);
  console.log("all of it held");
}

main().catch((error) => {
  console.error(error);
  process.exitCode = 1;
});
