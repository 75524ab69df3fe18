<?php
// php checkout_test.php: the sandbox is at PAYMENT_SANDBOX_URL; each test has its own workspace.
declare(strict_types=1);
require __DIR__ . '/checkout.php';

const NUMBERS = ['good' => '4242424242424242', 'poor' => '4000000000009995', 'asked' => '4000000000003220'];

final class Workspace
{
    public Checkout $shop;
    private string $url;
    private string $key;
    private string $secret;

    public function __construct()
    {
        $this->url = getenv('PAYMENT_SANDBOX_URL') ?: 'http://127.0.0.1:12190';
        $this->key = 'snd_' . bin2hex(random_bytes(16));
        $this->secret = $this->control('GET', '/webhooks/target')['secret'];
        $this->shop = $this->open();
    }

    public function open(): Checkout
    {
        return new Checkout($this->url, $this->key, $this->secret, pause: fn (float $seconds) => null);
    }

    public function control(string $method, string $path, ?array $body = null): array
    {
        $headers = "api-key: {$this->key}\r\nContent-Type: application/json";
        $content = $body === null ? '' : json_encode($body);
        $context = stream_context_create(['http' => compact('method', 'content') + ['header' => $headers]]);
        return json_decode(file_get_contents("{$this->url}/_sandbox$path", false, $context), true);
    }

    public function pay(string $card): array
    {
        $typed = ['card_number' => NUMBERS[$card], 'card_exp_month' => '12', 'card_exp_year' => '2035', 'card_cvc' => '123'];
        return $this->shop->pay('order-1', 1990, $typed);
    }
}

function is(mixed $got, mixed $wanted): void
{
    if ($got !== $wanted) {
        throw new AssertionError('got ' . var_export($got, true) . ', wanted ' . var_export($wanted, true));
    }
}

function test(string $name, callable $body): void
{
    try {
        $body(new Workspace());
        echo "ok - $name\n";
    } catch (Throwable $wrong) {
        echo "not ok - $name: {$wrong->getMessage()}\n";
        $GLOBALS['failed'] = true;
    }
}

test('a lost answer is asked for again, and charged once', function (Workspace $workspace): void {
    $workspace->control('POST', '/scenarios/lost_response/activate');
    is($workspace->pay('good')['state'], 'paid');
    is($workspace->control('POST', '/scenarios/lost_response/check')['holds'], true);
});

test('a decline is an answer, and another card another payment', function (Workspace $workspace): void {
    $declined = $workspace->pay('poor');
    is($declined['state'], 'declined');
    is($declined['message'], 'Payment declined: insufficient funds');
    is($workspace->pay('good')['state'], 'paid');
});

test('after 3-D Secure the API is believed, not the address', function (Workspace $workspace): void {
    $order = $workspace->pay('asked');
    is($order['state'], 'waiting');
    is(str_contains($order['go_to'], '/payments/redirect/'), true);
    $workspace->control('POST', "/payments/{$order['payment_id']}/authenticate", ['result' => 'declined']);
    is($workspace->shop->comeBack('order-1')['state'], 'declined');
});

test('only signed events are heard', function (Workspace $workspace): void {
    $order = $workspace->pay('asked');
    $workspace->control('POST', "/payments/{$order['payment_id']}/authenticate", ['result' => 'approved']);
    $event = $workspace->control('GET', '/webhooks?type=payment_succeeded&wait=5s')['data'][0];
    $signature = array_column($event['headers'], 1, 0)['X-Webhook-Signature-512'];
    is($workspace->shop->hear($event['payload'], null), 401);
    is($workspace->shop->hear($event['payload'] . ' ', $signature), 401);
    is($workspace->shop->orders['order-1']['state'], 'waiting');
    is($workspace->shop->hear($event['payload'], $signature), 200);
    is($workspace->shop->orders['order-1']['state'], 'paid');
});

test('a late event of an earlier attempt, and one of no known order, change nothing', function (Workspace $workspace): void {
    $workspace->pay('poor');
    $workspace->pay('good');
    $event = $workspace->control('GET', '/webhooks?type=payment_failed&wait=5s')['data'][0];
    $signature = array_column($event['headers'], 1, 0)['X-Webhook-Signature-512'];
    is($workspace->shop->hear($event['payload'], $signature), 200);
    is($workspace->shop->orders['order-1']['state'], 'paid');
    $restarted = $workspace->open();
    is($restarted->hear($event['payload'], $signature), 200);
    is($restarted->orders, []);
});

test('an attempt whose answers are all lost is repeated, and what is paid stays paid', function (Workspace $workspace): void {
    $workspace->pay('poor');
    $lost = ['fault' => 'connection_reset', 'effect' => 'kept'];
    $workspace->control('POST', '/next', ['on' => 'payments.create', 'then' => $lost, 'times' => 50]);
    try {
        is($workspace->pay('good'), 'not answered');
    } catch (RuntimeException $unanswered) {
        is(str_contains($unanswered->getMessage(), 'not answered'), true);
    }
    is($workspace->shop->comeBack('order-1')['state'], 'waiting');
    $workspace->control('DELETE', '/next');
    is($workspace->pay('good')['state'], 'paid');
    $workspace->control('POST', '/clock/advance', ['by' => '25h']); // longer than a key is known
    is($workspace->pay('good')['state'], 'paid');
    is($workspace->control('GET', '/webhooks?type=payment_succeeded')['total_count'], 1);
});

exit(isset($failed) ? 1 : 0);
