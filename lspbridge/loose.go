package lspbridge

import (
	"fmt"
	"math"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"go.lsp.dev/jsonrpc2"
)

// decodeLoose reads what the library refuses and editors send all the same: a
// response with "error": null beside its result, a message without "jsonrpc", an
// id such as 1.0. A response that is not understood would leave its request
// waiting for ever. strict is the library's error, returned for anything else.
func decodeLoose(body []byte, strict error) (jsonrpc2.Message, error) {
	var m struct {
		ID     jsontext.Value `json:"id"`
		Method *string        `json:"method"`
		Params jsontext.Value `json:"params"`
		Result jsontext.Value `json:"result"`
		Error  jsontext.Value `json:"error"`
	}
	if err := json.Unmarshal(body, &m, looseJSON); err != nil {
		return nil, strict
	}
	id, hasID := looseID(m.ID)
	params := jsonrpc2.RawMessage(m.Params)
	if isNull(m.Params) {
		params = nil
	}
	switch {
	case m.Method != nil && hasID:
		return jsonrpc2.NewCall(id, *m.Method, params), nil
	case m.Method != nil:
		return jsonrpc2.NewNotification(*m.Method, params), nil
	case !hasID:
		return nil, strict
	case isNull(m.Error):
		return jsonrpc2.NewResponse(id, jsonrpc2.RawMessage(m.Result), nil), nil
	}
	return jsonrpc2.NewResponse(id, nil, looseError(m.Error)), nil
}

func looseID(raw jsontext.Value) (jsonrpc2.ID, bool) {
	if isNull(raw) {
		return jsonrpc2.ID{}, false
	}
	var s string
	if json.Unmarshal(raw, &s) == nil {
		return jsonrpc2.NewStringID(s), true
	}
	var n float64
	if json.Unmarshal(raw, &n) == nil && n == math.Trunc(n) && math.Abs(n) < 1<<53 {
		return jsonrpc2.NewNumberID(int64(n)), true
	}
	return jsonrpc2.ID{}, false
}

func looseError(raw jsontext.Value) *jsonrpc2.Error {
	var e struct {
		Code    float64 `json:"code"`
		Message string  `json:"message"`
	}
	if json.Unmarshal(raw, &e, looseJSON) != nil {
		return jsonrpc2.NewError(jsonrpc2.UnknownError, fmt.Sprintf("error %s", raw))
	}
	return jsonrpc2.NewError(jsonrpc2.Code(e.Code), e.Message)
}

func isNull(raw []byte) bool { return len(raw) == 0 || string(raw) == "null" }
