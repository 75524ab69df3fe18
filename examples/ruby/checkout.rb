# A small checkout service: it charges cards, sends customers to their bank, and receives events. A Rack app.
require "json"
require "net/http"
require "openssl"

class Checkout
  MEANS = { "succeeded" => "paid", "failed" => "declined", "cancelled" => "declined", "expired" => "declined" }.freeze
  TRY_AGAIN = [409, 429, 500, 502, 503, 504].freeze
  BROKEN = [SystemCallError, EOFError, IOError, Net::OpenTimeout, Net::ReadTimeout].freeze
  Order = Struct.new(:id, :state, :attempt, :payment_id, :message, :go_to)

  attr_reader :orders

  def initialize(url:, key:, secret:, home: "http://127.0.0.1:9292", pause: method(:sleep))
    @url, @key, @secret, @home, @pause = url, key, secret, home, pause
    @orders = {}
  end

  # Charges an order, in cents. Only a new attempt after a decline is a new operation with a new key.
  def pay(id, amount, card)
    order = @orders[id] ||= Order.new(id, "open", 1)
    return come_back(id) if order.payment_id && order.state != "declined" # paid, or the customer's turn

    order.attempt += 1 if order.state == "declined"
    # Before the call: if all its answers are lost, the next call repeats this attempt, with its key.
    order.state, order.payment_id = "waiting", nil
    settle ask("POST", "/payments", {
      amount: amount, currency: "EUR", profile_id: "pro_checkout", confirm: true,
      merchant_order_reference_id: id, return_url: "#{@home}/orders/#{id}/return",
      metadata: { attempt: order.attempt.to_s },
      payment_method: "card", payment_method_data: { card: card }
    }, "#{id}-pay-#{order.attempt}")
  end

  # The customer returns from the bank: trust the API, not the URL.
  def come_back(id)
    order = @orders[id]
    return order unless order.payment_id # no answer has come yet: to pay again repeats the attempt

    settle ask("GET", "/payments/#{order.payment_id}")
  end

  # An event: the signature covers the raw bytes, and the state is retrieved from the API.
  def hear(bytes, signature)
    own = OpenSSL::HMAC.hexdigest("SHA512", @secret, bytes)
    return 401 unless signature && OpenSSL.secure_compare(own, signature)

    payment_id = JSON.parse(bytes).dig("content", "object", "payment_id")
    if payment_id
      payment = ask("GET", "/payments/#{payment_id}")
      # Events come late and more than once: that of an earlier attempt must not undo what a later one paid.
      order = @orders[payment["merchant_order_reference_id"]]
      settle payment if order && payment.dig("metadata", "attempt") == order.attempt.to_s
    end
    200
  end

  # POST /orders/1/pay, GET /orders/1/return, POST /webhooks
  def call(env)
    body = env["rack.input"]&.read.to_s
    case [env["REQUEST_METHOD"], *env["PATH_INFO"].split("/").drop(1)]
    in ["POST", "webhooks"] then [hear(body, env["HTTP_X_WEBHOOK_SIGNATURE_512"]), {}, []]
    in ["POST", "orders", id, "pay"]
      JSON.parse(body, symbolize_names: true) => { amount:, card: }
      shown pay(id, amount, card)
    in ["GET", "orders", id, "return"] then shown come_back(id)
    else [404, {}, []]
    end
  end

  private

  def settle(payment)
    order = @orders.fetch(payment["merchant_order_reference_id"])
    order.payment_id = payment["payment_id"]
    order.state = MEANS.fetch(payment["status"], "waiting") # pending is not paid
    order.message = payment["error_message"]
    order.go_to = payment.dig("next_action", "redirect_to_url")
    order
  end

  # One call, retried until it is answered; every retry has the same key, so it takes effect once.
  def ask(method, path, body = nil, key = nil)
    headers = { "api-key" => @key, "Content-Type" => "application/json", "X-Idempotency-Key" => key }.compact
    [0.5, 1, 2, nil].each do |wait|
      answer = try(method, URI(@url + path), headers, body)
      return read(answer) if answer && !TRY_AGAIN.include?(answer.code.to_i)

      @pause.call((answer && answer["Retry-After"] || wait).to_f) if wait
    end
    raise "#{method} #{path} was not answered; what was asked may have been done"
  end

  def try(method, uri, headers, body)
    Net::HTTP.start(uri.host, uri.port, use_ssl: uri.scheme == "https", read_timeout: 20, max_retries: 0) do |http|
      http.send_request(method, uri.request_uri, body && JSON.generate(body), headers)
    end
  rescue *BROKEN
    nil
  end

  def read(answer)
    result = JSON.parse(answer.body)
    raise "#{answer.code} #{result["error"]["code"]}: #{result["error"]["message"]}" if result["error"]

    result
  end

  def shown(order)
    [200, { "content-type" => "application/json" }, [JSON.generate(order.to_h)]]
  end
end
