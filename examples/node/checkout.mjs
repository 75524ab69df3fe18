// A small checkout service: it charges cards, sends customers to their bank, and receives events.
import { createHmac, timingSafeEqual } from "node:crypto";
import { createServer } from "node:http";
import { setTimeout as sleep } from "node:timers/promises";

const MEANS = { succeeded: "paid", failed: "declined", cancelled: "declined", expired: "declined" };
const TRY_AGAIN = [409, 429, 500, 502, 503, 504];

export class Checkout {
  orders = new Map();

  constructor({ url, apiKey, webhookSecret, home = "http://127.0.0.1", pause = sleep }) {
    Object.assign(this, { url, apiKey, webhookSecret, home, pause });
  }

  // Charges an order. A decline is an answer; only a new attempt after it is a new operation with a new key.
  async pay(orderId, amount, card) {
    const order = this.orders.get(orderId) ?? { orderId, attempt: 1, state: "open" };
    this.orders.set(orderId, order);
    if (order.paymentId && order.state !== "declined") return this.comeBack(orderId); // paid, or the customer's turn
    if (order.state === "declined") order.attempt += 1;
    // Before the call: if all its answers are lost, the next call repeats this attempt, with its key.
    Object.assign(order, { state: "waiting", paymentId: undefined });
    const body = {
      amount, // an integer, in cents
      currency: "EUR",
      profile_id: "pro_checkout",
      confirm: true,
      merchant_order_reference_id: orderId,
      metadata: { attempt: `${order.attempt}` },
      return_url: `${this.home}/orders/${orderId}/return`,
      payment_method: "card",
      payment_method_data: { card },
    };
    const payment = await this.call("POST", "/payments", body, `${orderId}-pay-${order.attempt}`);
    return this.settle(payment);
  }

  // The customer returns from the bank: trust the API, not the URL.
  async comeBack(orderId) {
    const order = this.orders.get(orderId);
    if (!order.paymentId) return order; // no answer has come yet: to pay again repeats the attempt
    return this.settle(await this.call("GET", `/payments/${order.paymentId}`));
  }

  // An event: the signature covers the raw bytes, and the state is retrieved from the API.
  async hear(bytes, signature) {
    const own = createHmac("sha512", this.webhookSecret).update(bytes).digest();
    const theirs = Buffer.from(signature ?? "", "hex");
    if (own.length !== theirs.length || !timingSafeEqual(own, theirs)) return 401;
    const { payment_id } = JSON.parse(bytes).content.object;
    if (payment_id) {
      const payment = await this.call("GET", `/payments/${payment_id}`);
      // Events come late and more than once: that of an earlier attempt must not undo what a later one paid.
      const order = this.orders.get(payment.merchant_order_reference_id);
      if (order && payment.metadata.attempt === `${order.attempt}`) this.settle(payment);
    }
    return 200;
  }

  settle(payment) {
    const order = this.orders.get(payment.merchant_order_reference_id);
    order.paymentId = payment.payment_id;
    order.state = MEANS[payment.status] ?? "waiting"; // pending is not paid
    order.message = payment.error_message;
    order.goTo = payment.next_action?.redirect_to_url;
    return order;
  }

  // One call, retried until it is answered; every retry has the same key, so it takes effect once.
  async call(method, path, body, key) {
    const headers = { "api-key": this.apiKey, "Content-Type": "application/json" };
    if (key) headers["X-Idempotency-Key"] = key;
    for (const wait of [500, 1000, 2000, null]) {
      const answer = await fetch(this.url + path, {
        method, headers, body: body && JSON.stringify(body), signal: AbortSignal.timeout(20_000),
      }).catch(() => null);
      if (answer && !TRY_AGAIN.includes(answer.status)) {
        const result = await answer.json();
        if (result.error) throw new Error(`${answer.status} ${result.error.code}: ${result.error.message}`);
        return result;
      }
      if (wait) await this.pause(1000 * answer?.headers.get("Retry-After") || wait);
    }
    throw new Error(`${method} ${path} was not answered; what was asked may have been done`);
  }

  // POST /orders/1/pay, GET /orders/1/return, POST /webhooks
  server() {
    return createServer((request, response) =>
      this.answer(request)
        .catch((wrong) => [500, { error: wrong.message }]) // what one call does must not end the process
        .then(([status, result]) =>
          response.writeHead(status, { "Content-Type": "application/json" }).end(JSON.stringify(result))));
  }

  async answer(request) {
    const bytes = Buffer.concat(await request.toArray());
    const [, what, orderId, action] = new URL(request.url, "http://_").pathname.split("/");
    if (what === "webhooks") return [await this.hear(bytes, request.headers["x-webhook-signature-512"]), {}];
    if (action === "return") return [200, await this.comeBack(orderId)];
    if (action !== "pay") return [404, {}];
    const { amount, card } = JSON.parse(bytes);
    return [200, await this.pay(orderId, amount, card)];
  }
}
