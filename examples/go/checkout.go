// Package checkout is a small checkout service: it charges cards, sends customers to their bank, and receives events.
package checkout

import (
	"bytes"
	"crypto/hmac"
	"crypto/sha512"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"time"
)

var means = map[string]string{"succeeded": "paid", "failed": "declined", "cancelled": "declined", "expired": "declined"}
var waits = []time.Duration{500 * time.Millisecond, time.Second, 2 * time.Second}

// Order is what a customer buys, and the state of its payment.
type Order struct {
	ID, State, PaymentID, Message, GoTo string
	Attempt                             int
}

// Payment has the fields of a payment that this service uses.
type Payment struct {
	ID         string `json:"payment_id"`
	Status     string `json:"status"`
	OrderID    string `json:"merchant_order_reference_id"`
	Message    string `json:"error_message"`
	Metadata   struct{ Attempt string }
	NextAction struct {
		URL string `json:"redirect_to_url"`
	} `json:"next_action"`
	Error *struct{ Code, Message string } `json:"error"`
}

// Checkout takes payments through the API at URL.
type Checkout struct {
	URL, Key, Secret, Home string
	Pause                  func(time.Duration)
	lock                   sync.Mutex
	orders                 map[string]*Order
}

// New returns a checkout that waits in real time.
func New(url, key, secret, home string) *Checkout {
	return &Checkout{URL: url, Key: key, Secret: secret, Home: home, Pause: time.Sleep, orders: map[string]*Order{}}
}

// Pay charges an order, in cents. Only a new attempt after a decline is a new operation with a new key.
func (c *Checkout) Pay(id string, amount int, card map[string]string) (Order, error) {
	c.lock.Lock()
	order := c.orders[id]
	if order == nil {
		order = &Order{ID: id, State: "open", Attempt: 1}
		c.orders[id] = order
	}
	if order.PaymentID != "" && order.State != "declined" {
		c.lock.Unlock()
		return c.ComeBack(id) // paid, or the customer's turn
	}
	if order.State == "declined" {
		order.Attempt++
	}
	// Before the call: if all its answers are lost, the next call repeats this attempt, with its key.
	order.State, order.PaymentID = "waiting", ""
	key, attempt := fmt.Sprintf("%s-pay-%d", id, order.Attempt), strconv.Itoa(order.Attempt)
	c.lock.Unlock()
	payment, err := c.call("POST", "/payments", key, map[string]any{
		"amount": amount, "currency": "EUR", "profile_id": "pro_checkout", "confirm": true,
		"merchant_order_reference_id": id, "return_url": c.Home + "/orders/" + id + "/return",
		"metadata":       map[string]any{"attempt": attempt},
		"payment_method": "card", "payment_method_data": map[string]any{"card": card},
	})
	if err != nil {
		return *order, err
	}
	return c.settle(payment), nil
}

// ComeBack is called when the customer returns: trust the API, not the URL.
func (c *Checkout) ComeBack(id string) (Order, error) {
	order := c.Order(id)
	if order.PaymentID == "" {
		return order, nil // no answer has come yet: to pay again repeats the attempt
	}
	payment, err := c.call("GET", "/payments/"+order.PaymentID, "", nil)
	if err != nil {
		return Order{}, err
	}
	return c.settle(payment), nil
}

// Hear receives an event: the signature covers the raw bytes, and the state is retrieved from the API.
func (c *Checkout) Hear(body []byte, signature string) int {
	mac := hmac.New(sha512.New, []byte(c.Secret))
	mac.Write(body)
	if theirs, err := hex.DecodeString(signature); err != nil || !hmac.Equal(mac.Sum(nil), theirs) {
		return http.StatusUnauthorized
	}
	var event struct{ Content struct{ Object Payment } }
	if json.Unmarshal(body, &event) != nil {
		return http.StatusBadRequest
	}
	if id := event.Content.Object.ID; id != "" {
		payment, err := c.call("GET", "/payments/"+id, "", nil)
		if err != nil {
			return http.StatusServiceUnavailable
		}
		// Events come late and more than once: that of an earlier attempt must not undo what a later one paid.
		c.lock.Lock()
		order := c.orders[payment.OrderID]
		current := order != nil && payment.Metadata.Attempt == strconv.Itoa(order.Attempt)
		c.lock.Unlock()
		if current {
			c.settle(payment)
		}
	}
	return http.StatusOK
}

// Order returns a copy of an order.
func (c *Checkout) Order(id string) Order {
	c.lock.Lock()
	defer c.lock.Unlock()
	return *c.orders[id]
}

func (c *Checkout) settle(payment Payment) Order {
	c.lock.Lock()
	defer c.lock.Unlock()
	order := c.orders[payment.OrderID]
	order.PaymentID, order.Message, order.GoTo = payment.ID, payment.Message, payment.NextAction.URL
	order.State = "waiting" // pending is not paid
	if known, ok := means[payment.Status]; ok {
		order.State = known
	}
	return *order
}

// call retries until it is answered; every retry has the same key, so it takes effect once.
func (c *Checkout) call(method, path, key string, body any) (payment Payment, err error) {
	sent, _ := json.Marshal(body)
	client := http.Client{Timeout: 20 * time.Second}
	for try := 0; ; try++ {
		request, _ := http.NewRequest(method, c.URL+path, bytes.NewReader(sent))
		request.Header.Set("api-key", c.Key)
		request.Header.Set("Content-Type", "application/json")
		if key != "" {
			request.Header.Set("X-Idempotency-Key", key)
		}
		var wait time.Duration
		if answer, err := client.Do(request); err == nil {
			result, err := io.ReadAll(answer.Body)
			answer.Body.Close()
			seconds, _ := strconv.Atoi(answer.Header.Get("Retry-After"))
			wait = time.Duration(seconds) * time.Second
			if err == nil && answer.StatusCode < 500 && answer.StatusCode != 409 && answer.StatusCode != 429 {
				if err := json.Unmarshal(result, &payment); err != nil || payment.Error == nil {
					return payment, err
				}
				return payment, fmt.Errorf("%d %s: %s", answer.StatusCode, payment.Error.Code, payment.Error.Message)
			}
		}
		if try == len(waits) {
			return payment, fmt.Errorf("%s %s was not answered; what was asked may have been done", method, path)
		}
		if wait == 0 {
			wait = waits[try]
		}
		c.Pause(wait)
	}
}

// ServeHTTP serves POST /orders/1/pay, GET /orders/1/return and POST /webhooks.
func (c *Checkout) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, _ := io.ReadAll(r.Body)
	parts := strings.Split(strings.Trim(r.URL.Path, "/"), "/")
	switch {
	case parts[0] == "webhooks":
		w.WriteHeader(c.Hear(body, r.Header.Get("X-Webhook-Signature-512")))
	case len(parts) == 3 && parts[2] == "pay":
		var said struct {
			Amount int
			Card   map[string]string
		}
		if json.Unmarshal(body, &said) != nil {
			w.WriteHeader(http.StatusBadRequest)
			return
		}
		show(w)(c.Pay(parts[1], said.Amount, said.Card))
	case len(parts) == 3 && parts[2] == "return":
		show(w)(c.ComeBack(parts[1]))
	default:
		w.WriteHeader(http.StatusNotFound)
	}
}

func show(w http.ResponseWriter) func(Order, error) {
	return func(order Order, err error) {
		if err != nil {
			w.WriteHeader(http.StatusServiceUnavailable)
			return
		}
		_ = json.NewEncoder(w).Encode(order)
	}
}
