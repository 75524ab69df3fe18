import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.UUID;

/** javac -d out *.java && java -cp out CheckoutTest: each test has its own workspace at PAYMENT_SANDBOX_URL. */
final class CheckoutTest {
    private static final String URL = System.getenv().getOrDefault("PAYMENT_SANDBOX_URL", "http://127.0.0.1:12190");
    private static final String GOOD = "4242424242424242";
    private static final String POOR = "4000000000009995";
    private static final String ASKED = "4000000000003220";
    private static final HttpClient HTTP = HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();

    private final String key = "snd_" + UUID.randomUUID();
    private final String secret = (String) Json.at(control("GET", "/webhooks/target", null), "secret");
    private final Checkout shop = open();

    private CheckoutTest() throws Exception { }

    private Checkout open() {
        return new Checkout(URL, key, secret, "http://shop.test", wait -> { });
    }

    public static void main(String[] arguments) {
        boolean kept = test("a lost answer is asked for again, and charged once", CheckoutTest::aLostAnswer)
                & test("a decline is an answer, and another card another payment", CheckoutTest::aDecline)
                & test("after 3-D Secure the API is believed, not the address", CheckoutTest::afterThreeDSecure)
                & test("only signed events are heard", CheckoutTest::onlySignedEvents)
                & test("a late event of an earlier attempt, and one of no known order, change nothing",
                        CheckoutTest::aLateEvent)
                & test("an attempt whose answers are all lost is repeated, and what is paid stays paid",
                        CheckoutTest::anAttemptWithoutAnswer);
        System.exit(kept ? 0 : 1);
    }

    private interface Body {
        void run(CheckoutTest workspace) throws Exception;
    }

    private static boolean test(String name, Body body) {
        try {
            body.run(new CheckoutTest());
            System.out.println("ok - " + name);
            return true;
        } catch (Exception | AssertionError wrong) {
            System.out.println("not ok - " + name + ": " + wrong);
            return false;
        }
    }

    private void aLostAnswer() throws Exception {
        control("POST", "/scenarios/lost_response/activate", null);
        is(pay(GOOD).state(), "paid");
        is(Json.at(control("POST", "/scenarios/lost_response/check", null), "holds"), true);
    }

    private void aDecline() throws Exception {
        Checkout.Order declined = pay(POOR);
        is(declined.state(), "declined");
        is(declined.message(), "Payment declined: insufficient funds");
        is(pay(GOOD).state(), "paid");
    }

    private void afterThreeDSecure() throws Exception {
        Checkout.Order order = pay(ASKED);
        is(order.state(), "waiting");
        is(order.goTo().contains("/payments/redirect/"), true);
        control("POST", "/payments/" + order.paymentId() + "/authenticate", Map.of("result", "declined"));
        is(shop.comeBack("order-1").state(), "declined");
    }

    private void onlySignedEvents() throws Exception {
        HttpServer server = HttpServer.create(new InetSocketAddress("127.0.0.1", 0), 0);
        server.createContext("/", shop);
        server.start();
        try {
            String hooks = "http://127.0.0.1:" + server.getAddress().getPort() + "/webhooks";
            control("PUT", "/webhooks/target", Map.of("url", hooks));
            String paymentId = pay(ASKED).paymentId();
            control("POST", "/payments/" + paymentId + "/authenticate", Map.of("result", "approved"));
            Object result = control("GET", "/webhooks?type=payment_succeeded&delivered=true&wait=5s", null);
            List<?> events = (List<?>) Json.at(result, "data");
            is(events.size(), 1);
            is(shop.orders.get("order-1").state(), "paid");
            for (String signature : List.of("", "0".repeat(128))) {
                var forged = HttpRequest.newBuilder(URI.create(hooks)).header("X-Webhook-Signature-512", signature)
                        .POST(BodyPublishers.ofString((String) Json.at(events.get(0), "payload"))).build();
                is(HTTP.send(forged, BodyHandlers.ofString()).statusCode(), 401);
            }
        } finally {
            server.stop(0);
        }
    }

    private void aLateEvent() throws Exception {
        pay(POOR);
        pay(GOOD);
        Object result = control("GET", "/webhooks?type=payment_failed&wait=5s", null);
        Object event = ((List<?>) Json.at(result, "data")).get(0);
        byte[] payload = ((String) Json.at(event, "payload")).getBytes(StandardCharsets.UTF_8);
        String signature = null;
        for (Object header : (List<?>) Json.at(event, "headers")) {
            List<?> pair = (List<?>) header;
            signature = pair.get(0).equals("X-Webhook-Signature-512") ? (String) pair.get(1) : signature;
        }
        is(shop.hear(payload, signature), 200);
        is(shop.orders.get("order-1").state(), "paid");
        is(open().hear(payload, signature), 200);
    }

    private void anAttemptWithoutAnswer() throws Exception {
        pay(POOR);
        Object lost = Map.of("fault", "connection_reset", "effect", "kept");
        control("POST", "/next", Map.of("on", "payments.create", "then", lost, "times", 50L));
        try {
            is(pay(GOOD), "not answered");
        } catch (IOException unanswered) {
            is(shop.comeBack("order-1").state(), "waiting");
            control("DELETE", "/next", null);
        }
        is(pay(GOOD).state(), "paid");
        control("POST", "/clock/advance", Map.of("by", "25h")); // longer than a key is known
        is(pay(GOOD).state(), "paid");
        is(Json.at(control("GET", "/webhooks?type=payment_succeeded", null), "total_count"), 1L);
    }

    private Checkout.Order pay(String number) throws Exception {
        return shop.pay("order-1", 1990, Map.of(
                "card_number", number, "card_exp_month", "12", "card_exp_year", "2035", "card_cvc", "123"));
    }

    private Object control(String method, String path, Object body) throws Exception {
        var sent = body == null ? BodyPublishers.noBody() : BodyPublishers.ofString(Json.write(body));
        var answer = HTTP.send(HttpRequest.newBuilder(URI.create(URL + "/_sandbox" + path)).method(method, sent)
                .header("api-key", key).header("Content-Type", "application/json").build(), BodyHandlers.ofString());
        is(answer.statusCode(), 200);
        return Json.read(answer.body());
    }

    private static void is(Object got, Object wanted) {
        if (!Objects.equals(got, wanted)) {
            throw new AssertionError("got " + got + ", wanted " + wanted);
        }
    }
}
