package wire

import (
	"bytes"
	"regexp"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
)

// redacted stands where a secret was.
const redacted = "[redacted]"

var (
	redactedJSON = jsontext.Value(`"` + redacted + `"`)

	// secretText finds secrets in running text by their form: authorization
	// headers, assignments to telling names, and the prefixes by which services
	// mark their keys.
	secretText = regexp.MustCompile(`(?i)(\b(?:bearer|basic)\s+)[\w.~+/=-]{8,}` +
		`|((?:api[-_]?key|token|secret|passw(?:or)?d|authorization)["']?\s*[=:]\s*["']?(?:(?:bearer|basic)\s+)?)[^\s"',;&]{4,}` +
		`|\b()(?:sk-|sk_live_|pk_live_|gh[pousr]_|github_pat_|glpat-|xox[abprs]-|AKIA|AIza|ya29\.|eyJ[\w-]{8,}\.)[\w.-]{8,}`)
)

// Redact returns line, a message or noise, with secrets replaced: the values of
// environments and headers, whatever a member of a telling name holds
// ("apiKey", "authorization", "token"), and secrets that running text shows by
// their form. It may hide too much. Numbers are left: token counts are none.
func Redact(line []byte) []byte {
	if len(line) == 0 || line[0] != '{' && line[0] != '[' || skipValue(line, 0) != len(line) {
		return redactText(line)
	}
	var out bytes.Buffer
	dec := jsontext.NewDecoder(bytes.NewReader(line), jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true))
	enc := jsontext.NewEncoder(&out, jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true))
	if err := redactValue(dec, enc, ""); err != nil {
		return redactText(line)
	}
	return bytes.TrimSpace(out.Bytes())
}

func redactText(line []byte) []byte {
	return secretText.ReplaceAll(line, []byte("${1}${2}${3}"+redacted))
}

// redactValue copies one value, which is the member called name.
func redactValue(dec *jsontext.Decoder, enc *jsontext.Encoder, name string) error {
	kind := dec.PeekKind()
	switch {
	case isEnvironment(name) && (kind == '{' || kind == '['):
		raw, err := dec.ReadValue()
		if err != nil {
			return err
		}
		return redactEnvironment(raw, enc)
	case isSecretName(name) && kind != '0' && kind != 'n' && kind != 't' && kind != 'f':
		if err := dec.SkipValue(); err != nil {
			return err
		}
		return enc.WriteValue(redactedJSON)
	}
	switch kind {
	case '{':
		return redactObject(dec, enc)
	case '[':
		if err := copyToken(dec, enc); err != nil {
			return err
		}
		for dec.PeekKind() != ']' {
			if err := redactValue(dec, enc, ""); err != nil {
				return err
			}
		}
		return copyToken(dec, enc)
	case '"':
		tok, err := dec.ReadToken()
		if err != nil {
			return err
		}
		return enc.WriteToken(jsontext.String(string(redactText([]byte(tok.String())))))
	}
	return copyToken(dec, enc)
}

func redactObject(dec *jsontext.Decoder, enc *jsontext.Encoder) error {
	if err := copyToken(dec, enc); err != nil {
		return err
	}
	for dec.PeekKind() != '}' {
		tok, err := dec.ReadToken()
		if err != nil {
			return err
		}
		name := tok.String()
		if err := enc.WriteToken(jsontext.String(name)); err != nil {
			return err
		}
		if err := redactValue(dec, enc, name); err != nil {
			return err
		}
	}
	return copyToken(dec, enc)
}

// redactEnvironment copies an environment or list of headers with the names
// alone: {"K":"V"} or [{"name":"K","value":"V"}].
func redactEnvironment(raw jsontext.Value, enc *jsontext.Encoder) error {
	dec := jsontext.NewDecoder(bytes.NewReader(raw), jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true))
	isName := false // the string that comes is a member's name, or the value of "name"
	for {
		tok, err := dec.ReadToken()
		if err != nil {
			return nil // the end; raw is known to be one value
		}
		kind, n := dec.StackIndex(dec.StackDepth())
		atName := kind == '{' && n%2 == 1
		switch {
		case tok.Kind() != '"':
			if tok.Kind() != '{' && tok.Kind() != '}' && tok.Kind() != '[' && tok.Kind() != ']' {
				tok = jsontext.String(redacted)
			}
			isName = false
		case atName:
			isName = tok.String() == "name"
		case !isName:
			tok = jsontext.String(redacted)
		}
		if err := enc.WriteToken(tok); err != nil {
			return err
		}
	}
}

func copyToken(dec *jsontext.Decoder, enc *jsontext.Encoder) error {
	tok, err := dec.ReadToken()
	if err != nil {
		return err
	}
	return enc.WriteToken(tok)
}

func isEnvironment(name string) bool {
	switch strings.ToLower(name) {
	case "env", "environment", "headers":
		return true
	}
	return false
}

var secretNames = []string{
	"token", "secret", "password", "passwd", "authorization", "cookie", "credential",
	"apikey", "api_key", "api-key", "privatekey", "private_key",
}

func isSecretName(name string) bool {
	name = strings.ToLower(name)
	for _, s := range secretNames {
		if strings.Contains(name, s) {
			return true
		}
	}
	return false
}
