// A shop's checkout page in a browser, offline. Needs a running sandbox (PAYMENT_SANDBOX_URL) and Chromium:
// `BROWSER_UNDER_TEST=$(which chromium) node --test checkout.test.mjs`
import assert from "node:assert/strict";
import {randomUUID} from "node:crypto";
import {readFile} from "node:fs/promises";
import {createServer} from "node:http";
import {after, before, test} from "node:test";
import {chromium} from "playwright-core";

const SANDBOX = process.env.PAYMENT_SANDBOX_URL;
const FORM = "iframe[id^=orca-payment-element-iframeRef-]";
let browser, shop, order;

// Your own program serves your page. Customers come back to any address but these.
const server = createServer(async (request, response) => {
  if (request.url === "/order") response.end(JSON.stringify(order));
  else if (request.url === "/pay") response.end(await readFile(new URL("shop.html", import.meta.url)));
  else response.end("<h1>Thank you</h1>");
});

before(async () => {
  await new Promise(done => server.listen(0, "127.0.0.1", done));
  shop = `http://127.0.0.1:${server.address().port}`;
  browser = await chromium.launch({executablePath: process.env.BROWSER_UNDER_TEST, args: ["--no-sandbox"]});
});
after(async () => {
  await browser.close();
  server.close();
});

/** The shop's page, with a payment of a new merchant. */
async function open() {
  const key = `snd_${randomUUID().replaceAll("-", "")}`, page = await browser.newPage();
  const made = await fetch(`${SANDBOX}/payments`, {
    method: "POST", headers: {"api-key": key, "Content-Type": "application/json"},
    body: JSON.stringify({amount: 6540, currency: "EUR", profile_id: "pro_shop"}),
  });
  order = {publishableKey: `pk_${key}`, clientSecret: (await made.json()).client_secret};
  // The sandbox answers all requests of the page to the public servers.
  await page.route(/^https:\/\/\w+\.hyperswitch\.io\//, async route => {
    const {pathname, search} = new URL(route.request().url());
    route.fulfill({response: await route.fetch({url: SANDBOX + pathname + search, maxRedirects: 0})});
  });
  await page.goto(`${shop}/pay`);
  return page;
}

async function pay(page, number) {
  const form = page.frameLocator(FORM);
  await form.getByLabel("Card Number").fill(number);
  await form.getByLabel("Expiry").fill("12/34");
  await form.getByLabel("CVC").fill("123");
  await page.getByRole("button", {name: "Pay"}).click();
}

for (const [number, says] of [["4242424242424242", "succeeded"], ["4000000000009995", "Payment declined: insufficient funds"]]) {
  test(`a card: ${says}`, async () => {
    const page = await open();
    await pay(page, number);
    await page.getByRole("status").filter({hasText: says}).waitFor();
  });
}

test("a challenge", async () => {
  const page = await open();
  await pay(page, "4000000000003220");
  await page.getByTestId("approved").click();
  await page.getByRole("heading", {name: "Thank you"}).waitFor();
  assert.equal(new URL(page.url()).searchParams.get("status"), "succeeded");
});
