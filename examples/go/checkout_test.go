package checkout

import (
	"crypto/rand"
	"encoding/hex"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"testing"
	"time"
)

// Each test has its own workspace in the sandbox at PAYMENT_SANDBOX_URL.
type workspace struct {
	*testing.T
	url, key, secret string
	shop             *Checkout
}

func newWorkspace(t *testing.T) *workspace {
	url, random := os.Getenv("PAYMENT_SANDBOX_URL"), make([]byte, 16)
	if url == "" {
		url = "http://127.0.0.1:12190"
	}
	rand.Read(random)
	w := &workspace{T: t, url: url, key: "snd_" + hex.EncodeToString(random)}
	w.secret = w.control("GET", "/webhooks/target", "")["secret"].(string)
	w.shop = w.open()
	return w
}

func (w *workspace) open() *Checkout {
	shop := New(w.url, w.key, w.secret, "http://shop.test")
	shop.Pause = func(time.Duration) {}
	return shop
}

func (w *workspace) control(method, path, body string) map[string]any {
	w.Helper()
	request, _ := http.NewRequest(method, w.url+"/_sandbox"+path, strings.NewReader(body))
	request.Header.Set("api-key", w.key)
	request.Header.Set("Content-Type", "application/json")
	answer, err := http.DefaultClient.Do(request)
	if err != nil {
		w.Fatal(err)
	}
	defer answer.Body.Close()
	result := map[string]any{}
	if err := json.NewDecoder(answer.Body).Decode(&result); err != nil || answer.StatusCode != 200 {
		w.Fatal(method, path, answer.Status, result, err)
	}
	return result
}

func (w *workspace) pay(number string) Order {
	w.Helper()
	card := map[string]string{
		"card_number": number, "card_exp_month": "12", "card_exp_year": "2035", "card_cvc": "123",
	}
	order, err := w.shop.Pay("order-1", 1990, card)
	if err != nil {
		w.Fatal(err)
	}
	return order
}

func (w *workspace) is(got, wanted any) {
	w.Helper()
	if got != wanted {
		w.Fatalf("got %v, wanted %v", got, wanted)
	}
}

const good, poor, asked = "4242424242424242", "4000000000009995", "4000000000003220"

func TestALostAnswerIsAskedForAgainAndChargedOnce(t *testing.T) {
	w := newWorkspace(t)
	w.control("POST", "/scenarios/lost_response/activate", "")
	w.is(w.pay(good).State, "paid")
	w.is(w.control("POST", "/scenarios/lost_response/check", "")["holds"], true)
}

func TestADeclineIsAnAnswerAndAnotherCardAnotherPayment(t *testing.T) {
	w := newWorkspace(t)
	declined := w.pay(poor)
	w.is(declined.State, "declined")
	w.is(declined.Message, "Payment declined: insufficient funds")
	w.is(w.pay(good).State, "paid")
}

func TestAfterThreeDSTheAPIIsBelievedAndNotTheAddress(t *testing.T) {
	w := newWorkspace(t)
	order := w.pay(asked)
	w.is(order.State, "waiting")
	w.is(strings.Contains(order.GoTo, "/payments/redirect/"), true)
	w.control("POST", "/payments/"+order.PaymentID+"/authenticate", `{"result": "declined"}`)
	back, err := w.shop.ComeBack("order-1")
	w.is(err, nil)
	w.is(back.State, "declined")
}

func TestOnlySignedEventsAreHeard(t *testing.T) {
	w := newWorkspace(t)
	server := httptest.NewServer(w.shop)
	defer server.Close()
	w.control("PUT", "/webhooks/target", `{"url": "`+server.URL+`/webhooks"}`)
	paymentID := w.pay(asked).PaymentID
	w.control("POST", "/payments/"+paymentID+"/authenticate", `{"result": "approved"}`)
	result := w.control("GET", "/webhooks?type=payment_succeeded&delivered=true&wait=5s", "")["data"].([]any)
	w.is(len(result), 1)
	w.is(w.shop.Order("order-1").State, "paid")
	payload := result[0].(map[string]any)["payload"].(string)
	for _, signature := range []string{"", strings.Repeat("0", 128)} {
		forged, _ := http.NewRequest("POST", server.URL+"/webhooks", strings.NewReader(payload))
		forged.Header.Set("X-Webhook-Signature-512", signature)
		answer, err := http.DefaultClient.Do(forged)
		w.is(err, nil)
		w.is(answer.StatusCode, 401)
	}
}

func TestALateEventOfAnEarlierAttemptAndOneOfNoKnownOrderChangeNothing(t *testing.T) {
	w := newWorkspace(t)
	w.pay(poor)
	w.pay(good)
	event := w.control("GET", "/webhooks?type=payment_failed&wait=5s", "")["data"].([]any)[0].(map[string]any)
	payload, signature := []byte(event["payload"].(string)), ""
	for _, header := range event["headers"].([]any) {
		if pair := header.([]any); pair[0] == "X-Webhook-Signature-512" {
			signature = pair[1].(string)
		}
	}
	w.is(w.shop.Hear(payload, signature), 200)
	w.is(w.shop.Order("order-1").State, "paid")
	w.is(w.open().Hear(payload, signature), 200)
}

func TestAnAttemptWhoseAnswersAreAllLostIsRepeatedAndWhatIsPaidStaysPaid(t *testing.T) {
	w := newWorkspace(t)
	w.pay(poor)
	w.control("POST", "/next", `{"on": "payments.create", "then": {"fault": "connection_reset", "effect": "kept"}, "times": 50}`)
	_, err := w.shop.Pay("order-1", 1990, map[string]string{
		"card_number": good, "card_exp_month": "12", "card_exp_year": "2035", "card_cvc": "123",
	})
	w.is(strings.Contains(err.Error(), "not answered"), true)
	back, err := w.shop.ComeBack("order-1")
	w.is(err, nil)
	w.is(back.State, "waiting")
	w.control("DELETE", "/next", "")
	w.is(w.pay(good).State, "paid")
	w.control("POST", "/clock/advance", `{"by": "25h"}`) // longer than a key is known
	w.is(w.pay(good).State, "paid")
	w.is(w.control("GET", "/webhooks?type=payment_succeeded", "")["total_count"], 1.0)
}
