import {loadHyper} from "@juspay-tech/hyper-js";
import {HyperElements, UnifiedCheckout, useHyper, useWidgets} from "@juspay-tech/react-hyper-js";
import React, {useEffect, useState} from "react";
import {createRoot} from "react-dom/client";

const given = JSON.parse(document.getElementById("given").textContent);

function Checkout() {
  const hyper = useHyper();
  const widgets = useWidgets();
  const [said, say] = useState("");

  const tell = result => say(result.error ? result.error.message : [result.status, result.error_message].filter(Boolean).join(": "));

  useEffect(() => {
    if (hyper.clientSecret) {
      hyper.retrievePaymentIntent(hyper.clientSecret).then(found => {
        if (found?.paymentIntent.status === "succeeded") say("paid before");
      });
    }
  }, [hyper.clientSecret]);

  const pay = async event => {
    event.preventDefault();
    tell(await hyper.confirmPayment({widgets, confirmParams: {return_url: given.back}, redirect: "if_required"}));
  };
  return (
    <form onSubmit={pay}>
      <UnifiedCheckout id="unified-checkout" options={given.options} onReady={() => { document.body.dataset.ready = "yes"; }} />
      <button id="pay">Pay</button>
      <p role="status" id="said">{said}</p>
    </form>
  );
}

const loading = loadHyper(given.key, {customBackendUrl: given.backend});
loading.catch(() => { document.getElementById("root").textContent = "The checkout could not be loaded."; });

createRoot(document.getElementById("root")).render(
  <HyperElements hyper={loading} options={{clientSecret: given.secret, appearance: {}}}>
    <Checkout />
  </HyperElements>,
);
