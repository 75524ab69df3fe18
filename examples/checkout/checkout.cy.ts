// The same in Cypress. Only type-checked here, and not run, because Cypress cannot be downloaded where this project is tested.
// In cypress.config set `chromeWebSecurity: false`, so that the test can access the form's frame.
/// <reference types="cypress" />

const SANDBOX: string = Cypress.env("PAYMENT_SANDBOX_URL");
const FORM = "iframe[id^=orca-payment-element-iframeRef-]";

/** A field of the form, by its test id. */
const field = (name: string) =>
  cy.get<HTMLIFrameElement>(FORM).its("0.contentDocument.body").should("not.be.empty").then(cy.wrap)
    .find(`[data-testid=${name}]`);

describe("the checkout page", () => {
  beforeEach(() => {
    cy.intercept("GET", "https://*.hyperswitch.io/**/HyperLoader.js*", request => request.redirect(`${SANDBOX}/HyperLoader.js`));
    cy.visit("/pay"); // the shop passes `customBackendUrl` to Hyper(), so that its form comes from the sandbox
  });

  it("takes a card", () => {
    field("cardNoInput").type("4242424242424242");
    field("expiryInput").type("1234");
    field("cvvInput").type("123");
    cy.contains("button", "Pay").click();
    cy.get("[role=status]").should("have.text", "succeeded");
  });

  it("says why a card was declined", () => {
    field("cardNoInput").type("4000000000009995");
    field("expiryInput").type("1234");
    field("cvvInput").type("123");
    cy.contains("button", "Pay").click();
    cy.get("[role=status]").should("contain.text", "insufficient funds");
  });
});
