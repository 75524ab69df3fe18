# rackup: serves the checkout; the variables say where the payments API is.
require_relative "checkout"

run Checkout.new(url: ENV.fetch("PAYMENTS_URL"), key: ENV.fetch("PAYMENTS_KEY"), secret: ENV.fetch("PAYMENTS_WEBHOOK_SECRET"))
