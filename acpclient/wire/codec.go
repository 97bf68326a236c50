package wire

import (
	"fmt"

	json "github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

var (
	decodeOptions = json.JoinOptions(
		jsontext.AllowInvalidUTF8(true),    // becomes U+FFFD: a bad byte costs itself
		jsontext.AllowDuplicateNames(true), // the last one counts
	)
	encodeOptions = json.JoinOptions(
		jsontext.AllowInvalidUTF8(true),
		jsontext.AllowDuplicateNames(true), // in what is kept raw
		jsontext.EscapeForHTML(false),
		jsontext.EscapeForJS(true),       // U+2028 and U+2029: some line readers split there
		json.FormatNilSliceAsNull(false), // the schema wants [], not null
		json.Deterministic(true),
	)
)

// Encode returns v as compact JSON on one line.
func Encode(v any) (jsontext.Value, error) {
	return json.Marshal(v, encodeOptions)
}

// Decode reads data into the value v points to. Members that the schema marks
// as tolerant ("x-deserialize-default-on-error", "-skip-invalid-items",
// "-default-on-null") cost only themselves if they are bad; the returned list
// names them. An error means that something the message can not do without is
// missing or bad. The value owns its memory: nothing of data is kept.
//
// Absent data (nil, or null) decodes as an empty object, as agents answer
// requests that have no result in both ways.
func Decode(data []byte, v any) (tolerated []error, err error) {
	if len(data) == 0 || isNull(data) {
		data = []byte("{}")
	}
	if err = json.Unmarshal(data, v, decodeOptions); err != nil {
		if !isValid(data) {
			return nil, err
		}
		if tolerated, err = decodeLenient(data, v); err != nil {
			return nil, err
		}
	}
	if c, ok := v.(checker); ok {
		bad, err := c.check()
		return append(tolerated, bad...), err
	}
	return tolerated, nil
}

// isValid reports whether data is one JSON value, as leniently as it is decoded.
func isValid(data []byte) bool { return jsontext.Value(data).IsValid(decodeOptions) }

// checker is a message that can not do without some of its members, or has
// items that can not. check removes such items and names them.
type checker interface {
	check() (tolerated []error, err error)
}

func missing(what, member string) error {
	return fmt.Errorf("%s without %s", what, member)
}

// Optional is a member for which absent, null and a value mean three things.
type Optional[T any] struct {
	Set   bool // the member was there
	Null  bool // and it was null: clear what is known
	Value T
}

// IsZero reports whether the member is absent.
func (o Optional[T]) IsZero() bool { return !o.Set }

// UnmarshalJSONFrom implements [json.UnmarshalerFrom].
func (o *Optional[T]) UnmarshalJSONFrom(dec *jsontext.Decoder) error {
	*o = Optional[T]{Set: true, Null: dec.PeekKind() == 'n'}
	if o.Null {
		return dec.SkipValue()
	}
	return json.UnmarshalDecode(dec, &o.Value)
}

// MarshalJSONTo implements [json.MarshalerTo].
func (o Optional[T]) MarshalJSONTo(enc *jsontext.Encoder) error {
	if o.Null || !o.Set {
		return enc.WriteToken(jsontext.Null)
	}
	return json.MarshalEncode(enc, &o.Value)
}
