package wire

import (
	"fmt"
	"math"
	"reflect"
	"strconv"
	"strings"
	"sync"

	json "github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// Lenient decoding is the second try, for a message that did not decode as it
// stands. It walks the Go type beside the JSON and decides member by member.
//
// A member is tolerant if its tag says omitzero (the schema's optional members
// nearly all are) or `acp:"tolerant"`, and not `acp:"strict"`. A tolerant member
// that is bad keeps its zero value, and a tolerant array loses only its bad
// items; any other bad member makes its object bad.

// lenientField is one member of a struct type.
type lenientField struct {
	index    int
	tolerant bool
}

type lenientStruct struct {
	fields map[string]lenientField
	embed  int // index of the field that holds unknown members, or -1
}

var lenientStructs sync.Map // reflect.Type -> *lenientStruct

func lenientStructOf(t reflect.Type) *lenientStruct {
	if s, ok := lenientStructs.Load(t); ok {
		return s.(*lenientStruct)
	}
	s := &lenientStruct{fields: map[string]lenientField{}, embed: -1}
	for i := range t.NumField() {
		f := t.Field(i)
		name, options, _ := strings.Cut(f.Tag.Get("json"), ",")
		switch {
		case !f.IsExported() || name == "-":
		case options == "embed":
			s.embed = i
		default:
			tolerant := strings.Contains(options, "omitzero") || strings.Contains(options, "omitempty")
			switch f.Tag.Get("acp") {
			case "tolerant":
				tolerant = true
			case "strict":
				tolerant = false
			}
			s.fields[name] = lenientField{index: i, tolerant: tolerant}
		}
	}
	actual, _ := lenientStructs.LoadOrStore(t, s)
	return actual.(*lenientStruct)
}

// lenient collects what was tolerated in one message.
type lenient struct {
	tolerated []error
}

func decodeLenient(data []byte, v any) ([]error, error) {
	var l lenient
	target := reflect.ValueOf(v).Elem()
	target.SetZero()
	if err := l.value(data, target, "", false); err != nil {
		return nil, err
	}
	return l.tolerated, nil
}

// value decodes data into v, which is addressable and zero. In a tolerant array
// bad items are left out.
func (l *lenient) value(data []byte, v reflect.Value, path string, tolerant bool) error {
	strict := json.Unmarshal(data, v.Addr().Interface(), decodeOptions)
	if strict == nil {
		return nil
	}
	v.SetZero()
	if _, custom := v.Addr().Interface().(json.UnmarshalerFrom); custom {
		return at(path, strict)
	}
	switch v.Kind() {
	case reflect.Pointer:
		elem := reflect.New(v.Type().Elem())
		if err := l.value(data, elem.Elem(), path, tolerant); err != nil {
			return err
		}
		v.Set(elem)
		return nil
	case reflect.Struct:
		return l.object(data, v, path)
	case reflect.Slice:
		if v.Type().Elem().Kind() != reflect.Uint8 {
			return l.array(data, v, path, tolerant)
		}
	case reflect.Int, reflect.Int64, reflect.Uint32, reflect.Uint64:
		// A number that is whole is an integer, however it is spelt.
		if f, err := strconv.ParseFloat(string(data), 64); err == nil && f == math.Trunc(f) && math.Abs(f) < 1<<53 {
			whole := strconv.AppendFloat(nil, f, 'f', -1, 64)
			if json.Unmarshal(whole, v.Addr().Interface(), decodeOptions) == nil {
				return nil
			}
		}
	}
	return at(path, strict)
}

func (l *lenient) object(data []byte, v reflect.Value, path string) error {
	s := lenientStructOf(v.Type())
	var unknown []byte
	m := scanObject(data, 0)
	for {
		rawName, value, more := m.next()
		if !more {
			break
		}
		name := string(rawName)
		f, ok := s.fields[name]
		if !ok {
			if s.embed >= 0 {
				unknown = append(append(append(append(append(unknown, ','), '"'), rawName...), `":`...), value...)
			}
			continue
		}
		field := v.Field(f.index)
		field.SetZero()
		memberPath := strings.TrimPrefix(path+"."+name, ".")
		if err := l.value(value, field, memberPath, f.tolerant); err != nil {
			field.SetZero()
			if !f.tolerant {
				return err
			}
			l.tolerated = append(l.tolerated, err)
		}
	}
	if !m.ok() {
		return at(path, fmt.Errorf("want an object, have %s", lineHead(data)))
	}
	if unknown != nil {
		unknown[0] = '{'
		v.Field(s.embed).Set(reflect.ValueOf(jsontext.Value(append(unknown, '}'))))
	}
	return nil
}

func (l *lenient) array(data []byte, v reflect.Value, path string, tolerant bool) error {
	var items []jsontext.Value
	if err := json.Unmarshal(data, &items, decodeOptions); err != nil {
		return at(path, err)
	}
	v.Set(reflect.MakeSlice(v.Type(), 0, len(items)))
	for i, item := range items {
		elem := reflect.New(v.Type().Elem()).Elem()
		if err := l.value(item, elem, path+"["+strconv.Itoa(i)+"]", false); err != nil {
			if !tolerant {
				return err
			}
			l.tolerated = append(l.tolerated, err)
			continue
		}
		v.Set(reflect.Append(v, elem))
	}
	return nil
}

// at says where in the message err is. An error that says so already is left.
func at(path string, err error) error {
	if path == "" {
		return err
	}
	return fmt.Errorf("%s: %w", path, err)
}
