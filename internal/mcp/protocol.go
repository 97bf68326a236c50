package mcp

import (
	"slices"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// protocolVersions are the versions of MCP that are spoken, the newest first. A
// server with nothing but tools is the same in all of them.
var protocolVersions = []string{"2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05"}

const instructions = `These tools show the editor as the user has it. A file that is open may hold unsaved text which the disk does not have: read it with read_buffer and change it with edit_buffer, not by reading and writing the disk. The user may type at any time; what they type is kept and merged with your edits. The user reviews every change; review_status tells what was rejected.`

type implementation struct {
	Name    string `json:"name"`
	Title   string `json:"title"`
	Version string `json:"version"`
}

type initializeResult struct {
	ProtocolVersion string         `json:"protocolVersion"`
	Capabilities    capabilities   `json:"capabilities"`
	ServerInfo      implementation `json:"serverInfo"`
	Instructions    string         `json:"instructions"`
}

type capabilities struct {
	Tools struct{} `json:"tools"`
}

// initialize answers in the client's version if that is spoken, else in the
// newest one; the client decides whether it can go on.
func initialize(params []byte, version string) initializeResult {
	var in struct {
		ProtocolVersion string `json:"protocolVersion"`
	}
	_ = json.Unmarshal(params, &in, wireJSON)
	spoken := protocolVersions[0]
	if slices.Contains(protocolVersions, in.ProtocolVersion) {
		spoken = in.ProtocolVersion
	}
	return initializeResult{
		ProtocolVersion: spoken,
		ServerInfo:      implementation{ServerName, "Editor (acp-ls)", version},
		Instructions:    instructions,
	}
}

type listResult struct {
	Tools []*tool `json:"tools"`
}

type annotations struct {
	Title           string `json:"title"`
	ReadOnlyHint    bool   `json:"readOnlyHint"`
	DestructiveHint bool   `json:"destructiveHint"`
	IdempotentHint  bool   `json:"idempotentHint"`
	OpenWorldHint   bool   `json:"openWorldHint"`
}

type toolResult struct {
	Content []textContent `json:"content"`
	IsError bool          `json:"isError,omitzero"`
}

type textContent struct {
	Type string `json:"type"`
	Text string `json:"text"`
}

func succeeded(texts ...string) toolResult {
	r := toolResult{Content: []textContent{}}
	for _, t := range texts {
		r.Content = append(r.Content, textContent{"text", t})
	}
	return r
}

// failed is how the model is told what went wrong, and what to do now.
func failed(err error) toolResult {
	r := succeeded(err.Error())
	r.IsError = true
	return r
}

// schema is a JSON schema, written as it is sent.
type schema = jsontext.Value
