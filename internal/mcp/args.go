package mcp

import (
	"cmp"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

var errNoPath = errors.New("path is missing; list_buffers names the open files")

// decode reads a tool's arguments. Models write numbers and lists as strings now
// and then, which is taken as it is meant; a member that is not known is not,
// since it may mean anything.
func decode(raw jsontext.Value, v any) error {
	if len(raw) == 0 || raw.Kind() == 'n' {
		raw = jsontext.Value("{}")
	}
	return clearer(json.Unmarshal(raw, v, wireJSON, json.RejectUnknownMembers(true)), "")
}

// clearer says an error of decoding in the words of the schema. within is where
// the value stands.
func clearer(err error, within string) error {
	var wrong *json.SemanticError
	switch {
	case err == nil:
		return nil
	case !errors.As(err, &wrong):
		return fmt.Errorf("%s can not be read: %w", cmp.Or(within, "the arguments"), err)
	}
	member := strings.TrimPrefix(within+strings.ReplaceAll(string(wrong.JSONPointer), "/", "."), ".")
	switch {
	case errors.Is(err, json.ErrUnknownName):
		return fmt.Errorf("there is no argument %s; see the tool's schema", member)
	case member == "":
		return errors.New("the arguments must be an object")
	case wrong.Err != nil:
		return fmt.Errorf("argument %s: %w", member, wrong.Err)
	}
	return fmt.Errorf("argument %s has the wrong type; see the tool's schema", member)
}

// number is a whole number, also as a string or with a fraction of zero.
type number int

// UnmarshalJSONFrom implements [json.UnmarshalerFrom].
func (n *number) UnmarshalJSONFrom(dec *jsontext.Decoder) error {
	raw, err := dec.ReadValue()
	if err != nil {
		return err
	}
	s := string(raw)
	switch raw.Kind() {
	case 'n':
		*n = 0
		return nil
	case '"':
		if err := json.Unmarshal(raw, &s); err != nil {
			return err
		}
		s = strings.TrimSpace(s)
	case '0':
	default:
		return errors.New("must be a whole number")
	}
	f, err := strconv.ParseFloat(s, 64)
	if err != nil || f != float64(int32(f)) {
		return fmt.Errorf("must be a whole number, not %s", raw)
	}
	*n = number(f)
	return nil
}

// flag is true or false, also as a string.
type flag bool

// UnmarshalJSONFrom implements [json.UnmarshalerFrom].
func (b *flag) UnmarshalJSONFrom(dec *jsontext.Decoder) error {
	raw, err := dec.ReadValue()
	if err != nil {
		return err
	}
	switch strings.Trim(string(raw), `"`) {
	case "true":
		*b = true
	case "false", "null", "":
		*b = false
	default:
		return errors.New("must be true or false")
	}
	return nil
}

// editList is a list of edits, a single one, or either as a string of JSON.
type editList []editArg

// UnmarshalJSONFrom implements [json.UnmarshalerFrom].
func (l *editList) UnmarshalJSONFrom(dec *jsontext.Decoder) error {
	raw, err := dec.ReadValue()
	if err != nil {
		return err
	}
	if raw.Kind() == '"' {
		var s string
		if err := json.Unmarshal(raw, &s, wireJSON); err != nil {
			return err
		}
		raw = jsontext.Value(strings.TrimSpace(s))
	}
	if raw.Kind() == '{' {
		raw = jsontext.Value("[" + string(raw) + "]")
	}
	var list []editArg
	if err := json.Unmarshal(raw, &list, wireJSON, json.RejectUnknownMembers(true)); err != nil {
		return clearer(err, "edits")
	}
	*l = list
	return nil
}
