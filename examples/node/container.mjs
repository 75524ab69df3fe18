// The sandbox in a container, with Testcontainers (npm install testcontainers): starts it, makes a payment, and stops it.
import assert from "node:assert/strict";
import { GenericContainer, Wait } from "testcontainers";

const started = await new GenericContainer(process.env.PAYMENT_SANDBOX_IMAGE ?? "localhost/payment-sandbox")
  .withEnvironment({ PAYMENT_SANDBOX_SEED: "shop" })
  .withExposedPorts(12190)
  .withWaitStrategy(Wait.forHttp("/_sandbox/readyz", 12190))
  .start();
try {
  const url = `http://${started.getHost()}:${started.getMappedPort(12190)}`;
  const card = { card_number: "4242424242424242", card_exp_month: "12", card_exp_year: "2040", card_cvc: "123" };
  const answer = await fetch(`${url}/payments`, {
    method: "POST",
    headers: { "api-key": "snd_in_a_container", "content-type": "application/json" },
    body: JSON.stringify({
      amount: 4200, currency: "EUR", profile_id: "pro_shop", confirm: true,
      payment_method: "card", payment_method_data: { card },
    }),
  });
  const paid = await answer.json();
  assert.equal(paid.status, "succeeded", JSON.stringify(paid));
  console.log(`${paid.payment_id} ${paid.status}`);
} finally {
  await started.stop();
}
