# Prints for each fault what Net::HTTP makes of it: an error, or how much of the body it returns.
require "json"
require "net/http"

base = URI(ENV.fetch("BASE"))
ARGV.each do |fault|
  headers = { "api-key" => "snd_ruby_#{fault}", "Content-Type" => "application/json", "X-Idempotency-Key" => "order-1" }
  Net::HTTP.start(base.host, base.port) do |http|
    http.get("/refunds/list", headers)
    answer = http.post("/payments", ENV.fetch("ORDER"), headers)
    whole = answer.body.bytesize == answer["Content-Length"].to_i
    puts "#{fault} #{whole ? 'whole' : 'half'}"
  rescue SystemCallError, IOError
    puts "#{fault} error"
  end
end
