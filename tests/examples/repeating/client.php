<?php
// Prints for each fault what PHP's streams make of it: an error, or how much of the body they return.
foreach (array_slice($argv, 1) as $fault) {
    $call = fn (string $method, string $path, string $body) => @file_get_contents(
        getenv("BASE") . $path,
        false,
        stream_context_create(["http" => ["method" => $method, "content" => $body, "header" =>
            "api-key: snd_php_$fault\r\nContent-Type: application/json\r\nX-Idempotency-Key: order-1\r\n"]])
    );
    $call("GET", "/refunds/list", "");
    $body = $call("POST", "/payments", getenv("ORDER"));
    echo "$fault ", $body === false ? "error" : (json_decode($body) === null ? "half" : "whole"), "\n";
}
