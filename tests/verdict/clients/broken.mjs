// Five of the broken clients in Node: `node broken.mjs RULE`, the sandbox in PAYMENT_SANDBOX_URL and …_API_KEY.
const url = process.env.PAYMENT_SANDBOX_URL;
const apiKey = process.env.PAYMENT_SANDBOX_API_KEY;
const card = { card_number: "4242424242424242", card_exp_month: "12", card_exp_year: "2035", card_cvc: "123" };
const order = {
  amount: 4200,
  currency: "EUR",
  profile_id: "pro_tests",
  confirm: true,
  payment_method: "card",
  payment_method_data: { card },
  merchant_order_reference_id: "order-1",
};

async function post(path, body, key) {
  const headers = { "api-key": apiKey, "Content-Type": "application/json" };
  if (key) headers["X-Idempotency-Key"] = key;
  const answer = await fetch(url + path, { method: "POST", headers, body: JSON.stringify(body) });
  return answer.json();
}

const clients = {
  async "double-charge"() {
    await post("/_sandbox/scenarios/lost_response/activate");
    await post("/payments", order, "first").catch(() => post("/payments", order, "second"));
  },
  async "key-for-another-body"() {
    await post("/payments", order, "order-1");
    await post("/payments", { ...order, amount: 4300 }, "order-1");
  },
  async "captured-twice"() {
    const { payment_id } = await post("/payments", { ...order, capture_method: "manual" });
    await post(`/payments/${payment_id}/capture`, {});
    await post(`/payments/${payment_id}/capture`, {});
  },
  async "refunded-twice"() {
    const { payment_id } = await post("/payments", order);
    await post("/refunds", { payment_id, amount: 4200 });
    await post("/refunds", { payment_id, amount: 4200 });
  },
  async "amount-not-whole"() {
    await post("/payments", { ...order, amount: (19.9).toFixed(2) });
  },
};

await clients[process.argv[2]]();
