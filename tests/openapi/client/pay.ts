// Creates a payment and captures it, through types that were generated from the document alone.
import createClient from "openapi-fetch";
import type { components, operations, paths } from "./api.js";

const [baseUrl, key] = process.argv.slice(2) as [string, string];
const api = createClient<paths>({ baseUrl, headers: { "api-key": key } });
const order: components["schemas"]["PaymentsCreateRequest"] = {
  amount: 6540,
  currency: "USD",
  profile_id: "pro_shop",
  confirm: true,
  capture_method: "manual",
  payment_method: "card",
  payment_method_data: {
    card: { card_number: "4242424242424242", card_exp_month: "03", card_exp_year: "2035", card_cvc: "737" },
  },
};

const made = await api.POST("/payments", { body: order, params: { header: { "X-Idempotency-Key": "order-1001" } } });
if (made.error || "error" in made.data) throw new Error(JSON.stringify(made));
const captured = await api.POST("/payments/{payment_id}/capture", {
  params: { path: { payment_id: made.data.payment_id } },
  body: { amount_to_capture: 6540 },
});
if (captured.error) throw new Error(captured.error.error.code);
const status: components["schemas"]["PaymentStatus"] = captured.data.status;
const twice = await api.POST("/payments/{payment_id}/capture", {
  params: { path: { payment_id: made.data.payment_id } },
  body: {},
});
const told = { created: made.data.status, captured: status, received: captured.data.amount_received };
console.log(JSON.stringify({ ...told, again: twice.error?.error.code }));
