package lspbridge

import (
	"errors"
	"fmt"
	"reflect"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	jsonv1 "github.com/go-json-experiment/json/v1"
	"go.lsp.dev/jsonrpc2"
	"go.lsp.dev/protocol"
)

// looseJSON relaxes what the wire does not need: names twice (the last wins) and
// strings that are no UTF-8 (replaced).
var looseJSON = json.JoinOptions(jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true))

// ownJSON encodes the types of the contract: no list is null, and what is marked
// omitempty is left out also when it is zero or false.
var ownJSON = json.JoinOptions(looseJSON, jsonv1.OmitEmptyWithLegacySemantics(true))

// codec encodes LSP's types with the protocol package's generated code, and ours
// with ownJSON.
type codec struct{}

var _ jsonrpc2.Codec = codec{}

func (codec) Marshal(v any) ([]byte, error) {
	switch v := v.(type) {
	case jsonrpc2.RawMessage:
		return v, nil
	case jsontext.Value:
		return v, nil
	}
	if fromProtocol(reflect.TypeOf(v)) {
		return protocol.Marshal(v)
	}
	return json.Marshal(v, ownJSON)
}

func (codec) Unmarshal(data []byte, v any) error {
	if raw, ok := v.(*jsonrpc2.RawMessage); ok {
		*raw = append((*raw)[:0:0], data...)
		return nil
	}
	return json.Unmarshal(data, v, looseJSON)
}

func fromProtocol(t reflect.Type) bool {
	for t != nil && (t.Kind() == reflect.Pointer || t.Kind() == reflect.Slice) && t.PkgPath() == "" {
		t = t.Elem()
	}
	return t != nil && t.PkgPath() == protocolPath
}

var protocolPath = reflect.TypeFor[protocol.Position]().PkgPath()

// decode reads params or an argument into v. Unknown members are ignored; the
// error names the member that is wrong.
func decode(data []byte, v any) error {
	if isNull(data) {
		data = []byte("{}")
	}
	err := json.Unmarshal(data, v, looseJSON)
	var wrong *json.SemanticError
	if !errors.As(err, &wrong) {
		return err
	}
	member := strings.ReplaceAll(strings.TrimPrefix(string(wrong.JSONPointer), "/"), "/", ".")
	if member == "" {
		return fmt.Errorf("the argument is %s, and must be %s", kindName(wrong.JSONKind), goName(wrong.GoType))
	}
	if wrong.JSONKind == 0 || wrong.JSONKind == '0' && isNumber(wrong.GoType) {
		return fmt.Errorf("member %s is not %s", member, goName(wrong.GoType))
	}
	return fmt.Errorf("member %s is %s, and must be %s", member, kindName(wrong.JSONKind), goName(wrong.GoType))
}

func kindName(k jsontext.Kind) string {
	switch k {
	case 'n':
		return "null"
	case 't', 'f':
		return "true or false"
	case '"':
		return "a string"
	case '0':
		return "a number"
	case '{':
		return "an object"
	case '[':
		return "a list"
	}
	return "something else"
}

func isNumber(t reflect.Type) bool {
	return t != nil && t.Kind() >= reflect.Int && t.Kind() <= reflect.Float64
}

func goName(t reflect.Type) string {
	for t != nil && t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	switch {
	case t == nil:
		return "another value"
	case t.Kind() >= reflect.Uint && t.Kind() <= reflect.Uintptr:
		return "a whole number from 0 on"
	case t.Kind() >= reflect.Int && t.Kind() <= reflect.Int64:
		return "a whole number"
	case isNumber(t):
		return "a number"
	case t.Kind() == reflect.String:
		return "a string"
	case t.Kind() == reflect.Bool:
		return "true or false"
	case t.Kind() == reflect.Slice:
		return "a list"
	case t.Kind() == reflect.Struct, t.Kind() == reflect.Map:
		return "an object"
	}
	return "another value"
}
