package targets

import (
	"io"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestExpand(t *testing.T) {
	vars := Vars{"order": "O-1", "amount": int64(500), "db.url": "sqlite://x", "odd": "${order}"}
	for _, c := range []struct{ text, want, err string }{
		{"/pay/${order}?amount=${amount}", "/pay/O-1?amount=500", ""},
		{"${db.url}", "sqlite://x", ""},
		{"no placeholder, $order {order} ${", "no placeholder, $order {order} ${", ""},
		{"${odd}", "${order}", ""}, // a value is not expanded again
		{"${ordre}", "", `unknown placeholder "ordre"; did you mean "order"?`},
		{"${ORDER}", "", `unknown placeholder "ORDER"; did you mean "order"?`},
		{"${order }", "", `unknown placeholder "order "; did you mean "order"?`},
		{"${}", "", `unknown placeholder ""; valid are: amount, db.url, odd, order`},
		{"${zzz}", "", `unknown placeholder "zzz"; valid are: amount, db.url, odd, order`},
	} {
		t.Run(c.text, func(t *testing.T) {
			got, err := vars.Expand(c.text)
			if c.err != "" {
				require.EqualError(t, err, c.err)
				return
			}
			require.NoError(t, err)
			assert.Equal(t, c.want, got)
		})
	}
}

func TestWithLeavesTheOriginal(t *testing.T) {
	base := Vars{"a": 1, "b": 2}
	assert.Equal(t, Vars{"a": 1, "b": 3, "c": 4}, base.With(Vars{"b": 3, "c": 4}))
	assert.Equal(t, Vars{"a": 1, "b": 2}, base)
}

func TestBuild(t *testing.T) {
	vars := Vars{"order": "O-1", "amount": int64(500), "key": "K-1"}
	body := map[string]any{
		"amount": "${amount}", "text": "${amount} minor units", "fixed": 7, "yes": true,
		"list": []any{"${order}", map[string]any{"n": "${amount}"}}, "none": nil,
	}
	r := Request{Post: "/pay/${order}", Headers: map[string]string{"X-Key": "${key}"}, JSON: body}
	req, err := r.Build(t.Context(), "http://127.0.0.1:1", vars)
	require.NoError(t, err)
	sent, err := io.ReadAll(req.Body)
	require.NoError(t, err)
	assert.JSONEq(t, `{"amount": 500, "text": "500 minor units", "fixed": 7, "yes": true, "list": ["O-1", {"n": 500}], "none": null}`, string(sent))
	assert.Contains(t, string(sent), `"amount":500`, "a number stays a number")
	assert.Equal(t, "POST http://127.0.0.1:1/pay/O-1", req.Method+" "+req.URL.String())
	assert.Equal(t, "K-1", req.Header.Get("X-Key"))
	assert.Equal(t, "application/json", req.Header.Get("Content-Type"))
	assert.Nil(t, req.GetBody, "net/http cannot send it again by itself")
	assert.Equal(t, "${amount}", body["amount"], "the file's text stays as it is")

	get, err := (&Request{Get: "/orders/${order}"}).Build(t.Context(), "http://127.0.0.1:1", vars)
	require.NoError(t, err)
	assert.Equal(t, "GET http://127.0.0.1:1/orders/O-1", get.Method+" "+get.URL.String())
	assert.Nil(t, get.Body)
	assert.Empty(t, get.Header)
}

func TestBuildNamesTheMistake(t *testing.T) {
	vars := Vars{"order": "O-1", "bad": "a\nb"}
	for _, c := range []struct {
		name    string
		request Request
		want    string
	}{
		{"path", Request{Post: "/${ordr}"}, `request POST /${ordr}: unknown placeholder "ordr"; did you mean "order"?`},
		{"header", Request{Get: "/x", Headers: map[string]string{"X-A": "${ordr}"}}, `header X-A of GET /x: unknown placeholder "ordr"`},
		{"body", Request{Post: "/x", JSON: map[string]any{"a": []any{"${ordr}"}}}, `body of POST /x: unknown placeholder "ordr"`},
		{"body of one text", Request{Post: "/x", JSON: "${ordr}"}, `body of POST /x: unknown placeholder "ordr"`},
		{"body that is no JSON", Request{Post: "/x", JSON: func() {}}, `body of POST /x: json: unsupported type`},
		{"address", Request{Post: "/${bad}"}, `request POST /a`},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, err := c.request.Build(t.Context(), "http://127.0.0.1:1", vars)
			require.ErrorContains(t, err, c.want)
		})
	}
}

