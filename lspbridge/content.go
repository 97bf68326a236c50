package lspbridge

import (
	"context"
	"errors"
	"slices"
	"strings"
	"sync"

	"go.lsp.dev/jsonrpc2"
	"go.lsp.dev/protocol"

	"acp-ls/buffers"
)

// baseScheme is the scheme of documents that show a file's baseline: the file:
// URI of the file with another scheme.
const baseScheme = "acp-base"

// maxSpellings is how many names of one baseline are kept: a new one with each request would
// be kept for ever.
const maxSpellings = 4

// contents are the baselines that the editor has asked for.
type contents struct {
	mu    sync.Mutex
	asked map[string]*refresher // by the URI's canonical spelling
	uris  map[string][]string   // as the editor spelled it, which may give it several names
}

// textDocumentContent answers with the baseline of a file.
func (e *editor) textDocumentContent(_ context.Context, p *uriParams) (any, error) {
	rest, ok := strings.CutPrefix(p.URI, baseScheme+":")
	path, isFile := buffers.URIPath("file:" + rest)
	if !ok || !isFile {
		return nil, jsonrpc2.Errorf(jsonrpc2.InvalidParams, "%q is not a URI such as %s:///folder/file", p.URI, baseScheme)
	}
	file := buffers.PathURI(path)
	text, err := e.core.Baseline(file)
	if err != nil {
		return nil, err
	}
	e.contents.remember(file, p.URI)
	return textResult{text}, nil
}

func (c *contents) remember(file, uri string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.asked == nil {
		c.asked, c.uris = map[string]*refresher{}, map[string][]string{}
	}
	if c.asked[file] == nil {
		c.asked[file] = &refresher{}
	}
	if !slices.Contains(c.uris[file], uri) {
		known := c.uris[file]
		c.uris[file] = append(known[max(0, len(known)-maxSpellings+1):], uri)
	}
}

// changed has the editor ask again for the baseline of a file it has asked for.
func (c *contents) changed(e *editor, file string) {
	if !e.client.textDocumentContent {
		return
	}
	if path, ok := buffers.URIPath(file); ok {
		file = buffers.PathURI(path)
	}
	c.mu.Lock()
	r, uris := c.asked[file], slices.Clone(c.uris[file])
	c.mu.Unlock()
	if r == nil {
		return
	}
	r.start(e, func() error {
		var errs []error
		for _, uri := range uris {
			errs = append(errs, e.call(e.ctx, protocol.MethodWorkspaceTextDocumentContentRefresh, uriParams{uri}, nil))
		}
		return errors.Join(errs...)
	})
}
