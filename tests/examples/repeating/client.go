// Prints for each fault what net/http makes of it: an error, or how much of the body it returns.
package main

import (
	"fmt"
	"io"
	"net/http"
	"os"
	"strings"
)

func call(fault, method, path, body string) (string, error) {
	request, _ := http.NewRequest(method, os.Getenv("BASE")+path, strings.NewReader(body))
	request.Header.Set("api-key", "snd_go_"+fault)
	request.Header.Set("Content-Type", "application/json")
	request.Header.Set("X-Idempotency-Key", "order-1")
	answer, err := http.DefaultClient.Do(request)
	if err != nil {
		return "", err
	}
	defer answer.Body.Close()
	text, err := io.ReadAll(answer.Body)
	return string(text), err
}

func main() {
	for _, fault := range os.Args[1:] {
		call(fault, "GET", "/refunds/list", "")
		if text, err := call(fault, "POST", "/payments", os.Getenv("ORDER")); err != nil {
			fmt.Println(fault, "error")
		} else if strings.HasSuffix(text, "}") {
			fmt.Println(fault, "whole")
		} else {
			fmt.Println(fault, "half")
		}
	}
}
