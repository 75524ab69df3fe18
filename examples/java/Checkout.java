import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpHandler;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.time.Duration;
import java.util.HexFormat;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

/** A small checkout service: it charges cards, sends customers to their bank, and receives events. */
final class Checkout implements HttpHandler {
    private static final Map<String, String> MEANS =
            Map.of("succeeded", "paid", "failed", "declined", "cancelled", "declined", "expired", "declined");
    private static final Set<Integer> TRY_AGAIN = Set.of(409, 429, 500, 502, 503, 504);
    private static final long[] WAITS = {500, 1000, 2000};

    /** An order with its state. */
    record Order(String id, String state, int attempt, String paymentId, String message, String goTo) {}

    final Map<String, Order> orders = new ConcurrentHashMap<>();
    private final HttpClient http = HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();
    private final String url;
    private final String key;
    private final String secret;
    private final String home;
    private final Consumer<Duration> pause;

    Checkout(String url, String key, String secret, String home, Consumer<Duration> pause) {
        this.url = url;
        this.key = key;
        this.secret = secret;
        this.home = home;
        this.pause = pause;
    }

    /** Charges an order, in cents. Only a new attempt after a decline is a new operation with a new key. */
    Order pay(String id, long amount, Object card) throws IOException {
        // Before the call: if all its answers are lost, the next call repeats this attempt, with its key.
        Order order = orders.compute(id, (name, before) -> {
            boolean declined = before != null && before.state.equals("declined");
            return before != null && before.paymentId != null && !declined
                    ? before
                    : new Order(id, "waiting", before == null ? 1 : before.attempt + (declined ? 1 : 0), null, null, null);
        });
        if (order.paymentId != null) {
            return comeBack(id); // paid, or the customer's turn
        }
        return settle(ask("POST", "/payments", Map.of(
                "amount", amount, "currency", "EUR", "profile_id", "pro_checkout", "confirm", true,
                "merchant_order_reference_id", id, "return_url", home + "/orders/" + id + "/return",
                "metadata", Map.of("attempt", Integer.toString(order.attempt)),
                "payment_method", "card", "payment_method_data", Map.of("card", card)), id + "-pay-" + order.attempt));
    }

    /** The customer returns from the bank: trust the API, not the URL. */
    Order comeBack(String id) throws IOException {
        Order order = orders.get(id);
        if (order.paymentId == null) {
            return order; // no answer has come yet: to pay again repeats the attempt
        }
        return settle(ask("GET", "/payments/" + order.paymentId, null, null));
    }

    /** An event: the signature covers the raw bytes, and the state is retrieved from the API. */
    int hear(byte[] body, String signature) throws IOException {
        byte[] theirs = (signature == null ? "" : signature).getBytes(StandardCharsets.US_ASCII);
        if (!MessageDigest.isEqual(sign(body).getBytes(StandardCharsets.US_ASCII), theirs)) {
            return 401;
        }
        Object event = Json.read(new String(body, StandardCharsets.UTF_8));
        Object paymentId = Json.at(event, "content", "object", "payment_id");
        if (paymentId != null) {
            Object payment = ask("GET", "/payments/" + paymentId, null, null);
            // Events come late and more than once: that of an earlier attempt must not undo what a later one paid.
            Order order = orders.get(String.valueOf(Json.at(payment, "merchant_order_reference_id")));
            if (order != null && Integer.toString(order.attempt).equals(Json.at(payment, "metadata", "attempt"))) {
                settle(payment);
            }
        }
        return 200;
    }

    private String sign(byte[] body) {
        try {
            Mac mac = Mac.getInstance("HmacSHA512");
            mac.init(new SecretKeySpec(secret.getBytes(StandardCharsets.UTF_8), "HmacSHA512"));
            return HexFormat.of().formatHex(mac.doFinal(body));
        } catch (GeneralSecurityException wrong) {
            throw new IllegalStateException(wrong);
        }
    }

    private Order settle(Object payment) {
        String id = (String) Json.at(payment, "merchant_order_reference_id");
        String state = MEANS.getOrDefault((String) Json.at(payment, "status"), "waiting"); // pending is not paid
        return orders.computeIfPresent(id, (same, order) -> new Order(
                id, state, order.attempt, (String) Json.at(payment, "payment_id"),
                (String) Json.at(payment, "error_message"), (String) Json.at(payment, "next_action", "redirect_to_url")));
    }

    /** One call, retried until it is answered; every retry has the same key, so it takes effect once. */
    private Object ask(String method, String path, Object body, String key) throws IOException {
        var sent = body == null ? BodyPublishers.noBody() : BodyPublishers.ofString(Json.write(body));
        var request = HttpRequest.newBuilder(URI.create(url + path)).method(method, sent)
                .timeout(Duration.ofSeconds(20)).header("api-key", this.key).header("Content-Type", "application/json");
        if (key != null) {
            request.header("X-Idempotency-Key", key);
        }
        for (int tried = 0; ; tried++) {
            Duration wait = tried < WAITS.length ? Duration.ofMillis(WAITS[tried]) : null;
            try {
                HttpResponse<String> answer = http.send(request.build(), BodyHandlers.ofString());
                if (!TRY_AGAIN.contains(answer.statusCode())) {
                    return read(answer);
                }
                wait = wait == null ? null : answer.headers().firstValue("Retry-After")
                        .map(seconds -> Duration.ofSeconds(Long.parseLong(seconds))).orElse(wait);
            } catch (InterruptedException stopped) {
                Thread.currentThread().interrupt();
                throw new IOException(stopped);
            } catch (IOException broken) {
                if (wait == null) {
                    throw broken;
                }
            }
            if (wait == null) {
                throw new IOException(method + " " + path + " was not answered; what was asked may have been done");
            }
            pause.accept(wait);
        }
    }

    private static Object read(HttpResponse<String> answer) {
        Object result = Json.read(answer.body());
        if (Json.at(result, "error") != null) {
            throw new IllegalStateException(answer.statusCode() + ": " + Json.at(result, "error", "message"));
        }
        return result;
    }

    /** POST /orders/1/pay, GET /orders/1/return, POST /webhooks. */
    @Override
    public void handle(HttpExchange exchange) throws IOException {
        byte[] body = exchange.getRequestBody().readAllBytes();
        String[] parts = exchange.getRequestURI().getPath().substring(1).split("/");
        int status = 200;
        Order order = null;
        if (parts[0].equals("webhooks")) {
            status = hear(body, exchange.getRequestHeaders().getFirst("X-Webhook-Signature-512"));
        } else if (parts.length == 3 && parts[2].equals("pay")) {
            Object said = Json.read(new String(body, StandardCharsets.UTF_8));
            order = pay(parts[1], (Long) Json.at(said, "amount"), Json.at(said, "card"));
        } else if (parts.length == 3 && parts[2].equals("return")) {
            order = comeBack(parts[1]);
        } else {
            status = 404;
        }
        byte[] result = order == null ? new byte[0] : Json.write(Map.of("state", order.state)).getBytes(StandardCharsets.UTF_8);
        exchange.sendResponseHeaders(status, result.length == 0 ? -1 : result.length);
        exchange.getResponseBody().write(result);
        exchange.close();
    }
}