func TestEveryPlaceholderOfTheReferenceIsKnown(t *testing.T) {
	target := bundledReference(t)
	vars := Vars{"merchant": "M", "order": "O", "trace": "T", "channel": "C", "amount": 1, "currency": "CNY", "account": "A", "key": "K"}
	for _, r := range []*Request{target.Payment.Token, target.Payment.Submit(), target.Payment.Query} {
		_, err := r.Build(t.Context(), "http://127.0.0.1:1", vars)
		require.NoError(t, err)
	}
	assert.Equal(t, "body.token", target.Payment.Token.Capture["key"])
}

// FuzzExpand holds that no text makes the expansion panic, and that what comes out without an error has no placeholder.
func FuzzExpand(f *testing.F) {
	for _, seed := range []string{"", "${a}", "${b}", "$${a}}", "${${a}}", "${a", "$a", "${A}", "\xff${a}\x00"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		out, err := Vars{"a": 1}.Expand(text)
		if err != nil {
			require.ErrorContains(t, err, "unknown placeholder")
			return
		}
		require.Equal(t, strings.ReplaceAll(text, "${a}", "1"), out)
	})
}

func TestBuildOmits(t *testing.T) {
	vars := Vars{"order": "O-1", "key": Omitted}
	r := Request{Post: "/pay", Headers: map[string]string{"X-Key": "${key}"}, JSON: map[string]any{"order": "${order}", "key": "${key}"}}
	req, err := r.Build(t.Context(), "http://127.0.0.1:1", vars)
	require.NoError(t, err)
	sent, err := io.ReadAll(req.Body)
	require.NoError(t, err)
	assert.Equal(t, `{"order":"O-1"}`, string(sent))
	assert.NotContains(t, req.Header, "X-Key")
	req, err = r.Build(t.Context(), "http://127.0.0.1:1", Vars{"order": "O-1", "key": ""})
	require.NoError(t, err)
	assert.Equal(t, []string{""}, req.Header["X-Key"], "a blank key is one")
}

func TestBuildForm(t *testing.T) {
	r := &Request{Post: "/pay", Form: map[string]string{"order": "${order}", "text": "a b&c", "key": "${key}"}}
	sent := func(r *Request) string {
		req, err := r.Build(t.Context(), "http://127.0.0.1:1", Vars{"order": "O-1", "key": Omitted})
		require.NoError(t, err)
		assert.Equal(t, "application/x-www-form-urlencoded", req.Header.Get("Content-Type"))
		body, err := io.ReadAll(req.Body)
		require.NoError(t, err)
		return string(body)
	}
	assert.Equal(t, "order=O-1&text=a+b%26c", sent(r))
	assert.Equal(t, "text=a+b%26c&order=O-1&extra=1", sent(r.Altered(map[string]any{"extra": 1}, true)))
	assert.Len(t, r.Form, 3, "the file's request stays as it is")
	assert.EqualError(t, (&Request{Post: "/", JSON: 1, Form: map[string]string{}}).Validate(), "a request has one body: json or form")
}

func TestAltered(t *testing.T) {
	r := &Request{Post: "/pay", JSON: map[string]any{"a": "${order}", "b": 2, "c": map[string]any{"x": 1, "y": 2}}}
	sent := func(r *Request) string {
		req, err := r.Build(t.Context(), "http://127.0.0.1:1", Vars{"order": "O-1"})
		require.NoError(t, err)
		body, err := io.ReadAll(req.Body)
		require.NoError(t, err)
		return string(body)
	}
	assert.Equal(t, `{"a":"O-1","b":2,"c":{"x":1,"y":2}}`, sent(r))
	assert.Equal(t, `{"c":{"x":1,"y":2},"b":2,"a":"O-1"}`, sent(r.Altered(nil, true)))
	assert.Equal(t, `{"a":"O-1","b":3,"c":{"x":1,"y":2},"d":"more"}`, sent(r.Altered(map[string]any{"b": 3, "d": "more"}, false)))
	assert.Equal(t, `{"a":"O-1","b":2,"c":{"x":1,"y":2}}`, sent(r), "the file's request stays as it is")
}
