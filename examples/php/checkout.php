<?php
// A small checkout: it charges cards, sends customers to their bank, and receives events.
declare(strict_types=1);

final class Checkout
{
    private const MEANS = ['succeeded' => 'paid', 'failed' => 'declined', 'cancelled' => 'declined', 'expired' => 'declined'];
    private const TRY_AGAIN = [409, 429, 500, 502, 503, 504];

    /** @var array<string, array> The orders by id; a real shop stores them in its database. */
    public array $orders = [];
    private $pause;

    public function __construct(
        private string $url,
        private string $key,
        private string $secret,
        private string $home = 'http://127.0.0.1:8000',
        ?callable $pause = null,
    ) {
        $this->pause = $pause ?? fn (float $seconds) => usleep((int) ($seconds * 1_000_000));
    }

    /** Charges an order, in cents. Only a new attempt after a decline is a new operation with a new key. */
    public function pay(string $id, int $amount, array $card): array
    {
        $order = $this->orders[$id] ?? ['id' => $id, 'state' => 'open', 'attempt' => 1];
        if (isset($order['payment_id']) && $order['state'] !== 'declined') {
            return $this->comeBack($id); // paid, or the customer's turn
        }
        $order['attempt'] += $order['state'] === 'declined' ? 1 : 0;
        // Before the call: if all its answers are lost, the next call repeats this attempt, with its key.
        $order = $this->orders[$id] = ['state' => 'waiting', 'payment_id' => null] + $order;
        return $this->settle($this->ask('POST', '/payments', [
            'amount' => $amount, 'currency' => 'EUR', 'profile_id' => 'pro_checkout', 'confirm' => true,
            'merchant_order_reference_id' => $id, 'return_url' => "{$this->home}/orders/$id/return",
            'metadata' => ['attempt' => "{$order['attempt']}"],
            'payment_method' => 'card', 'payment_method_data' => ['card' => $card],
        ], "$id-pay-{$order['attempt']}"));
    }

    /** The customer returns from the bank: trust the API, not the URL. */
    public function comeBack(string $id): array
    {
        $order = $this->orders[$id];
        if (!isset($order['payment_id'])) {
            return $order; // no answer has come yet: to pay again repeats the attempt
        }
        return $this->settle($this->ask('GET', "/payments/{$order['payment_id']}"));
    }

    /** An event: the signature covers the raw bytes (php://input), and the state is retrieved from the API. */
    public function hear(string $bytes, ?string $signature): int
    {
        if (!hash_equals(hash_hmac('sha512', $bytes, $this->secret), (string) $signature)) {
            return 401;
        }
        $paymentId = json_decode($bytes, true)['content']['object']['payment_id'] ?? null;
        if ($paymentId !== null) {
            $payment = $this->ask('GET', "/payments/$paymentId");
            // Events come late and more than once: that of an earlier attempt must not undo what a later one paid.
            $order = $this->orders[$payment['merchant_order_reference_id'] ?? ''] ?? null;
            if ($order !== null && ($payment['metadata']['attempt'] ?? null) === "{$order['attempt']}") {
                $this->settle($payment);
            }
        }
        return 200;
    }

    private function settle(array $payment): array
    {
        $order = &$this->orders[$payment['merchant_order_reference_id']];
        $order['payment_id'] = $payment['payment_id'];
        $order['state'] = self::MEANS[$payment['status']] ?? 'waiting'; // pending is not paid
        $order['message'] = $payment['error_message'];
        $order['go_to'] = $payment['next_action']['redirect_to_url'] ?? null;
        return $order;
    }

    /** One call, retried until it is answered; every retry has the same key, so it takes effect once. */
    private function ask(string $method, string $path, ?array $body = null, ?string $key = null): array
    {
        foreach ([0.5, 1.0, 2.0, null] as $wait) {
            [$status, $result, $retryAfter] = $this->try($method, $path, $body, $key);
            if ($status !== 0 && !in_array($status, self::TRY_AGAIN, true)) {
                $read = json_decode($result, true, flags: JSON_THROW_ON_ERROR);
                if (isset($read['error'])) {
                    throw new RuntimeException("$status {$read['error']['code']}: {$read['error']['message']}");
                }
                return $read;
            }
            if ($wait !== null) {
                ($this->pause)($retryAfter ?: $wait);
            }
        }
        throw new RuntimeException("$method $path was not answered; what was asked may have been done");
    }

    /** One attempt: status (0: no complete answer), body, and the seconds to wait. */
    private function try(string $method, string $path, ?array $body, ?string $key): array
    {
        $headers = ["api-key: {$this->key}", 'Content-Type: application/json'];
        if ($key !== null) {
            $headers[] = "X-Idempotency-Key: $key";
        }
        $retryAfter = 0.0;
        $curl = curl_init($this->url . $path);
        curl_setopt_array($curl, [
            CURLOPT_CUSTOMREQUEST => $method, CURLOPT_HTTPHEADER => $headers, CURLOPT_RETURNTRANSFER => true,
            CURLOPT_TIMEOUT => 20,
            CURLOPT_HEADERFUNCTION => function ($curl, string $line) use (&$retryAfter): int {
                if (stripos($line, 'Retry-After:') === 0) {
                    $retryAfter = (float) substr($line, 12);
                }
                return strlen($line);
            },
        ]);
        if ($body !== null) {
            curl_setopt($curl, CURLOPT_POSTFIELDS, json_encode($body));
        }
        $result = curl_exec($curl);
        return [$result === false ? 0 : curl_getinfo($curl, CURLINFO_RESPONSE_CODE), (string) $result, $retryAfter];
    }
}
