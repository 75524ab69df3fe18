# ruby checkout_test.rb: the sandbox is at PAYMENT_SANDBOX_URL; each test has its own workspace.
require "securerandom"
require "stringio"
require_relative "checkout"

SANDBOX = ENV.fetch("PAYMENT_SANDBOX_URL", "http://127.0.0.1:12190")
GOOD, POOR, ASKED = %w[4242424242424242 4000000000009995 4000000000003220].map do |number|
  { card_number: number, card_exp_month: "12", card_exp_year: "2035", card_cvc: "123" }
end

class Workspace
  attr_reader :shop

  def initialize
    @key = "snd_#{SecureRandom.hex}"
    @secret = control("GET", "/webhooks/target")["secret"]
    @shop = open
  end

  def open
    Checkout.new(url: SANDBOX, key: @key, secret: @secret, pause: ->(_) {})
  end

  def control(method, path, body = nil)
    uri = URI("#{SANDBOX}/_sandbox#{path}")
    answer = Net::HTTP.start(uri.host, uri.port) do |http|
      http.send_request(method, uri.request_uri, body && JSON.generate(body),
                        { "api-key" => @key, "Content-Type" => "application/json" })
    end
    answer.code == "200" ? JSON.parse(answer.body) : raise(answer.body)
  end

  def pay(card)
    @shop.pay("order-1", 1990, card)
  end
end

def is(got, wanted)
  raise "got #{got.inspect}, wanted #{wanted.inspect}" unless wanted === got
end

def test(name)
  yield Workspace.new
  puts "ok - #{name}"
rescue StandardError => e
  puts "not ok - #{name}: #{e.message}"
  at_exit { exit 1 }
end

test "a lost answer is asked for again, and charged once" do |workspace|
  workspace.control("POST", "/scenarios/lost_response/activate")
  is workspace.pay(GOOD).state, "paid"
  is workspace.control("POST", "/scenarios/lost_response/check")["holds"], true
end

test "a decline is an answer, and another card another payment" do |workspace|
  declined = workspace.pay(POOR)
  is declined.state, "declined"
  is declined.message, "Payment declined: insufficient funds"
  is workspace.pay(GOOD).state, "paid"
end

test "after 3-D Secure the API is believed, not the address" do |workspace|
  order = workspace.pay(ASKED)
  is order.state, "waiting"
  is order.go_to, %r{/payments/redirect/}
  workspace.control("POST", "/payments/#{order.payment_id}/authenticate", { result: "declined" })
  status, = workspace.shop.call("REQUEST_METHOD" => "GET", "PATH_INFO" => "/orders/order-1/return")
  is status, 200
  is order.state, "declined"
end

test "only signed events are heard" do |workspace|
  order = workspace.pay(ASKED)
  workspace.control("POST", "/payments/#{order.payment_id}/authenticate", { result: "approved" })
  event = workspace.control("GET", "/webhooks?type=payment_succeeded&wait=5s")["data"].first
  signature = event["headers"].to_h["X-Webhook-Signature-512"]
  [[nil, 401], ["0" * 128, 401], [signature, 200]].each do |sent, wanted|
    is order.state, "waiting"
    status, = workspace.shop.call("REQUEST_METHOD" => "POST", "PATH_INFO" => "/webhooks",
                              "HTTP_X_WEBHOOK_SIGNATURE_512" => sent, "rack.input" => StringIO.new(event["payload"]))
    is status, wanted
  end
  is order.state, "paid"
end

test "a late event of an earlier attempt, and one of no known order, change nothing" do |workspace|
  workspace.pay(POOR)
  order = workspace.pay(GOOD)
  event = workspace.control("GET", "/webhooks?type=payment_failed&wait=5s")["data"].first
  signature = event["headers"].to_h["X-Webhook-Signature-512"]
  is workspace.shop.hear(event["payload"], signature), 200
  is order.state, "paid"
  is workspace.open.hear(event["payload"], signature), 200
end

test "an attempt whose answers are all lost is repeated, and what is paid stays paid" do |workspace|
  workspace.pay(POOR)
  lost = { fault: "connection_reset", effect: "kept" }
  workspace.control("POST", "/next", { on: "payments.create", then: lost, times: 50 })
  is (workspace.pay(GOOD) rescue $!.message), /not answered/
  is workspace.shop.come_back("order-1").state, "waiting"
  workspace.control("DELETE", "/next")
  is workspace.pay(GOOD).state, "paid"
  workspace.control("POST", "/clock/advance", { by: "25h" }) # longer than a key is known
  is workspace.pay(GOOD).state, "paid"
  is workspace.control("GET", "/webhooks?type=payment_succeeded")["total_count"], 1
end
